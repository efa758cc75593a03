package ops

import (
	"context"
	"fmt"
	"path"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/publish"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/outside/github"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// PublishADR are the parameters of publish_adr.
type PublishADR struct {
	Name         string `json:"name" jsonschema:"name or path"`
	DryRun       bool   `json:"dry_run" jsonschema:"only say what would happen" default:"false"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// PublishedADR is the result of publish_adr.
type PublishedADR struct {
	tool.Meta `json:"-"`
	URL       string `json:"url"`
	Branch    string `json:"branch"`
	DryRun    bool   `json:"dry_run"`
}

var publishADR = tool.New(tool.Spec{
	Name: "publish_adr", Toolset: "agent", Title: "Publish a decision record", Effect: tool.Adds, Idempotent: true, Needs: tool.NeedsADR,
	About: "Publishes an architecture decision record (ADR) with status accepted in the configured GitHub repository, by pull request or " +
		"commit, and sets the note's property github to its URL. Use note_upsert to write one.",
}, (*Ops).PublishADR)

// Decisions says which notes are decision records, and where they are published.
type Decisions struct {
	Folder vpath.Path // of the vault; "" for all of it
	Path   string     // the folder in the repository; "" for its root
	Host   *github.Client
}

// statusKey is the property that says whether a decision is accepted, and accepted is the value for that.
const (
	statusKey = "status"
	accepted  = "accepted"
)

// PublishADR publishes a decision record.
func (o *Ops) PublishADR(ctx context.Context, in PublishADR) (PublishedADR, error) {
	s, path, err := o.findNote(ctx, in.Name)
	if err != nil {
		return PublishedADR{}, err
	}
	file, left, err := o.decisionFile(ctx, s, path, in)
	if err != nil {
		return PublishedADR{}, err
	}
	send := o.decisions.Host.Publish
	if in.DryRun {
		send = o.decisions.Host.Plan
	}
	published, err := send(ctx, file)
	if err != nil {
		return PublishedADR{}, err
	}
	result := PublishedADR{URL: published.URL, Branch: published.Branch, DryRun: in.DryRun}
	if in.DryRun {
		tool.AddHint(ctx, tool.HintSuggest, "%s", plannedChange(file.Path, published))
	} else {
		result.Meta = o.noteURL(ctx, path, published.URL)
	}
	if lacks := leftOut(left); lacks != "" {
		tool.AddHint(ctx, tool.HintSuggest, "%s", lacks)
	}
	return result, nil
}

// decisionFile returns the file for an accepted decision record, and what is missing from it.
func (o *Ops) decisionFile(ctx context.Context, s *index.Snapshot, note vpath.Path, in PublishADR) (github.File, publish.Result, error) {
	var left publish.Result
	if _, inside := note.Below(o.decisions.Folder); !inside {
		return github.File{}, left, fault.InvalidArgument.Errorf("'%s' is not in '%s', the folder of decision records", in.Name, o.decisions.Folder).
			WithHint("move it there, or change adr.folder in the config file")
	}
	read, err := o.readText(ctx, in.Name, note, vault.MaxNote)
	if err != nil {
		return github.File{}, left, err
	}
	if err := vault.CheckResolved(read.Info); err != nil {
		return github.File{}, left, err
	}
	if err := vault.Expect(note, read.Data, in.ExpectedHash); err != nil {
		return github.File{}, left, err
	}
	if err := checkAccepted(in.Name, read.Data); err != nil {
		return github.File{}, left, err
	}
	name, err := o.uniqueFile(s, note)
	if err != nil {
		return github.File{}, left, err
	}
	left, err = publish.Convert(o.decisionLinks(ctx, s, note), read.Data)
	if err != nil {
		return github.File{}, left, err
	}
	if len(left.Text) > github.MaxFile {
		return github.File{}, left, fault.InvalidArgument.Errorf("'%s' is too large to publish: %d bytes; at most %d are possible", in.Name, len(left.Text), github.MaxFile)
	}
	return github.File{
		Path: path.Join(o.decisions.Path, name), Slug: publish.Slug(name), Content: left.Text,
		Message: "Record decision: " + note.Name(), Title: note.Name(), About: "This decision was recorded in an Obsidian vault and published with obsidian-mcp.",
	}, left, nil
}

// checkAccepted refuses a note that is not an accepted decision.
func checkAccepted(name string, text []byte) error {
	properties, err := edit.Properties(md.Scan(text))
	if err != nil {
		return err
	}
	status, has := properties.Get(statusKey)
	value := strings.TrimSpace(status.Text)
	switch {
	case !has || value == "":
		err = fault.InvalidArgument.Errorf("'%s' has no status; only accepted decision records are published", name).
			WithHint("set its property status to accepted once the user has decided")
	case !strings.EqualFold(value, accepted):
		err = fault.InvalidArgument.Errorf("'%s' has the status '%s'; only accepted decision records are published", name, value).
			WithHint("set its property status to accepted once the user has decided")
	}
	return err
}

// isDecision reports whether the repository has, or may have, a file for a note. If no folder is configured, the properties
// tell which notes are decisions.
func (o *Ops) isDecision(s *index.Snapshot, note vpath.Path) bool {
	if _, inside := note.Below(o.decisions.Folder); !inside || !note.IsNote() {
		return false
	}
	entry := s.Entry(note)
	if o.decisions.Folder != "" || entry == nil {
		return entry != nil
	}
	for _, property := range front.Fields(md.Scan([]byte(entry.Front))) {
		if property.Key == publish.URLProperty || property.Key == statusKey && strings.EqualFold(strings.TrimSpace(property.Value.Text), accepted) {
			return true
		}
	}
	return false
}

// fileOf returns the file of a note in the folder of the repository.
func (o *Ops) fileOf(note vpath.Path) (string, error) {
	below, _ := note.Below(o.decisions.Folder)
	return publish.FileName(below)
}

// uniqueFile returns the file of a note, unless another decision record has the same.
func (o *Ops) uniqueFile(s *index.Snapshot, note vpath.Path) (string, error) {
	name, err := o.fileOf(note)
	if err != nil {
		return "", err
	}
	for other := range s.Files {
		if _, inside := other.Below(o.decisions.Folder); !inside || other == note || !other.IsNote() {
			continue
		}
		if theirs, err := o.fileOf(other); err == nil && theirs == name && o.isDecision(s, other) {
			return "", fault.AlreadyExists.Errorf("'%s' and '%s' would both be the file '%s' in the repository", note, other, path.Join(o.decisions.Path, name)).
				WithHint("rename one of the notes")
		}
	}
	return name, nil
}

// decisionLinks says where the links of a note lead.
func (o *Ops) decisionLinks(ctx context.Context, s *index.Snapshot, note vpath.Path) publish.Source {
	resolver := s.Paths.From(note)
	return publish.Source{
		Path: note, Resolve: resolver.Resolve,
		File: func(to vpath.Path) (string, bool) {
			if to != note && !o.isDecision(s, to) {
				return "", false
			}
			name, err := o.fileOf(to)
			return name, err == nil
		},
		Read: func(to vpath.Path) (*md.Note, bool) {
			file, err := o.vault.Read(ctx, to, vault.MaxNote)
			return md.Scan(file.Data), err == nil
		},
	}
}

// noteURL writes the address into the note. The decision is published even if that fails.
func (o *Ops) noteURL(ctx context.Context, note vpath.Path, url string) tool.Meta {
	_, edited, err := o.edit(ctx, string(note), "", func(_ *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		return edit.SetProperty(note, publish.URLProperty, front.TextValue(url))
	})
	if err != nil {
		why := err.Error()
		if fault.KindOf(err) == fault.Internal {
			why = fault.SeeLog
		}
		tool.AddHint(ctx, tool.HintCut, "It is published, but the note's property %s could not be set: %s", publish.URLProperty, why)
		return nil
	}
	return changed(edited)
}

// plannedChange says what publishing would do.
func plannedChange(file string, plan github.Published) string {
	verb := map[github.Change]string{github.Created: "create", github.Updated: "update"}[plan.File]
	where := fmt.Sprintf("branch '%s'", plan.Branch)
	if plan.NewBranch {
		where = "new " + where
	}
	switch {
	case plan.File == github.Unchanged && !plan.NewPull:
		return fmt.Sprintf("'%s' is already up to date on the %s.", file, where)
	case plan.File == github.Unchanged:
		return fmt.Sprintf("'%s' is already up to date on the %s; this would open a pull request to '%s'.", file, where, plan.Base)
	case plan.NewPull:
		return fmt.Sprintf("This would %s '%s' on the %s and open a pull request to '%s'.", verb, file, where, plan.Base)
	case plan.Base != "":
		return fmt.Sprintf("This would %s '%s' on the %s, in the open pull request.", verb, file, where)
	}
	return fmt.Sprintf("This would %s '%s' on the %s.", verb, file, where)
}

// leftOut says what is missing from the published file.
func leftOut(left publish.Result) string {
	var parts []string
	for _, part := range []struct {
		count     int
		one, many string
	}{
		{left.Links, "1 link to something else in the vault is plain text", "%d links to other things in the vault are plain text"},
		{left.Embeds, "1 embed is only named", "%d embeds are only named"},
		{left.Comments, "1 comment is left out", "%d comments are left out"},
	} {
		switch part.count {
		case 0:
		case 1:
			parts = append(parts, part.one)
		default:
			parts = append(parts, fmt.Sprintf(part.many, part.count))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "In the published text, " + strings.Join(parts, ", ") + "."
}
