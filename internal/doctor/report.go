package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/visible"
)

// Mark says how a check ended.
type Mark string

// The marks of findings.
const (
	OK     Mark = "ok"
	Look   Mark = "look"   // a person should look at it
	Failed Mark = "FAILED" // something does not work
)

// Finding is the outcome of a check: one line that is safe to print.
type Finding struct {
	Mark   Mark
	Text   string
	Remedy string // what to do about it; "" if Mark is OK
}

// String is the finding in one line, without its mark.
func (f Finding) String() string {
	if f.Remedy == "" {
		return f.Text
	}
	return f.Text + "; " + f.Remedy
}

// Report passes on the findings of a run.
type Report struct {
	found       func(Finding)
	interrupted func() bool
	failed      bool
}

// NewReport makes a report that passes findings to found until ctx ends: what fails after that fails because the run
// was interrupted.
func NewReport(ctx context.Context, found func(Finding)) *Report {
	return &Report{found: found, interrupted: func() bool { return ctx.Err() != nil }}
}

// Failure reports an error of a check. An error without a hint gets a remedy that helps to find out more.
func (r *Report) Failure(check string, err error) {
	r.fail(remedyFor(err), "%s: %s", check, err)
}

func (r *Report) ok(format string, args ...any) { r.add(OK, "", format, args...) }

// look reports something that a person should look at.
func (r *Report) look(remedy, format string, args ...any) { r.add(Look, remedy, format, args...) }

// fail reports something that does not work.
func (r *Report) fail(remedy, format string, args ...any) {
	r.failed = true
	r.add(Failed, remedy, format, args...)
}

func (r *Report) add(mark Mark, remedy, format string, args ...any) {
	if !r.interrupted() {
		r.found(Finding{mark, oneLine(fmt.Sprintf(format, args...)), oneLine(remedy)})
	}
}

func oneLine(text string) string { return visible.Line(strings.ReplaceAll(text, "\n", " ")) }

func remedyFor(err error) string {
	return cmp.Or(fault.HintOf(err), "run LOG_LEVEL=debug obsidian-mcp call list_notes to see more")
}

// list reports notes with the same problem, a few of them by name.
func (r *Report) list(paths []string, problem, remedy string) {
	if len(paths) > 0 {
		r.look(remedy, "%s: %s: %s", amount.Of(len(paths), "note"), problem, amount.Few(paths, 3))
	}
}
