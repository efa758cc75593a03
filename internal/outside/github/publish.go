package github

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"obsidian-mcp/internal/fault"
)

// MaxFile is the size in bytes of the largest file that can be published: in base64 it must fit into an answer.
const MaxFile = 500_000

// File is a file to publish.
type File struct {
	Path    string // in the repository
	Slug    string // stands for the file in the name of a branch
	Content []byte
	Message string // of the commit
	Title   string // of the pull request
	About   string // the pull request's text
}

// Published is what became of a file, or would become of it.
type Published struct {
	URL       string // of the pull request or the file; "" if it would be a new one
	Branch    string // that has the file
	Base      string // the branch that the pull request is for; "" without a pull request
	File      Change
	NewBranch bool
	NewPull   bool
}

// Change is what happens to a file on its branch.
type Change string

// The changes of a file.
const (
	Unchanged Change = "unchanged"
	Created   Change = "created"
	Updated   Change = "updated"
)

// Plan says what Publish would do. It only reads.
func (c *Client) Plan(ctx context.Context, file File) (Published, error) {
	return c.publish(ctx, file, reading)
}

// Publish puts a file into the repository. A file that is there already is left alone, and an open pull request is used
// again.
func (c *Client) Publish(ctx context.Context, file File) (Published, error) {
	return c.publish(ctx, file, writing)
}

// effect says whether a call may change the repository.
type effect bool

const (
	reading effect = false
	writing effect = true
)

func (c *Client) publish(ctx context.Context, file File, may effect) (Published, error) {
	if len(file.Content) > MaxFile {
		return Published{}, fault.InvalidArgument.Errorf("the file is too large to publish: %d bytes; at most %d are possible", len(file.Content), MaxFile)
	}
	s, err := c.begin()
	if err != nil {
		return Published{}, err
	}
	about, err := s.repository(ctx)
	if err != nil {
		return Published{}, err
	}
	if err := s.mayWrite(about); err != nil {
		return Published{}, err
	}
	p := &publication{to: s, file: file, about: about, may: may}
	if c.opt.Mode == Commit {
		err = p.commit(ctx)
	} else {
		err = p.propose(ctx)
	}
	if err == nil && p.result.URL != "" {
		err = s.checkURL(p.result.URL)
	}
	if err != nil {
		return Published{}, err
	}
	return p.result, nil
}

// publication is one file on its way into the repository.
type publication struct {
	to     *session
	file   File
	about  repository
	may    effect
	wrote  bool // the file
	result Published
}

// commit puts the file on a branch that exists.
func (p *publication) commit(ctx context.Context) error {
	branch := cmp.Or(p.to.client.opt.Branch, p.about.DefaultBranch)
	if branch != p.about.DefaultBranch {
		switch head, err := p.to.head(ctx, branch); {
		case err != nil:
			return err
		case head == "":
			return fault.NotFound.Errorf("repository '%s' has no branch '%s'", p.to.client.opt.Repo, branch).WithHint("create it, or change adr.branch")
		}
	}
	p.result.Branch = branch
	existing, err := p.to.read(ctx, p.file.Path, branch)
	if err != nil {
		return err
	}
	p.result.URL, err = p.put(ctx, branch, existing)
	if p.may == writing {
		p.result.URL = cmp.Or(p.result.URL, p.about.page(branch, p.file.Path))
	}
	return err
}

// propose puts the file on a branch of its own and opens a pull request, unless the default branch has the file already.
func (p *publication) propose(ctx context.Context) error {
	base := p.about.DefaultBranch
	merged, err := p.to.read(ctx, p.file.Path, base)
	if err != nil {
		return err
	}
	if merged.equals(p.file.Content) {
		p.result = Published{URL: cmp.Or(merged.HTML, p.about.page(base, p.file.Path)), Branch: base, File: Unchanged}
		return nil
	}
	branch := strings.ReplaceAll(p.to.client.opt.Branch, "{slug}", p.file.Slug)
	if branch == base {
		return fault.InvalidArgument.Errorf("the branch for the pull request would be '%s', the default branch", base).WithHint("change adr.branch")
	}
	p.result.Branch, p.result.Base = branch, base
	existing, err := p.branchOff(ctx, merged)
	if err != nil {
		return err
	}
	if err := p.proposeOn(ctx, existing); err != nil {
		return p.undo(ctx, err)
	}
	return nil
}

