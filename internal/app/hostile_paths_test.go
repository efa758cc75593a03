//go:build unix

package app

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/mode"
)

// Every hostile path is read and written over stdio and Streamable HTTP; the full form of the test reads them over the
// other transports too.
func TestHostilePaths(t *testing.T) {
	t.Parallel()
	lines := hostilePaths(t)
	if len(lines) < 100 {
		t.Fatalf("only %d cases", len(lines))
	}
	for name, connect := range hostileTransports() {
		if !mode.Full() && name != "stdio" && name != "mcp" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			course := &pathCourse{t: t, connect: connect}
			defer course.drop()
			course.runAll(lines, "read", 1)
			if name == "stdio" || name == "mcp" {
				course.runAll(lines, "write", 2)
			}
		})
	}
}

// hostilePaths are the cases of paths.txt, in columns.
func hostilePaths(t *testing.T) (lines [][]string) {
	content, err := os.ReadFile(cases.Path(t, "hostile/paths.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if !strings.HasPrefix(line, "#") && len(columns) >= 4 {
			lines = append(lines, columns)
		}
	}
	return lines
}

// pathCourse is a tree and a server on it. Both are used until a case changes the tree.
type pathCourse struct {
	t           *testing.T
	connect     func(*testing.T, string) hostileServer
	base, vault string
	before      map[string]string
	server      *hostileServer
}

func (p *pathCourse) runAll(lines [][]string, verb string, column int) {
	for number, columns := range lines {
		if columns[column] == "-" {
			continue
		}
		p.begin()
		p.t.Run(fmt.Sprintf("%s/%03d %s", verb, number+1, columns[3]), func(t *testing.T) {
			p.server.use(t)
			p.check(t, columns[0], verb, columns[column])
		})
	}
}

func (p *pathCourse) begin() {
	if p.server != nil {
		return
	}
	p.base, p.vault = buildFixture(p.t)
	p.before = treeOf(p.t, p.base)
	server := p.connect(p.t, p.vault)
	p.server = &server
}

// drop ends the server.
func (p *pathCourse) drop() {
	if p.server != nil {
		p.server.use(p.t)
		p.server.end()
		p.server = nil
	}
}

const written = "WRITTEN BY THE TEST\n"

func (p *pathCourse) check(t *testing.T, quoted, verb, verdict string) {
	arguments, tool := `{"name":`+quoted+`}`, "read_note"
	if verb == "write" {
		text, _ := json.Marshal(written)
		arguments, tool = `{"name":`+quoted+`,"overwrite":true,"content":`+string(text)+`}`, "create_note"
	}
	before := p.server.worked()
	answer := p.server.callRaw(tool, arguments)
	p.server.checkWork(t, before)
	failed := answer.Error != nil || decodeResult(t, answer).IsError
	for _, secret := range []string{"OUTSIDE-SECRET", "HIDDEN-SECRET", p.base} {
		if strings.Contains(string(answer.raw), secret) {
			t.Errorf("%s is in the answer: %s", secret, answer.raw)
		}
	}
	if after, raw := callOver(t, p.server.caller, "list_notes", map[string]any{}); after.IsError {
		t.Errorf("the server no longer answers: %s", raw)
	}
	changed := changedFiles(p.before, treeOf(t, p.base))
	checkVerdict(t, quoted, verdict, failed, answer, changed)
	if len(changed) > 0 {
		p.drop()
	}
}

// callRaw calls a tool with arguments that are sent as they are.
func (s *hostileServer) callRaw(tool, arguments string) message {
	text := `{"jsonrpc":"2.0","id":"case","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	if c, ok := s.caller.(*httpCaller); ok && c.modern {
		return c.sayModern(tool, arguments)
	}
	return s.caller.say(text)
}

// sayModern makes a call without a session. Its headers repeat a part of the body.
func (c *httpCaller) sayModern(tool, arguments string) message {
	params := map[string]any{"name": tool, "arguments": json.RawMessage(arguments)}
	text, headers := c.encode("case", "tools/call", params)
	return c.send(text, headers...)
}

func checkVerdict(t *testing.T, quoted, verdict string, failed bool, answer message, changed []string) {
	for _, name := range changed {
		inVault, ok := strings.CutPrefix(name, "vault/")
		if !ok || strings.HasPrefix(inVault, ".") || strings.Contains(inVault, "/.") {
			t.Errorf("%s was changed", name)
		}
	}
	if failed && len(changed) > 0 {
		t.Errorf("an error, but %v changed", changed)
	}
	want, detail, _ := strings.Cut(verdict, ":")
	switch want {
	case "refuse", "absent":
		if !failed {
			t.Errorf("%s was not refused: %s", quoted, answer.raw)
		}
	case "ambiguous":
		if !failed || !strings.Contains(string(answer.raw), "Projects/Alpha/Plan.md") || !strings.Contains(string(answer.raw), "Projects/Beta/Plan.md") {
			t.Errorf("the candidates are not named: %s", answer.raw)
		}
	case "ok":
		if failed || !strings.Contains(string(answer.raw), detail) {
			t.Errorf("%s is not in the answer: %s", detail, answer.raw)
		}
	case "create":
		var path string
		if err := json.Unmarshal([]byte(quoted), &path); err != nil {
			t.Fatal(err)
		}
		if failed || len(changed) != 1 || changed[0] != "vault/"+path {
			t.Errorf("failed %v, changed %v: %s", failed, changed, answer.raw)
		}
	case "same":
		if !failed && (len(changed) != 1 || changed[0] != "vault/"+detail) {
			t.Errorf("a second note was made: %v", changed)
		}
	case "either":
	default:
		t.Fatalf("unknown verdict %s", verdict)
	}
}
