package embedding

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/meaning"
)

// Options say which server to ask.
type Options struct {
	URL   string // with or without /v1 at its end
	Model string // its name on the server
	Key   string // of the account; "": none
}

// Endpoint is a model on a server with an OpenAI-compatible interface.
type Endpoint struct {
	address string
	options Options
	family  family
	http    *http.Client
	pause   func(ctx context.Context, d time.Duration) // tests shorten it
	now     func() time.Time

	mu         sync.Mutex // guards what follows
	dimensions int        // of the vectors; 0: not known yet
	refused    error      // why the last question was not answered
	refusedAt  time.Time
	lastAsked  string // and its vector
	lastVector meaning.Vector
}

const (
	// batch is how many passages a request has, and batchTime how long it may take: a model on a laptop is slow.
	batch     = 32
	batchTime = 2 * time.Minute
	// questionTime is how long a caller waits for the vector of a question. Afterwards, notes are found by words for restTime.
	questionTime = 5 * time.Second
	restTime     = 30 * time.Second
	// attempts is how often passages are sent before giving up, with pauses that double, at most longestPause.
	attempts     = 4
	firstPause   = time.Second
	longestPause = time.Minute
	// longestAnswer is the largest answer that is read.
	longestAnswer = 32 << 20
	// passageLength suits models that read up to 512 tokens. Vectors of 1,536 numbers take about half as many bytes.
	passageLength = 1_400
)

// NewEndpoint returns a model on a server. It asks the server nothing yet.
func NewEndpoint(options Options) *Endpoint {
	address := strings.TrimRight(options.URL, "/")
	switch {
	case strings.HasSuffix(address, "/embeddings"):
	case strings.HasSuffix(address, "/v1"):
		address += "/embeddings"
	default:
		address += "/v1/embeddings"
	}
	return &Endpoint{
		address: address, options: options, family: familyOf(options.Model),
		http: &http.Client{
			Transport:     transport(IsLoopback(options.URL)),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		pause: func(ctx context.Context, d time.Duration) {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
		},
		now: time.Now,
	}
}

// IsLoopback reports whether a URL names this machine, so that what is sent there does not leave it.
func IsLoopback(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(parsed.Hostname(), "."))
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// transport connects to the server. One that should be on this machine is refused if its name leads elsewhere.
func transport(isLocal bool) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if isLocal {
		t.Proxy = nil
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			if host, _, err := net.SplitHostPort(address); err != nil || !net.ParseIP(host).IsLoopback() {
				return errors.New("the name leads to another machine")
			}
			return nil
		}
	}
	t.DialContext = dialer.DialContext
	return t
}

// Name identifies the vectors.
func (e *Endpoint) Name() string { return "endpoint " + e.address + " " + e.options.Model }

// Traits says how to use the vectors.
func (e *Endpoint) Traits() meaning.Traits {
	return meaning.Traits{PassageLength: passageLength, Weight: e.family.weight, Alike: e.family.alike, WithWords: 0.9 * e.family.alike, IsRemote: true}
}

