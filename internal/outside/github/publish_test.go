package github_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/outside/github"
	"obsidian-mcp/internal/outside/github/githubtest"
)

// client returns a client of a server, with the right token.
func client(t *testing.T, server *githubtest.Server, change func(*github.Options)) *github.Client {
	t.Helper()
	options := github.Options{API: server.API(), Repo: githubtest.Repo, Mode: github.PullRequest, TokenFile: tokenFile(t, githubtest.Token+"\n"), Version: "1.2"}
	if change != nil {
		change(&options)
	}
	return github.New(options)
}

func tokenFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func record(text string) github.File {
	return github.File{Path: "docs/adr/ä b.md", Slug: "ä-b", Content: []byte(text), Message: "Add it", Title: "A decision", About: "why"}
}

func commit(o *github.Options) { o.Mode = github.Commit }

func TestPublishOpensAPullRequest(t *testing.T) {
	server := githubtest.New(t, map[string]string{"README.md": "hi"})
	c := client(t, server, nil)
	got, err := c.Publish(t.Context(), record("one"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (github.Published{URL: "https://github.example/octo/decisions/pull/1", Branch: "adr/ä-b", Base: "main", File: github.Created, NewBranch: true, NewPull: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if pulls := server.Pulls(); len(pulls) != 1 || pulls[0] != (githubtest.Pull{Number: 1, Title: "A decision", Head: "adr/ä-b", Base: "main", Open: true}) {
		t.Errorf("pull requests %+v", pulls)
	}
	if text := server.Files("adr/ä-b")["docs/adr/ä b.md"]; text != "one" {
		t.Errorf("the branch has %q", text)
	}
	if _, changed := server.Files("main")["docs/adr/ä b.md"]; changed {
		t.Error("the default branch has the file, too")
	}
}

// TestPublishAgain: the same text changes nothing, a new one goes into the same pull request, and after the merge there is
// nothing to do.
func TestPublishAgain(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	c := client(t, server, nil)
	publish := func(text string) github.Published {
		t.Helper()
		got, err := c.Publish(t.Context(), record(text))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	publish(strings.Repeat("long enough for several lines of base64\n", 20))
	server.Requests()
	if got := publish(strings.Repeat("long enough for several lines of base64\n", 20)); got.File != github.Unchanged || got.NewBranch || got.NewPull || !strings.HasSuffix(got.URL, "/pull/1") {
		t.Errorf("the same text: %+v", got)
	}
	if made := writes(server.Requests()); len(made) != 0 {
		t.Errorf("the same text caused %q", made)
	}
	if got := publish("two"); got.File != github.Updated || got.NewPull || !strings.HasSuffix(got.URL, "/pull/1") {
		t.Errorf("a new text: %+v", got)
	}
	server.Merge(1)
	got := publish("two")
	if want := (github.Published{URL: "https://github.example/octo/decisions/blob/main/docs/adr/%C3%A4%20b.md", Branch: "main", File: github.Unchanged}); got != want {
		t.Errorf("after the merge: %+v", got)
	}
	if got := publish("three"); got.File != github.Updated || !got.NewBranch || !strings.HasSuffix(got.URL, "/pull/2") {
		t.Errorf("a change after the merge: %+v", got)
	}
}

// writes are the requests that may change something.
func writes(requests []string) []string {
	return slices.DeleteFunc(requests, func(request string) bool { return strings.HasPrefix(request, "GET ") })
}

func TestPublishUsesABranchThatExists(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	server.Write("adr/ä-b", "other.md", "x")
	got, err := client(t, server, nil).Publish(t.Context(), record("one"))
	if err != nil || got.NewBranch || !got.NewPull || got.File != github.Created || server.Files("adr/ä-b")["other.md"] != "x" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestPublishCommits(t *testing.T) {
	for branch, on := range map[string]string{"": "main", "decisions/all": "decisions/all"} {
		server := githubtest.New(t, map[string]string{})
		server.Write("decisions/all", "x", "y")
		c := client(t, server, func(o *github.Options) { o.Mode, o.Branch = github.Commit, branch })
		got, err := c.Publish(t.Context(), record("one"))
		if want := (github.Published{URL: "https://github.example/octo/decisions/blob/" + on + "/docs/adr/%C3%A4%20b.md", Branch: on, File: github.Created}); err != nil || got != want {
			t.Errorf("branch %q: %+v, %v", branch, got, err)
		}
		if got, err := c.Publish(t.Context(), record("two")); err != nil || got.File != github.Updated || server.Files(on)["docs/adr/ä b.md"] != "two" {
			t.Errorf("branch %q, again: %+v, %v", branch, got, err)
		}
		if got, err := c.Publish(t.Context(), record("two")); err != nil || got.File != github.Unchanged {
			t.Errorf("branch %q, the same: %+v, %v", branch, got, err)
		}
		if len(server.Pulls()) != 0 {
			t.Error("a commit opened a pull request")
		}
	}
}

func TestPublishIntoAnEmptyRepository(t *testing.T) {
	server := githubtest.New(t, nil)
	if _, err := client(t, server, nil).Publish(t.Context(), record("one")); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("a pull request for an empty repository: %v", err)
	}
	if _, err := client(t, server, commit).Publish(t.Context(), record("one")); err != nil || server.Files("main")["docs/adr/ä b.md"] != "one" {
		t.Errorf("the first commit: %v", err)
	}
}

// TestPlanOnlyReads: a plan says what would happen, and asks for it with GET requests only.
func TestPlanOnlyReads(t *testing.T) {
	server := githubtest.New(t, map[string]string{"docs/adr/ä b.md": "old"})
	pr, direct := client(t, server, nil), client(t, server, commit)
	for _, test := range []struct {
		name string
		by   *github.Client
		text string
		want github.Published
	}{
		{"a new pull request", pr, "one", github.Published{Branch: "adr/ä-b", Base: "main", File: github.Updated, NewBranch: true, NewPull: true}},
		{"nothing to do", pr, "old", github.Published{URL: "https://github.example/octo/decisions/blob/main/docs/adr/%C3%A4%20b.md", Branch: "main", File: github.Unchanged}},
		{"a commit", direct, "one", github.Published{URL: "https://github.example/octo/decisions/blob/main/docs/adr/%C3%A4%20b.md", Branch: "main", File: github.Updated}},
	} {
		got, err := test.by.Plan(t.Context(), record(test.text))
		if err != nil || got != test.want {
			t.Errorf("%s: %+v, %v; want %+v", test.name, got, err, test.want)
		}
	}
	if made := writes(server.Requests()); len(made) != 0 || len(server.Branches()) != 1 {
		t.Errorf("a plan made the requests %q", made)
	}
}

func TestRequestsAreEscaped(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	if _, err := client(t, server, func(o *github.Options) { o.Branch = "a/b/{slug}" }).Publish(t.Context(), record("one")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"GET ", "GET /contents/docs/adr/%C3%A4%20b.md?ref=main", "GET /git/ref/heads/a/b/%C3%A4-b", "GET /git/ref/heads/main",
		"POST /git/refs", "PUT /contents/docs/adr/%C3%A4%20b.md", "POST /pulls",
	}
	if got := server.Requests(); !slices.Equal(got, want) {
		t.Errorf("the requests are %q, want %q", got, want)
	}
}

// TestStaleFile: somebody else writes the file between reading and writing it; it is read again.
func TestStaleFile(t *testing.T) {
	for times, works := range map[int]bool{1: true, 2: true, 3: false} {
		server := githubtest.New(t, map[string]string{"docs/adr/ä b.md": "old"})
		left := times
		server.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut && left > 0 {
				left--
				server.Write("main", "docs/adr/ä b.md", fmt.Sprint("by somebody else ", left))
			}
			return false
		}
		got, err := client(t, server, commit).Publish(t.Context(), record("one"))
		if works && (err != nil || got.File != github.Updated || server.Files("main")["docs/adr/ä b.md"] != "one") {
			t.Errorf("changed %d times: %+v, %v", times, got, err)
		}
		if !works && (!errors.Is(err, fault.Conflict) || !strings.Contains(fault.HintOf(err), "adr.mode")) {
			t.Errorf("changed %d times: %v", times, err)
		}
	}
}

// TestFileThatAppears: the file did not exist when it was looked for, and exists when it is written.
func TestFileThatAppears(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	once := true
	server.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && once {
			once = false
			server.Write("main", "docs/adr/ä b.md", "one")
		}
		return false
	}
	if got, err := client(t, server, commit).Publish(t.Context(), record("one")); err != nil || got.File != github.Unchanged {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestSomebodyElseIsFaster: the branch or the pull request appears while it is being created.
func TestSomebodyElseIsFaster(t *testing.T) {
	for _, at := range []string{"/git/refs", "/pulls"} {
		server := githubtest.New(t, map[string]string{})
		other := client(t, server, nil)
		once := true
		server.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, at) && once {
				once = false
				if _, err := other.Publish(context.Background(), record("theirs")); err != nil {
					t.Error(err)
				}
			}
			return false
		}
		got, err := client(t, server, nil).Publish(t.Context(), record("ours"))
		if err != nil || got.NewPull || !strings.HasSuffix(got.URL, "/pull/1") || len(server.Pulls()) != 1 {
			t.Errorf("%s: %+v, %v", at, got, err)
		}
	}
}

// TestNothingIsHalfDone: if the pull request cannot be opened, the branch that was created for it is deleted; one that was
// there before stays, and a second call continues.
func TestNothingIsHalfDone(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	c := client(t, server, nil)
	server.MayPull = false
	_, err := c.Publish(t.Context(), record("one"))
	if !errors.Is(err, fault.PermissionDenied) || !strings.Contains(err.Error(), "has been deleted again") || !strings.Contains(fault.HintOf(err), "adr.token_file") {
		t.Errorf("without the right to open pull requests: %v (%s)", err, fault.HintOf(err))
	}
	if got := server.Branches(); len(got) != 1 {
		t.Errorf("branches that are left: %q", got)
	}

	server.Write("adr/ä-b", "x", "y")
	_, err = c.Publish(t.Context(), record("one"))
	if !errors.Is(err, fault.PermissionDenied) || !strings.Contains(err.Error(), "the branch 'adr/ä-b' has the new text; call again to continue") {
		t.Errorf("on a branch that existed: %v", err)
	}
	_, err = c.Publish(t.Context(), record("one"))
	if err == nil || strings.Contains(err.Error(), "new text") {
		t.Errorf("a call that changed nothing: %v", err)
	}
	server.MayPull = true
	if got, err := c.Publish(t.Context(), record("one")); err != nil || got.File != github.Unchanged || !got.NewPull {
		t.Errorf("the call that continues: %+v, %v", got, err)
	}
}

func TestBranchThatCannotBeDeleted(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	server.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodDelete || strings.HasSuffix(r.URL.Path, "/pulls") {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
		return false
	}
	_, err := client(t, server, nil).Publish(t.Context(), record("one"))
	if !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(err.Error(), "the branch 'adr/ä-b' that was created for it could not be deleted") {
		t.Errorf("got %v", err)
	}
}

// TestCancelledCallIsUndone: a call that ends between the branch and the pull request leaves no branch.
func TestCancelledCallIsUndone(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	ctx, cancel := context.WithCancel(t.Context())
	server.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			_, _ = io.Copy(io.Discard, r.Body) // the server notices that the client has gone only after that
			cancel()
			<-r.Context().Done()
			return true
		}
		return false
	}
	_, err := client(t, server, nil).Publish(ctx, record("one"))
	if !errors.Is(err, context.Canceled) || len(server.Branches()) != 1 {
		t.Errorf("got %v, and the branches %q", err, server.Branches())
	}
}

func TestTokenWithoutRights(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	server.MayPush = false
	for _, change := range []func(*github.Options){nil, commit} {
		_, err := client(t, server, change).Publish(t.Context(), record("one"))
		if !errors.Is(err, fault.PermissionDenied) || !strings.Contains(err.Error(), "may not") || !strings.Contains(fault.HintOf(err), "adr.token_file") {
			t.Errorf("got %v (%s)", err, fault.HintOf(err))
		}
	}
	server.MayPush, server.Archived = true, true
	if _, err := client(t, server, nil).Plan(t.Context(), record("one")); !errors.Is(err, fault.PermissionDenied) || !strings.Contains(err.Error(), "archived") {
		t.Errorf("an archived repository: %v", err)
	}
}

func TestFolderInTheWay(t *testing.T) {
	server := githubtest.New(t, map[string]string{"docs/adr/ä b.md/x": "y"})
	if _, err := client(t, server, nil).Publish(t.Context(), record("one")); !errors.Is(err, fault.AlreadyExists) || !strings.Contains(fault.HintOf(err), "adr.path") {
		t.Errorf("got %v", err)
	}
}

func TestMissingBranch(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	_, err := client(t, server, func(o *github.Options) { o.Mode, o.Branch = github.Commit, "nope" }).Publish(t.Context(), record("one"))
	if !errors.Is(err, fault.NotFound) || !strings.Contains(fault.HintOf(err), "adr.branch") {
		t.Errorf("got %v (%s)", err, fault.HintOf(err))
	}
}

func TestLargeFilesAreRefused(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	if _, err := client(t, server, nil).Publish(t.Context(), record(strings.Repeat("x", github.MaxFile+1))); !errors.Is(err, fault.InvalidArgument) || len(server.Requests()) != 0 {
		t.Errorf("got %v", err)
	}
	if _, err := client(t, server, commit).Publish(t.Context(), record(strings.Repeat("x", github.MaxFile))); err != nil {
		t.Error(err)
	}
	if got, err := client(t, server, commit).Publish(t.Context(), record(strings.Repeat("x", github.MaxFile))); err != nil || got.File != github.Unchanged {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestHangingHost(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	server.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	}
	_, err := client(t, server, func(o *github.Options) { o.Timeout = 20 * time.Millisecond }).Publish(t.Context(), record("one"))
	if !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(err.Error(), "did not answer within 20ms") {
		t.Errorf("got %v", err)
	}
}
