// Package githubtest is a stand-in for a Git host: a server that behaves as the documented endpoints of GitHub's REST API
// do, with one repository in memory. It is for tests.
package githubtest

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Repo is the name of the repository.
const Repo = "octo/decisions"

// Token is the token that the server accepts.
const Token = "github_pat_0123456789abcdefABCDEF"

// Server is a Git host with one repository. Its fields may be changed between calls.
type Server struct {
	// Before may answer a request in place of the server; false means that it has not.
	Before func(w http.ResponseWriter, r *http.Request) bool

	MayPush  bool // the token may write contents
	MayPull  bool // the token may open pull requests
	Archived bool

	http *httptest.Server

	mu       sync.Mutex // guards the fields below
	branches map[string]map[string]string
	commits  map[string]string // of the branches
	all      int               // commits so far
	pulls    []Pull
	requests []string
}

// Pull is a pull request.
type Pull struct {
	Number            int
	Title, Head, Base string
	Open              bool
}

// New starts a server whose repository has the branch main with the given files. It ends with the test.
func New(t testing.TB, files map[string]string) *Server {
	s := &Server{MayPush: true, MayPull: true, branches: map[string]map[string]string{}, commits: map[string]string{}}
	if files != nil {
		s.branches["main"] = maps.Clone(files)
		s.commit("main")
	}
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request){
		"GET /api/v3/repos/octo/decisions":                               s.repository,
		"GET /api/v3/repos/octo/decisions/git/ref/heads/{branch...}":     s.ref,
		"POST /api/v3/repos/octo/decisions/git/refs":                     s.createRef,
		"DELETE /api/v3/repos/octo/decisions/git/refs/heads/{branch...}": s.deleteRef,
		"GET /api/v3/repos/octo/decisions/contents/{path...}":            s.contents,
		"PUT /api/v3/repos/octo/decisions/contents/{path...}":            s.putContents,
		"GET /api/v3/repos/octo/decisions/pulls":                         s.listPulls,
		"POST /api/v3/repos/octo/decisions/pulls":                        s.createPull,
		"/": func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "Not Found") },
	} {
		mux.HandleFunc(pattern, handle)
	}
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+strings.TrimPrefix(r.URL.RequestURI(), "/api/v3/repos/octo/decisions"))
		s.mu.Unlock()
		if s.Before != nil && s.Before(w, r) {
			return
		}
		if r.Header.Get("Authorization") != "Bearer "+Token {
			refuse(w, http.StatusUnauthorized, "Bad credentials")
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.http.Close)
	return s
}

// API is the base address of the API.
func (s *Server) API() string { return s.http.URL + "/api/v3" }

// Requests returns the requests since the last time it was asked, as method and address below the repository.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.requests
	s.requests = nil
	return made
}

// Files returns the files of a branch, or nil if the branch does not exist.
func (s *Server) Files(branch string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.branches[branch])
}

// Branches returns the names of the branches, sorted.
func (s *Server) Branches() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.branches))
}

// Pulls returns all pull requests.
func (s *Server) Pulls() []Pull {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pulls)
}

// Write writes a file on a branch, which it creates if necessary, as somebody else would.
func (s *Server) Write(branch, path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.branches[branch] == nil {
		s.branches[branch] = maps.Clone(s.branches["main"])
	}
	s.branches[branch][path] = text
	s.commit(branch)
}

// Merge merges a pull request and deletes its branch.
func (s *Server) Merge(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	merged := &s.pulls[number-1]
	maps.Copy(s.branches[merged.Base], s.branches[merged.Head])
	s.commit(merged.Base)
	merged.Open = false
	delete(s.branches, merged.Head)
}

func (s *Server) commit(branch string) {
	s.all++
	s.commits[branch] = fmt.Sprintf("%040x", s.all)
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, status int, message string, details ...string) {
	errors := []map[string]string{}
	for _, detail := range details {
		errors = append(errors, map[string]string{"resource": "PullRequest", "code": "custom", "message": detail})
	}
	answer(w, status, map[string]any{"message": message, "errors": errors, "documentation_url": "https://docs.github.com/rest", "status": fmt.Sprint(status)})
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client has gone
}

const noRights = "Resource not accessible by personal access token"

func (s *Server) repository(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"full_name": Repo, "default_branch": "main", "html_url": s.page(""), "archived": s.Archived, "permissions": map[string]bool{"pull": true, "push": true},
	})
}

// page is the address of something for people.
func (s *Server) page(path string) string {
	address := url.URL{Scheme: "https", Host: "github.example", Path: strings.TrimSuffix("/"+Repo+"/"+path, "/")}
	return address.String()
}

func (s *Server) ref(w http.ResponseWriter, r *http.Request) {
	branch := r.PathValue("branch")
	switch {
	case len(s.branches) == 0:
		refuse(w, http.StatusConflict, "Git Repository is empty.")
	case s.branches[branch] == nil:
		refuse(w, http.StatusNotFound, "Not Found")
	default:
		answer(w, http.StatusOK, map[string]any{"ref": "refs/heads/" + branch, "object": map[string]string{"type": "commit", "sha": s.commits[branch]}})
	}
}

