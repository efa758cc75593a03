package embedding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/meaning"
)

// request is what a server was asked.
type request struct {
	Model      string
	Input      []string
	Format     string `json:"encoding_format"`
	Dimensions int
	key        string
}

// server is a stand-in for a server with embeddings. Handlers take the requests one after the other; the last takes all later ones.
type server struct {
	*httptest.Server
	mu       sync.Mutex // guards what follows
	requests []request
	handlers []handler
	pauses   []time.Duration
}

type handler func(w http.ResponseWriter, r request)

func newServer(t *testing.T, handlers ...handler) *server {
	s := &server{handlers: handlers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var asked request
		if err = errors.Join(err, json.Unmarshal(body, &asked)); err != nil || r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		asked.key = r.Header.Get("Authorization")
		s.mu.Lock()
		s.requests = append(s.requests, asked)
		handle := s.handlers[min(len(s.requests), len(s.handlers))-1]
		s.mu.Unlock()
		handle(w, asked)
	}))
	t.Cleanup(s.Close)
	return s
}

// open returns the model on the server. Its pauses take no time.
func (s *server) open(model string) *Endpoint {
	e := NewEndpoint(Options{URL: s.URL + "/", Model: model, Key: "open sesame"})
	e.pause = func(_ context.Context, d time.Duration) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pauses = append(s.pauses, d)
	}
	return e
}

// vectorOf is a vector that depends on a text.
func vectorOf(text string) []float32 {
	return []float32{float32(len(text)), float32(strings.Count(text, "e") + 1), 1}
}

// answer writes the vectors of texts, the last one first.
func answer(w http.ResponseWriter, r request) {
	var data []map[string]any
	for i, text := range slices.Backward(r.Input) {
		data = append(data, map[string]any{"index": i, "embedding": vectorOf(text)})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "model": r.Model})
}

func status(code int) handler {
	return func(w http.ResponseWriter, r request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(code)
		fmt.Fprintf(w, "refused: %s", r.Input[0]) // as some servers do
	}
}

func write(text string) handler {
	return func(w http.ResponseWriter, _ request) { _, _ = io.WriteString(w, text) }
}

// passages are count passages of a note.
func passages(count int) []meaning.Passage {
	all := make([]meaning.Passage, count)
	for i := range all {
		all[i] = meaning.Passage{Above: "Garden\nSoil", Text: fmt.Appendf(nil, "passage %d", i)}
	}
	return all
}

func same(v meaning.Vector, text string) bool {
	want := meaning.Vector(vectorOf(text))
	want.Unit()
	return slices.Equal(v, want)
}

// Passages are sent in batches. Each has its title and headings before it, and the prefix that the family of the model expects.
func TestPassagesAreSentInBatches(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer)
	e := s.open("nomic-embed-text")
	vectors, err := e.Passages(t.Context(), passages(2*batch+1))
	if err != nil || len(vectors) != 2*batch+1 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for i, v := range vectors {
		if text := fmt.Sprintf("search_document: Garden\nSoil\n\npassage %d", i); !same(v, text) {
			t.Errorf("passage %d has the vector %v", i, v)
		}
	}
	if len(s.requests) != 3 || len(s.requests[0].Input) != batch || len(s.requests[2].Input) != 1 {
		t.Errorf("%d requests", len(s.requests))
	}
	if first := s.requests[0]; first.Model != "nomic-embed-text" || first.Format != "float" || first.key != "Bearer open sesame" || first.Dimensions != 0 {
		t.Errorf("asked %+v", first)
	}
	title, err := e.Passages(t.Context(), []meaning.Passage{{Above: "Gar\xffden"}})
	if err != nil || !same(title[0], "search_document: Gar\uFFFDden") {
		t.Errorf("a title has the vector %v, %v", title, err)
	}
	if dimensions, err := e.Check(t.Context()); err != nil || dimensions != 3 {
		t.Errorf("%d numbers, %v", dimensions, err)
	}
	large := s.open("text-embedding-3-large")
	if _, err := large.Question(t.Context(), "soil"); err != nil || s.requests[len(s.requests)-1].Dimensions != 1536 {
		t.Errorf("asked %+v, %v", s.requests[len(s.requests)-1], err)
	}
}

