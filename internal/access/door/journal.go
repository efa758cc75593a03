package door

import (
	"context"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of the log.
const (
	linesPerSecond = 10
	longestValue   = 200 // bytes of a value that a client has chosen
)

// journal is a log that a flood of refusals does not fill.
type journal struct {
	log *slog.Logger

	mu         sync.Mutex // guards what follows
	second     time.Time  // when the current second began
	lines      int        // in it
	suppressed int        // since the last line
}

// refused logs a request or a connection that was refused.
func (j *journal) refused(what string, facts ...any) {
	j.limited(slog.LevelInfo, "refused", append([]any{"what", what}, facts...)...)
}

// Write logs a complaint of net/http, one line at a time.
func (j *journal) Write(line []byte) (int, error) {
	j.limited(slog.LevelWarn, "http", "problem", clean(strings.TrimSpace(string(line))))
	return len(line), nil
}

// close logs how many lines were suppressed last.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.suppressed > 0 {
		j.log.Info("refused", "suppressed", j.suppressed)
		j.suppressed = 0
	}
}

// limited writes a line, or only counts it if there were too many in this second.
func (j *journal) limited(level slog.Level, message string, facts ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if now := time.Now(); now.Sub(j.second) >= time.Second {
		j.second, j.lines = now, 0
	}
	if j.lines++; j.lines > linesPerSecond {
		j.suppressed++
		return
	}
	if j.suppressed > 0 {
		facts = append(facts, "suppressed", j.suppressed)
		j.suppressed = 0
	}
	j.log.Log(context.Background(), level, message, facts...)
}

// ownToken matches our own bearer tokens: people put them into paths.
var ownToken = regexp.MustCompile(`omcp_[A-Za-z0-9]+`)

// clean makes a value that a client has chosen safe for a log: short, without tokens, and with everything escaped that
// a terminal or a reader of lines could take for more than a character.
func clean(text string) string {
	text = ownToken.ReplaceAllString(text, "omcp_[redacted]")
	if len(text) > longestValue {
		text = text[:longestValue] + "…"
	}
	for i, r := range text {
		if !unicode.IsPrint(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			quoted := strconv.Quote(text)
			return quoted[1 : len(quoted)-1]
		}
	}
	return text
}