// Question returns the vector of a question. If the server has just failed, it is not asked again.
func (e *Endpoint) Question(ctx context.Context, text string) (meaning.Vector, error) {
	e.mu.Lock()
	if e.lastVector != nil && e.lastAsked == text {
		defer e.mu.Unlock()
		return e.lastVector, nil
	}
	if e.refused != nil && e.now().Sub(e.refusedAt) < restTime {
		defer e.mu.Unlock()
		return nil, e.refused
	}
	e.mu.Unlock()
	limited, stop := context.WithTimeout(ctx, questionTime)
	defer stop()
	vectors, err := e.ask(limited, []string{e.family.question + text})
	if ctx.Err() != nil {
		return nil, ctx.Err() // the caller does not wait any longer, which says nothing about the server
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refused, e.refusedAt = err, e.now(); err != nil {
		return nil, err
	}
	e.lastAsked, e.lastVector = text, vectors[0]
	return vectors[0], nil
}

// Passages returns the vectors of passages. A server that is busy is asked again after a pause.
func (e *Endpoint) Passages(ctx context.Context, passages []meaning.Passage) ([]meaning.Vector, error) {
	var vectors []meaning.Vector
	for len(passages) > 0 {
		size := min(batch, len(passages))
		texts := make([]string, size)
		for i, passage := range passages[:size] {
			texts[i] = e.family.passage + textOf(passage)
		}
		more, err := e.askPatiently(ctx, texts)
		if err != nil {
			return nil, err
		}
		for i, v := range more {
			if v == nil && len(passages[i].Text) == 0 {
				more[i] = make(meaning.Vector, e.knownDimensions())
			}
		}
		vectors, passages = append(vectors, more...), passages[size:]
	}
	return vectors, nil
}

// textOf is a passage as a model reads it.
func textOf(passage meaning.Passage) string {
	above := strings.ToValidUTF8(passage.Above, "\uFFFD")
	if len(passage.Text) == 0 {
		return above
	}
	return above + "\n\n" + strings.ToValidUTF8(string(passage.Text), "\uFFFD")
}

// askPatiently asks again if the server is busy or cannot be reached. If it refuses texts, each half is sent on its own: one text
// may be too long for the model. A single one that is refused, by a server that took others, has no vector.
func (e *Endpoint) askPatiently(ctx context.Context, texts []string) ([]meaning.Vector, error) {
	wait := firstPause
	for attempt := 1; ; attempt++ {
		limited, stop := context.WithTimeout(ctx, batchTime)
		vectors, err := e.ask(limited, texts)
		stop()
		var status *refusal
		switch {
		case err == nil || ctx.Err() != nil:
			return vectors, errors.Join(err, ctx.Err())
		case errors.As(err, &status) && status.isAboutTexts() && len(texts) > 1:
			first, err := e.askPatiently(ctx, texts[:len(texts)/2])
			if err != nil {
				return nil, err
			}
			second, err := e.askPatiently(ctx, texts[len(texts)/2:])
			return append(first, second...), err
		case status != nil && status.isAboutTexts() && e.knownDimensions() > 0:
			return []meaning.Vector{nil}, nil
		case attempt == attempts || status != nil && !status.isPassing():
			return nil, err
		}
		if status != nil {
			wait = max(wait, min(status.after, longestPause))
		}
		e.pause(ctx, wait)
		wait = min(2*wait, longestPause)
	}
}

func (e *Endpoint) knownDimensions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.dimensions
}

// refusal is an answer of the server that has no vectors.
type refusal struct {
	status int
	after  time.Duration // when the server wants to be asked again
}

func (r *refusal) Error() string { return fmt.Sprintf("it answers with status %d", r.status) }

// isAboutTexts reports whether other texts may be taken.
func (r *refusal) isAboutTexts() bool {
	return r.status == http.StatusBadRequest || r.status == http.StatusRequestEntityTooLarge || r.status == http.StatusUnprocessableEntity
}

// isPassing reports whether the same request may succeed later.
func (r *refusal) isPassing() bool {
	return r.status == http.StatusTooManyRequests || r.status == http.StatusRequestTimeout || r.status >= 500
}