// A question is sent once, and not again while the server is known to fail.
func TestQuestions(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer, status(http.StatusInternalServerError), answer)
	e := s.open("nomic-embed-text")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e.now = func() time.Time { return now }
	for range 2 {
		if v, err := e.Question(t.Context(), "soil"); err != nil || !same(v, "search_query: soil") {
			t.Fatalf("%v, %v", v, err)
		}
	}
	for range 3 {
		if _, err := e.Question(t.Context(), "seeds"); !errors.Is(err, fault.StoreUnavailable) {
			t.Fatalf("%v", err)
		}
	}
	if len(s.requests) != 2 || len(s.pauses) != 0 {
		t.Errorf("%d requests and %d pauses, want 2 and 0", len(s.requests), len(s.pauses))
	}
	now = now.Add(restTime)
	if v, err := e.Question(t.Context(), "seeds"); err != nil || v == nil {
		t.Errorf("%v, %v", v, err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := e.Question(ended, "weeds"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if v, err := e.Question(t.Context(), "weeds"); err != nil || v == nil {
		t.Errorf("after a caller left: %v, %v", v, err)
	}
}

// A busy server is asked again, after the pause that it asks for or a longer one.
func TestBusyServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t, status(http.StatusTooManyRequests), status(http.StatusServiceUnavailable), answer)
	vectors, err := s.open("m").Passages(t.Context(), passages(2))
	if err != nil || len(vectors) != 2 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	if want := []time.Duration{7 * time.Second, 14 * time.Second}; !slices.Equal(s.pauses, want) {
		t.Errorf("pauses %v, want %v", s.pauses, want)
	}
	s = newServer(t, status(http.StatusBadGateway))
	if _, err := s.open("m").Passages(t.Context(), passages(2)); err == nil || len(s.requests) != attempts {
		t.Errorf("%d requests, %v", len(s.requests), err)
	}
	s.Close() // nobody listens
	if _, err := s.open("m").Passages(t.Context(), passages(1)); !errors.Is(err, fault.StoreUnavailable) {
		t.Errorf("%v", err)
	}
}

