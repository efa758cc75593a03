// What of the suite the program itself, with its own tools and notes, can be
// asked. Each must make at least so many checks, so that a scenario which
// checks nothing does not count as one that passes.
//
// Left out are the scenarios that call by name what only a fixture has:
//   - tools-call-*, elicitation-*, input-required-result-* (but one),
//     server-sse-polling, json-schema-2020-12 and
//     http-custom-header-server-validation: tools named test_…;
//   - prompts-get-*, completion-complete: prompts named test_…; there is
//     nothing to complete in a prompt that is not there;
//   - resources-read-*, resources-templates-read, resources-subscribe,
//     resources-unsubscribe: test://… is not in the vault, and is refused.
// They are run on the build that has the fixtures.
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

// The checks among those that cannot be made without a fixture, and say so.
export const untestable = {
  "server-stateless": [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
  ],
};

// What is run beside what a revision requires, is not scored, and fails for a
// reason. Each of these must fail: one that passes is to be taken off the list.
export const expectedFailures = [
  // The tasks extension, which this server does not have, nor says it has.
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

// The same, where there is nothing to check at all.
export const expectedEmpty = ["tasks-status-notifications"];

// What the suites require of the build with the fixtures.
export const required = [
  { name: "all that 2025-11-25 requires", suite: "conformance", revision: "2025-11-25" },
  { name: "all that 2026-07-28 requires", suite: "conformance", revision: "2026-07-28" },
  { name: "the released suite", suite: "conformance-released" },
];
