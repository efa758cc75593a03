// The scenarios that the program itself can pass, with its own tools and notes. Each must make at least so many checks,
// so that a scenario that checks nothing does not pass.
//
// These scenarios need fixtures, and run only on the build that has them:
//   - tools-call-*, elicitation-*, input-required-result-* (but one),
//     server-sse-polling, json-schema-2020-12 and
//     http-custom-header-server-validation: tools named test_…;
//   - prompts-get-*, completion-complete: prompts named test_…;
//   - resources-read-*, resources-templates-read, resources-subscribe,
//     resources-unsubscribe: resources named test://….
export const asIs = {
  "2025-11-25": {
    "server-initialize": 3,
    "server-session-lifecycle": 3,
    "logging-set-level": 2,
    ping: 2,
    "tools-list": 3,
    "resources-list": 2,
    "prompts-list": 2,
    "server-sse-multiple-streams": 1,
    "dns-rebinding-protection": 2,
  },
  "2026-07-28": {
    "server-stateless": 24,
    "tools-list": 4,
    "resources-list": 2,
    "prompts-list": 2,
    "sep-2164-resource-not-found": 4,
    caching: 8,
    "input-required-result-unsupported-methods": 2,
    "http-header-validation": 14,
    "server-sse-multiple-streams": 1,
    "dns-rebinding-protection": 2,
  },
};

// Checks that call a tool of the fixtures to change something, and so can pass only on the build that has them: the
// program itself tells its listeners about prompts, but has no tool that changes the list when the suite asks.
export const needsFixture = ["sep-2575-server-sends-prompts-list-changed-on-subscription"];

// Checks of these scenarios that report that they cannot run without a fixture.
export const untestable = {
  "server-stateless": [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
  ],
};

// Scenarios that no revision requires and that fail for a known reason. If one of them passes, remove it from the list.
export const expectedFailures = [
  // This server does not support the tasks extension, and does not claim to.
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
  // No tool has a parameter that HTTP requests repeat in a header.
  "http-custom-header-server-validation",
];

// Scenarios that no revision requires and that make no checks here.
export const expectedEmpty = ["tasks-status-notifications"];

// The suites that the build with the fixtures must pass.
export const required = [
  { name: "2025-11-25, as required", suite: "conformance", revision: "2025-11-25" },
  { name: "2026-07-28, as required", suite: "conformance", revision: "2026-07-28" },
  { name: "the released suite", suite: "conformance-released" },
];