// A text that the server refuses has no vector; the others keep theirs. A title that it refuses has one without a direction, so that
// the note is not sent again and again. If it refuses everything, that is an error.
func TestRefusedText(t *testing.T) {
	t.Parallel()
	refusing := func(w http.ResponseWriter, r request) {
		if slices.ContainsFunc(r.Input, func(text string) bool { return strings.HasSuffix(text, "passage 5") }) {
			status(http.StatusRequestEntityTooLarge)(w, r)
			return
		}
		answer(w, r)
	}
	sent := append(passages(8), meaning.Passage{Above: "passage 5"})
	vectors, err := newServer(t, refusing).open("m").Passages(t.Context(), sent)
	if err != nil || len(vectors) != len(sent) {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for i, v := range vectors {
		if (v == nil) != (i == 5) {
			t.Errorf("passage %d: %v", i, v)
		}
	}
	if title := vectors[8]; len(title) != len(vectors[0]) || slices.ContainsFunc(title, func(x float32) bool { return x != 0 }) {
		t.Errorf("a title that is refused has the vector %v", title)
	}
	if _, err := newServer(t, status(http.StatusBadRequest)).open("m").Passages(t.Context(), passages(8)); err == nil {
		t.Error("a server that takes no text is used")
	}
}

// Answers that are wrong, short or hostile are refused with a reason that quotes neither the answer nor the texts, and nothing is
// sent anywhere else.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	elsewhere := newServer(t, answer)
	for name, test := range map[string]struct {
		handle handler
		want   string
	}{
		"not JSON":       {write("<html>passage 0"), "not what OpenAI's interface prescribes"},
		"other JSON":     {write(`{"data":"passage 0"}`), "not what OpenAI's interface prescribes"},
		"too few":        {write(`{"data":[{"index":0,"embedding":[1,2]}]}`), "1 vectors for 2 texts"},
		"no vectors":     {write(`{}`), "0 vectors for 2 texts"},
		"twice the same": {write(`{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`), "not numbered from 0"},
		"out of range":   {write(`{"data":[{"index":0,"embedding":[1,2]},{"index":2,"embedding":[1,2]}]}`), "not numbered from 0"},
		"empty":          {write(`{"data":[{"embedding":[]},{"embedding":[1]}]}`), "a vector of 0 numbers"},
		"mixed":          {write(`{"data":[{"embedding":[1,2]},{"embedding":[1,2,3]}]}`), "vectors of 2 and of 3 numbers"},
		"zeros":          {write(`{"data":[{"embedding":[1,2]},{"embedding":[0,0]}]}`), "no direction"},
		"huge numbers":   {write(`{"data":[{"embedding":[1,2]},{"embedding":[3e38,3e38]}]}`), "no direction"},
		"huge":           {write(strings.Repeat(" ", longestAnswer) + "{}"), "more than 32 MB"},
		"cut off": {func(w http.ResponseWriter, _ request) {
			w.Header().Set("Content-Length", "99")
			write("{")(w, request{})
		}, "EOF"},
		"no login": {status(http.StatusUnauthorized), "status 401"},
		"no model": {status(http.StatusNotFound), "status 404"},
		"moved": {func(w http.ResponseWriter, _ request) {
			w.Header().Set("Location", elsewhere.URL+"/v1/embeddings")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "status 307"},
	} {
		_, err := newServer(t, test.handle).open("m").Passages(t.Context(), passages(2))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		if err != nil && (strings.Contains(err.Error(), "passage") || strings.Contains(err.Error()+fault.HintOf(err), "sesame")) {
			t.Errorf("%s: the error says too much: %v", name, err)
		}
	}
	if len(elsewhere.requests) > 0 {
		t.Error("texts were sent to where the server pointed")
	}
}

// A slow server does not keep a caller longer than the caller wants to wait.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	s := newServer(t, func(http.ResponseWriter, request) { <-done })
	defer close(done)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := s.open("m").Question(ctx, "soil"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	ctx, stop = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := s.open("m").Passages(ctx, passages(1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"http://127.0.0.1:11434": true, "http://localhost:1234/v1": true, "http://LOCALHOST.": true, "http://[::1]:80": true, "http://127.9.9.9": true,
		"http://10.0.0.1": false, "https://api.openai.com/v1": false, "http://localhost.example.com": false, "http://0.0.0.0:11434": false, "http://[::ffff:10.0.0.1]": false,
		"://": false, "": false, "http://127.0.0.1@example.com": false,
	} {
		if got := IsLoopback(address); got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
	dial := transport(true).DialContext
	if _, err := dial(t.Context(), "tcp", "192.0.2.1:80"); err == nil || !strings.Contains(err.Error(), "another machine") {
		t.Errorf("a name of this machine that leads elsewhere: %v", err)
	}
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	for model, want := range map[string][2]string{
		"intfloat/multilingual-e5-large":            {"query: ", "passage: "},
		"nomic-embed-text:v1.5":                     {"search_query: ", "search_document: "},
		"BAAI/bge-large-en-v1.5":                    {searching, ""},
		"bge-m3":                                    {"", ""},
		"snowflake-arctic-embed2":                   {"query: ", ""},
		"snowflake-arctic-embed:33m":                {searching, ""},
		"qwen3-embedding:0.6b":                      {instruct, ""},
		"text-embedding-nomic-embed-text-v1.5@q8_0": {"search_query: ", "search_document: "},
		"text-embedding-3-small":                    {"", ""},
		"whatever":                                  {"", ""},
	} {
		if got := familyOf(model); got.question != want[0] || got.passage != want[1] || got.alike <= 0 {
			t.Errorf("%s: %+v, want %q", model, got, want)
		}
	}
	for url, want := range map[string]string{"http://h": "http://h/v1/embeddings", "http://h/v1/": "http://h/v1/embeddings", "http://h/api/embeddings": "http://h/api/embeddings"} {
		if got := NewEndpoint(Options{URL: url}).address; got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}