// ask sends texts and returns their vectors. Errors never quote an answer, which may repeat the texts.
func (e *Endpoint) ask(ctx context.Context, texts []string) ([]meaning.Vector, error) {
	question := map[string]any{"model": e.options.Model, "input": texts, "encoding_format": "float"}
	if e.family.dimensions > 0 {
		question["dimensions"] = e.family.dimensions
	}
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if e.options.Key != "" {
		request.Header.Set("Authorization", "Bearer "+e.options.Key)
	}
	response, err := e.http.Do(request)
	if err != nil {
		return nil, e.unusable(withoutAddress(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return nil, e.unusable(&refusal{response.StatusCode, time.Duration(max(seconds, 0)) * time.Second})
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	switch {
	case err != nil:
		return nil, e.unusable(withoutAddress(err))
	case len(data) > longestAnswer:
		return nil, e.unusable(fmt.Errorf("its answer has more than %d MB", longestAnswer>>20))
	}
	vectors, err := e.read(data, len(texts))
	if err != nil {
		return nil, e.unusable(err)
	}
	return vectors, nil
}

// withoutAddress returns the reason of a failed request without the request.
func withoutAddress(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

// unusable wraps a reason why the server did not answer with vectors.
func (e *Endpoint) unusable(err error) error {
	wrapped := fault.StoreUnavailable.Errorf("the server for search by meaning at %s cannot be used: %w", hostOf(e.address), err)
	var status *refusal
	if !errors.As(err, &status) {
		return wrapped.WithHint("start the server, or check OBSIDIAN_MCP_SEMANTIC_URL")
	}
	switch {
	case status.status == http.StatusUnauthorized || status.status == http.StatusForbidden:
		return wrapped.WithHint("check OBSIDIAN_MCP_SEMANTIC_KEY")
	case status.status == http.StatusNotFound:
		return wrapped.WithHint("check OBSIDIAN_MCP_SEMANTIC_URL, and that the server has the model '%s'", e.options.Model)
	case status.status >= 300 && status.status < 400:
		return wrapped.WithHint("it wants to send the texts elsewhere, which is not allowed; set OBSIDIAN_MCP_SEMANTIC_URL to the final address")
	}
	return wrapped
}

// hostOf is what may be shown of an address.
func hostOf(address string) string {
	if parsed, err := url.Parse(address); err == nil {
		return parsed.Host
	}
	return "?"
}

// mostDimensions is the largest number of dimensions that is taken for a model's.
const mostDimensions = 1 << 14

// read checks an answer and returns its vectors, in the order of the texts.
func (e *Endpoint) read(data []byte, count int) ([]meaning.Vector, error) {
	var answer struct {
		Data []struct {
			Index     *int           `json:"index"`
			Embedding meaning.Vector `json:"embedding"`
		} `json:"data"`
	}
	if json.Unmarshal(data, &answer) != nil {
		return nil, errors.New("its answer is not what OpenAI's interface prescribes")
	}
	if len(answer.Data) != count {
		return nil, fmt.Errorf("it answers with %d vectors for %d texts", len(answer.Data), count)
	}
	vectors := make([]meaning.Vector, count)
	for i, item := range answer.Data {
		at := i
		if item.Index != nil {
			at = *item.Index
		}
		if at < 0 || at >= count || vectors[at] != nil {
			return nil, errors.New("the vectors of its answer are not numbered from 0")
		}
		if len(item.Embedding) == 0 || len(item.Embedding) > mostDimensions {
			return nil, fmt.Errorf("it answers with a vector of %d numbers", len(item.Embedding))
		}
		if !item.Embedding.Unit() {
			return nil, errors.New("it answers with a vector that has no direction")
		}
		vectors[at] = item.Embedding
	}
	return vectors, e.sameDimensions(vectors)
}

// sameDimensions makes sure that all vectors have as many numbers as the first one ever had.
func (e *Endpoint) sameDimensions(vectors []meaning.Vector) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, v := range vectors {
		if e.dimensions == 0 {
			e.dimensions = len(v)
		}
		if len(v) != e.dimensions {
			return fmt.Errorf("it answers with vectors of %d and of %d numbers", e.dimensions, len(v))
		}
	}
	return nil
}

// Check asks the server for a vector, and returns how many numbers it has.
func (e *Endpoint) Check(ctx context.Context) (dimensions int, err error) {
	limited, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	if _, err := e.ask(limited, []string{e.family.question + "test"}); err != nil {
		return 0, err
	}
	return e.knownDimensions(), nil
}

// Host is the server's name, for people.
func (e *Endpoint) Host() string { return hostOf(e.address) }
