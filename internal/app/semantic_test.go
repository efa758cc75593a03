package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// loadSettings reads settings from variables only, with folders of the test's own.
func loadSettings(t *testing.T, variables map[string]string) config.Config {
	t.Helper()
	variables["OBSIDIAN_MCP_STATE_DIR"], variables["OBSIDIAN_MCP_CACHE_DIR"] = t.TempDir(), t.TempDir()
	settings, err := config.Load(config.Source{Lookup: func(variable string) (string, bool) {
		value, has := variables[variable]
		return value, has
	}, File: os.DevNull})
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// animals stands in for a server with a model that knows animals: texts that name one are alike.
type animals struct {
	refuses chan struct{} // when it is closed, the server refuses texts with "unreadable", which it only takes until then

	mu   sync.Mutex // guards what follows
	sent []string
	down bool
}

func (a *animals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Input []string }
	if json.NewDecoder(r.Body).Decode(&asked) != nil || r.Header.Get("Authorization") != "Bearer secret-key" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if strings.Contains(strings.Join(asked.Input, ""), "unreadable") {
		select {
		case <-a.refuses:
			w.WriteHeader(http.StatusUnauthorized)
		case <-r.Context().Done():
		}
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	a.sent = append(a.sent, asked.Input...)
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var answer struct {
		Data []item `json:"data"`
	}
	for i, text := range asked.Input {
		v := []float32{0.1, 1, 0}
		for _, name := range []string{"dog", "hound", "cat"} {
			if strings.Contains(strings.ToLower(text), name) {
				v = []float32{1, 0.1, 0}
			}
		}
		answer.Data = append(answer.Data, item{i, v})
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// openEndpoint opens a vault whose notes are found by a model on a server, and returns a function that calls find_notes. All notes have
// vectors then.
func openEndpoint(t *testing.T, model *animals, notes map[string]string) (vault string, find func(arguments string) (answer string, meta map[string]any, err error)) {
	t.Helper()
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	vault = vaultWith(t, notes)
	settings := loadSettings(t, map[string]string{
		"OBSIDIAN_VAULT_PATH": vault, "OBSIDIAN_MCP_SEMANTIC": "endpoint", "OBSIDIAN_MCP_SEMANTIC_URL": server.URL,
		"OBSIDIAN_MCP_SEMANTIC_MODEL": "animals", "OBSIDIAN_MCP_SEMANTIC_KEY": "secret-key", "OBSIDIAN_MCP_CONTEXT": "off",
	})
	tools, closer, err := openTools(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closer.Close() })
	find = func(arguments string) (string, map[string]any, error) {
		called, err := tools.Find("find_notes")
		if err != nil {
			t.Fatal(err)
		}
		found, err := called.Call(t.Context(), json.RawMessage(arguments))
		return strings.Join(found.HintLines(), "\n") + string(found.JSON), found.Meta, err
	}
	eventually(t, "not all notes have vectors", time.Minute, func() bool {
		_, meta, err := find(`{"query":"where is my beloved dog now"}`)
		return err == nil && meta["coverage"] == 1.0
	})
	return vault, find
}

// Notes are found by a model on a server. When that fails, they are found by words, and the answer says so.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	model := new(animals)
	_, find := openEndpoint(t, model, map[string]string{"Rex.md": "A hound of great size.", "Taxes.md": "Due at the end of July."})
	if answer, meta, err := find(`{"query":"where is my beloved dog now"}`); err != nil || meta["mode"] != "auto" || !strings.Contains(answer, "Rex.md") {
		t.Errorf("%s %v, %v", answer, meta, err)
	}
	model.mu.Lock()
	if sent := strings.Join(model.sent, "\n"); !strings.Contains(sent, "Rex\n\nA hound of great size.") {
		t.Errorf("sent %q", sent)
	}
	model.down = true
	model.mu.Unlock()
	answer, meta, err := find(`{"query":"what is due at the end of July"}`)
	if err != nil || meta["mode"] != "words" || !strings.Contains(answer, "Taxes.md") || !strings.Contains(answer, "does not answer: these were found by words only") {
		t.Errorf("%s %v, %v", answer, meta, err)
	}
	if _, _, err := find(`{"query":"what is due in July","mode":"meaning"}`); fault.KindOf(err) != fault.StoreUnavailable || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("%v", err)
	}
}