func (s *Server) createRef(w http.ResponseWriter, r *http.Request) {
	var in struct{ Ref, SHA string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	branch, isBranch := strings.CutPrefix(in.Ref, "refs/heads/")
	from := ""
	for name, commit := range s.commits {
		if commit == in.SHA && s.branches[name] != nil {
			from = name
		}
	}
	switch {
	case !s.MayPush:
		refuse(w, http.StatusForbidden, noRights)
	case !isBranch || strings.Contains(branch, "..") || strings.Contains(branch, " "):
		refuse(w, http.StatusUnprocessableEntity, in.Ref+" is not a valid ref name.")
	case s.branches[branch] != nil:
		refuse(w, http.StatusUnprocessableEntity, "Reference already exists")
	case from == "":
		refuse(w, http.StatusUnprocessableEntity, "Object does not exist")
	default:
		s.branches[branch], s.commits[branch] = maps.Clone(s.branches[from]), in.SHA
		answer(w, http.StatusCreated, map[string]any{"ref": in.Ref, "object": map[string]string{"sha": in.SHA}})
	}
}

func (s *Server) deleteRef(w http.ResponseWriter, r *http.Request) {
	branch := r.PathValue("branch")
	switch {
	case !s.MayPush:
		refuse(w, http.StatusForbidden, noRights)
	case s.branches[branch] == nil:
		refuse(w, http.StatusUnprocessableEntity, "Reference does not exist")
	default:
		delete(s.branches, branch)
		for i := range s.pulls {
			s.pulls[i].Open = s.pulls[i].Open && s.pulls[i].Head != branch
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// blob is the id that Git gives a text.
func blob(text string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	return hex.EncodeToString(sum[:])
}

func (s *Server) contents(w http.ResponseWriter, r *http.Request) {
	path, branch := r.PathValue("path"), r.URL.Query().Get("ref")
	if branch == "" {
		branch = "main"
	}
	files := s.branches[branch]
	text, exists := files[path]
	below := []map[string]string{}
	for name := range files {
		if strings.HasPrefix(name, path+"/") {
			below = append(below, map[string]string{"type": "file", "path": name})
		}
	}
	switch {
	case files == nil:
		refuse(w, http.StatusNotFound, "No commit found for the ref "+branch)
	case len(below) > 0:
		answer(w, http.StatusOK, below)
	case !exists:
		refuse(w, http.StatusNotFound, "Not Found")
	default:
		found := s.file(branch, path, text)
		found["encoding"], found["content"] = "base64", wrapped(base64.StdEncoding.EncodeToString([]byte(text)))
		answer(w, http.StatusOK, found)
	}
}

func (s *Server) file(branch, path, text string) map[string]any {
	return map[string]any{"type": "file", "path": path, "sha": blob(text), "size": len(text), "html_url": s.page("blob/" + branch + "/" + path)}
}

// wrapped breaks base64 into lines, as GitHub does.
func wrapped(text string) string {
	var lines strings.Builder
	for len(text) > 60 {
		lines.WriteString(text[:60] + "\n")
		text = text[60:]
	}
	return lines.String() + text + "\n"
}

func (s *Server) putContents(w http.ResponseWriter, r *http.Request) {
	var in struct{ Message, Content, Branch, SHA string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	path := r.PathValue("path")
	if len(s.branches) == 0 && in.Branch == "main" {
		s.branches["main"] = map[string]string{} // the first commit
	}
	files := s.branches[in.Branch]
	old, exists := files[path]
	text, err := base64.StdEncoding.DecodeString(in.Content)
	switch {
	case !s.MayPush:
		refuse(w, http.StatusForbidden, noRights)
	case files == nil:
		refuse(w, http.StatusNotFound, "Branch "+in.Branch+" not found")
	case err != nil || in.Message == "":
		refuse(w, http.StatusUnprocessableEntity, "Invalid request.")
	case exists && in.SHA == "":
		refuse(w, http.StatusUnprocessableEntity, "Invalid request.\n\n\"sha\" wasn't supplied.")
	case exists && in.SHA != blob(old), !exists && in.SHA != "":
		refuse(w, http.StatusConflict, path+" does not match "+in.SHA)
	default:
		files[path] = string(text)
		s.commit(in.Branch)
		status := http.StatusOK
		if !exists {
			status = http.StatusCreated
		}
		answer(w, status, map[string]any{"content": s.file(in.Branch, path, string(text)), "commit": map[string]string{"sha": s.commits[in.Branch]}})
	}
}

func (s *Server) pull(p Pull) map[string]any {
	return map[string]any{
		"number": p.Number, "title": p.Title, "html_url": s.page(fmt.Sprintf("pull/%d", p.Number)),
		"head": map[string]string{"ref": p.Head}, "base": map[string]string{"ref": p.Base},
	}
}

func (s *Server) listPulls(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	found := []map[string]any{}
	for _, p := range s.pulls {
		if p.Open && "octo:"+p.Head == query.Get("head") && p.Base == query.Get("base") {
			found = append(found, s.pull(p))
		}
	}
	answer(w, http.StatusOK, found)
}

func (s *Server) createPull(w http.ResponseWriter, r *http.Request) {
	var in struct{ Title, Head, Base string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	exists := slices.ContainsFunc(s.pulls, func(p Pull) bool { return p.Open && p.Head == in.Head && p.Base == in.Base })
	switch {
	case !s.MayPull:
		refuse(w, http.StatusForbidden, noRights)
	case exists:
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed", "A pull request already exists for octo:"+in.Head+".")
	case s.branches[in.Head] == nil || s.branches[in.Base] == nil || in.Title == "":
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed", "head is invalid")
	case maps.Equal(s.branches[in.Head], s.branches[in.Base]):
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed", "No commits between "+in.Base+" and "+in.Head)
	default:
		created := Pull{len(s.pulls) + 1, in.Title, in.Head, in.Base, true}
		s.pulls = append(s.pulls, created)
		answer(w, http.StatusCreated, s.pull(created))
	}
}
