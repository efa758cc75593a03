package github

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"obsidian-mcp/internal/fault"
)

// repository is what the host says about the repository.
type repository struct {
	DefaultBranch string `json:"default_branch"`
	HTML          string `json:"html_url"`
	Archived      bool   `json:"archived"`
	Permissions   *struct {
		Push bool `json:"push"`
	} `json:"permissions"`
}

func (s *session) repository(ctx context.Context) (repository, error) {
	var answer repository
	if err := s.do(ctx, request{method: http.MethodGet, to: "read the repository"}, &answer); err != nil {
		return answer, err
	}
	if answer.DefaultBranch == "" {
		return answer, fault.StoreUnavailable.Errorf("the server at %s is not GitHub's API: it names no default branch", s.client.host()).
			WithHint("check adr.api")
	}
	return answer, nil
}

// mayWrite says why the repository cannot be written, as far as that shows without writing.
func (s *session) mayWrite(about repository) error {
	switch {
	case about.Archived:
		return fault.PermissionDenied.Errorf("repository '%s' is archived", s.client.opt.Repo).WithHint("set adr.repo to another one, or unarchive it")
	case about.Permissions != nil && !about.Permissions.Push:
		return s.forbidden("write", "")
	}
	return nil
}

// head returns the commit of a branch, or "" if the branch does not exist.
func (s *session) head(ctx context.Context, branch string) (string, error) {
	var answer struct {
		Ref    string
		Object struct{ SHA string }
	}
	err := s.do(ctx, request{method: http.MethodGet, path: branchPath("ref", branch), to: "read the branch '" + branch + "'"}, &answer)
	if isStatus(err, http.StatusNotFound) || err == nil && answer.Ref != "refs/heads/"+branch {
		return "", nil
	}
	if says(err, http.StatusConflict, "empty") {
		return "", fault.Conflict.Errorf("repository '%s' is empty", s.client.opt.Repo).WithHint("make a first commit in it, or set adr.mode to commit")
	}
	return answer.Object.SHA, err
}

// branchPath returns the segments of a branch's reference.
func branchPath(kind, branch string) []string {
	return append([]string{"git", kind, "heads"}, strings.Split(branch, "/")...)
}

func (s *session) createBranch(ctx context.Context, branch, commit string) error {
	body := map[string]string{"ref": "refs/heads/" + branch, "sha": commit}
	return s.do(ctx, request{method: http.MethodPost, path: []string{"git", "refs"}, body: body, to: "create the branch '" + branch + "'"}, nil)
}

func (s *session) deleteBranch(ctx context.Context, branch string) error {
	return s.do(ctx, request{method: http.MethodDelete, path: branchPath("refs", branch), to: "delete the branch '" + branch + "'"}, nil)
}

// page returns the address of a file on a branch, where the host has not given one.
func (r repository) page(branch, file string) string {
	return strings.TrimSuffix(r.HTML, "/") + (&url.URL{Path: "/blob/" + branch + "/" + file}).EscapedPath()
}

// content is a file in the repository; the zero value is a file that does not exist.
type content struct {
	Type     string `json:"type"`
	SHA      string `json:"sha"`
	HTML     string `json:"html_url"`
	Encoding string `json:"encoding"`
	Content  string `json:"content"`
}

// equals reports whether a file has a text.
func (c content) equals(text []byte) bool {
	has, err := base64.StdEncoding.DecodeString(c.Content)
	return c.SHA != "" && c.Encoding == "base64" && err == nil && bytes.Equal(has, text)
}

func contentsPath(file string) []string {
	return append([]string{"contents"}, strings.Split(file, "/")...)
}

// read returns a file on a branch.
func (s *session) read(ctx context.Context, file, branch string) (content, error) {
	var raw json.RawMessage
	err := s.do(ctx, request{method: http.MethodGet, path: contentsPath(file), query: url.Values{"ref": {branch}}, to: "read '" + file + "'"}, &raw)
	if isStatus(err, http.StatusNotFound) {
		return content{}, nil
	}
	if err != nil {
		return content{}, err
	}
	var found content
	if err := json.Unmarshal(raw, &found); err != nil || found.Type != "file" {
		return content{}, fault.AlreadyExists.Errorf("'%s' is not a file in repository '%s'", file, s.client.opt.Repo).
			WithHint("set adr.path to another folder, or rename the note")
	}
	return found, nil
}

// write creates a file on a branch, or replaces the one with a sha. It returns the file's address.
func (s *session) write(ctx context.Context, file File, branch, sha string) (string, error) {
	body := map[string]string{"message": file.Message, "content": base64.StdEncoding.EncodeToString(file.Content), "branch": branch}
	if sha != "" {
		body["sha"] = sha
	}
	var answer struct{ Content content }
	err := s.do(ctx, request{method: http.MethodPut, path: contentsPath(file.Path), body: body, to: "write '" + file.Path + "'"}, &answer)
	return answer.Content.HTML, err
}

// pull is a pull request.
type pull struct {
	HTML string `json:"html_url"`
	Head struct{ Ref string }
	Base struct{ Ref string }
}

// openPull returns the address of the open pull request from one branch to another, or "" if none is open.
func (s *session) openPull(ctx context.Context, branch, base string) (string, error) {
	var pulls []pull
	query := url.Values{"state": {"open"}, "head": {s.client.owner() + ":" + branch}, "base": {base}}
	if err := s.do(ctx, request{method: http.MethodGet, path: []string{"pulls"}, query: query, to: "list pull requests"}, &pulls); err != nil {
		return "", err
	}
	for _, found := range pulls { // not every host knows how to filter
		if found.Head.Ref == branch && found.Base.Ref == base {
			return found.HTML, nil
		}
	}
	return "", nil
}

func (s *session) createPull(ctx context.Context, file File, branch, base string) (string, error) {
	var created pull
	body := map[string]string{"title": file.Title, "body": file.About, "head": branch, "base": base}
	err := s.do(ctx, request{method: http.MethodPost, path: []string{"pulls"}, body: body, to: "open a pull request"}, &created)
	return created.HTML, err
}