// As long as notes have no vectors, the answer says how many can be found by meaning, and why not all.
func TestCoverage(t *testing.T) {
	t.Parallel()
	model := &animals{refuses: make(chan struct{})}
	vault, find := openEndpoint(t, model, map[string]string{"Rex.md": "A hound of great size.", "Taxes.md": "Due at the end of July."})
	if err := os.WriteFile(filepath.Join(vault, "New.md"), []byte("This is unreadable."), 0o600); err != nil {
		t.Fatal(err)
	}
	const question = `{"query":"where is my beloved dog now"}`
	answers := func(why string) func() bool {
		return func() bool {
			answer, meta, err := find(question)
			return err == nil && meta["mode"] == "auto" && meta["coverage"] == 0.666 && strings.Contains(answer, "Rex.md") &&
				strings.Contains(answer, "66 % of the notes can be found by meaning so far; "+why+".")
		}
	}
	eventually(t, "the answer does not say that a note is being read", time.Minute, answers("the rest are being read"))
	close(model.refuses)
	eventually(t, "the answer does not say that the model refuses", time.Minute, answers("the model does not answer"))
}

// Settings that cannot work, or that would send notes to another machine unasked, keep the server from starting.
func TestSemanticSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ mode, model, url, send, want string }{
		"no folder":       {"model", "", "", "", "OBSIDIAN_MCP_SEMANTIC: no folder of a model is given"},
		"missing":         {"model", filepath.Join(t.TempDir(), "none"), "", "", "OBSIDIAN_MCP_SEMANTIC_MODEL: the model in '"},
		"no server":       {"endpoint", "m", "", "", "OBSIDIAN_MCP_SEMANTIC: no server is given"},
		"no name":         {"endpoint", "", "http://127.0.0.1:1", "", "OBSIDIAN_MCP_SEMANTIC: no model of the server is given"},
		"another machine": {"endpoint", "m", "https://ai.example.com", "", "OBSIDIAN_MCP_SEMANTIC_URL: the texts of all notes would be sent to another machine"},
		"wanted":          {"endpoint", "m", "https://ai.example.com", "true", ""},
		"this machine":    {"endpoint", "m", "http://localhost:11434", "", ""},
		"off":             {"off", "m", "https://ai.example.com", "", ""},
	} {
		variables := map[string]string{"OBSIDIAN_MCP_SEMANTIC": test.mode}
		for variable, value := range map[string]string{"_MODEL": test.model, "_URL": test.url, "_SEND_NOTES": test.send} {
			if value != "" {
				variables["OBSIDIAN_MCP_SEMANTIC"+variable] = value
			}
		}
		settings := loadSettings(t, variables)
		err := check(settings, silent)
		if message := errorText(err); !strings.HasPrefix(message, test.want) || (message == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", name, message, test.want)
		}
		if _, leaves := aboutMeaning(settings.Semantic); test.url != "" && leaves != (test.mode == "endpoint" && strings.Contains(test.url, "example")) {
			t.Errorf("%s: notes leave the machine: %t", name, leaves)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The page says to its owner by what notes are found by meaning, and that they leave the machine.
func TestPageSaysThatNotesLeave(t *testing.T) {
	t.Parallel()
	limited, entry := testToken("phone", "deny: [Closed/]")
	s := startHTTP(t, vaultWith(t, map[string]string{"Garden.md": "Tomatoes.\n"}), "OBSIDIAN_MCP_TOKEN=omcp_the-owner-of-all-this", configFile(t, "tokens:\n"+entry),
		"OBSIDIAN_MCP_SEMANTIC=endpoint", "OBSIDIAN_MCP_SEMANTIC_MODEL=nomic", "OBSIDIAN_MCP_SEMANTIC_URL=http://0.0.0.0:9", "OBSIDIAN_MCP_SEMANTIC_SEND_NOTES=true")
	const about, leaves = "the model nomic at 0.0.0.0:9", "The texts of all notes leave this machine"
	if shown := s.do("GET", "/", "", bearer("omcp_the-owner-of-all-this")...).body; !strings.Contains(shown, about) || !strings.Contains(shown, leaves) {
		t.Errorf("the owner sees\n%s", shown)
	}
	if shown := s.do("GET", "/", "", bearer(limited)...).body; strings.Contains(shown, "nomic") {
		t.Errorf("a limited login sees\n%s", shown)
	}
}