// branchOff creates the branch unless it exists, and returns the file on it.
func (p *publication) branchOff(ctx context.Context, merged content) (content, error) {
	head, err := p.to.head(ctx, p.result.Branch)
	if err != nil {
		return content{}, err
	}
	if head != "" {
		return p.to.read(ctx, p.file.Path, p.result.Branch)
	}
	start, err := p.to.head(ctx, p.result.Base)
	if err != nil {
		return content{}, err
	}
	if start == "" {
		return content{}, fault.Conflict.Errorf("the default branch '%s' of repository '%s' has no commit", p.result.Base, p.to.client.opt.Repo).
			WithHint("make a first commit in it, or set adr.mode to commit")
	}
	if p.may == writing {
		err = p.to.createBranch(ctx, p.result.Branch, start)
		if says(err, http.StatusUnprocessableEntity, "already exists") {
			return p.to.read(ctx, p.file.Path, p.result.Branch) // somebody else was faster
		}
		if err != nil {
			return content{}, err
		}
	}
	p.result.NewBranch = true
	return merged, nil
}

// proposeOn puts the file on the branch and opens a pull request, unless there is one.
func (p *publication) proposeOn(ctx context.Context, existing content) error {
	_, err := p.put(ctx, p.result.Branch, existing)
	if err != nil {
		return err
	}
	if !p.result.NewBranch {
		if p.result.URL, err = p.to.openPull(ctx, p.result.Branch, p.result.Base); err != nil || p.result.URL != "" {
			return err
		}
	}
	p.result.NewPull = true
	if p.may == reading {
		return nil
	}
	p.result.URL, err = p.to.createPull(ctx, p.file, p.result.Branch, p.result.Base)
	if says(err, http.StatusUnprocessableEntity, "already exists") || says(err, http.StatusConflict, "already exists") {
		p.result.NewPull = false
		if url, listing := p.to.openPull(ctx, p.result.Branch, p.result.Base); listing == nil && url != "" {
			p.result.URL, err = url, nil
		}
	}
	if err != nil {
		return err
	}
	return p.to.checkURL(p.result.URL)
}

// maxStale is how often a file is read again because somebody else has changed it meanwhile.
const maxStale = 2

// put writes the file on a branch unless it is there already, and returns its address.
func (p *publication) put(ctx context.Context, branch string, existing content) (string, error) {
	for stale := 0; ; stale++ {
		p.result.File = Updated
		switch {
		case existing.equals(p.file.Content):
			p.result.File = Unchanged
			return existing.HTML, nil
		case existing.SHA == "":
			p.result.File = Created
		}
		if p.may == reading {
			return existing.HTML, nil
		}
		address, err := p.to.write(ctx, p.file, branch, existing.SHA)
		p.wrote = p.wrote || err == nil
		isStale := isStatus(err, http.StatusConflict) || says(err, http.StatusUnprocessableEntity, "sha")
		if !isStale || stale == maxStale {
			return address, err
		}
		if existing, err = p.to.read(ctx, p.file.Path, branch); err != nil {
			return "", err
		}
	}
}

// undoTime is how long undoing may take, even if the call has been cancelled.
const undoTime = 10 * time.Second

// undo removes the branch that this call has created, and adds to the error what is left.
func (p *publication) undo(ctx context.Context, failure error) error {
	if p.may == reading || !p.result.NewBranch && !p.wrote {
		return failure // nothing has changed
	}
	left := "the branch '" + p.result.Branch + "' has the new text; call again to continue"
	if p.result.NewBranch {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
		defer cancel()
		left = "the branch that was created for it has been deleted again"
		if err := p.to.deleteBranch(ctx, p.result.Branch); err != nil {
			left = "the branch '" + p.result.Branch + "' that was created for it could not be deleted; call again to continue, or delete it"
		}
	}
	kind := fault.KindOf(failure)
	if kind == fault.Internal {
		return fmt.Errorf("%w; %s", failure, left) // the call has ended
	}
	return kind.Errorf("%w; %s", failure, left).WithHint("%s", fault.HintOf(failure))
}

// checkURL refuses an address that is not one: it is written into the note.
func (s *session) checkURL(text string) error {
	address, err := url.Parse(text)
	isBad := strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	if err != nil || isBad || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return fault.StoreUnavailable.Errorf("the server at %s is not GitHub's API: it gives no address for what was published", s.client.host()).
			WithHint("check adr.api")
	}
	return nil
}
