package ops

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/media/kind"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// WriteFile are the parameters of write_file.
type WriteFile struct {
	Name         string `json:"name" jsonschema:"file name with its extension, or path from the vault's root"`
	Data         string `json:"data" jsonschema:"content in base64" default:""`
	Text         string `json:"text" jsonschema:"content of a text file, instead of data" default:""`
	Note         string `json:"note" jsonschema:"note that the file is for" default:""`
	Overwrite    bool   `json:"overwrite" jsonschema:"replace an existing file" default:"false"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// WrittenFile is the result of write_file.
type WrittenFile struct {
	tool.Meta `json:"-"`
	Path      string `json:"path"`
	Embed     string `json:"embed"`
}

var writeFile = tool.New(tool.Spec{
	Name: "write_file", Toolset: "files", Title: "Save a file", Effect: tool.Destroys,
	About: "Saves an attachment in the vault's attachment folder, such as an image, a PDF or a .base file, and returns its embed. Use create_note for notes, edit_canvas for canvases.",
}, (*Ops).WriteFile)

// WriteFile saves a file that is neither a note nor a canvas.
func (o *Ops) WriteFile(ctx context.Context, in WriteFile) (WrittenFile, error) {
	data, err := o.contentOf(in)
	if err != nil {
		return WrittenFile{}, err
	}
	for attempt := 1; ; attempt++ {
		written, err := retryConflicts(ctx, in.ExpectedHash, func() (WrittenFile, error) { return o.writeFileOnce(ctx, in, data) })
		if !errors.Is(err, fault.AlreadyExists) || attempt == maxAttempts {
			return written, err
		} // somebody else has just taken the name
	}
}

// contentOf returns the bytes to write, if they are what the file's name says.
func (o *Ops) contentOf(in WriteFile) ([]byte, error) {
	path := vpath.Path(in.Name)
	switch {
	case in.Data != "" && in.Text != "":
		return nil, fault.InvalidArgument.Errorf("give either data or text, not both")
	case path.IsNote():
		return nil, fault.InvalidArgument.Errorf("'%s' is a note", in.Name).WithHint("use create_note or update_note")
	case path.IsCanvas():
		return nil, fault.InvalidArgument.Errorf("'%s' is a canvas", in.Name).WithHint("use edit_canvas, which also creates one")
	case path.Ext() == "":
		return nil, fault.InvalidArgument.Errorf("'%s' has no extension", in.Name).WithHint("name the file with its type, such as plan.png")
	}
	data := []byte(in.Text)
	if in.Data != "" {
		var err error
		if data, err = decodeBase64(in.Data); err != nil {
			return nil, err
		}
	}
	if len(data) > o.maxUpload {
		return nil, fault.InvalidArgument.Errorf("'%s' has %d bytes; files over %d bytes are not written", in.Name, len(data), o.maxUpload).
			WithHint("the command line writes files up to %d MB: obsidian-mcp call write_file --data-file PATH", MaxUpload>>20)
	}
	if err := kind.Check(in.Name, data); err != nil {
		return nil, err
	}
	if kind.Of(path) == kind.Base {
		if err := front.CheckMap(data); err != nil {
			return nil, fault.InvalidArgument.Errorf("'%s' is not a valid base: %w", in.Name, err)
		}
	}
	return data, nil
}

// MaxUpload is the size in bytes of the largest file that is written: the history keeps no larger ones, so their
// replacement could not be undone.
const MaxUpload = 16 << 20

// decodeBase64 decodes base64 in the forms that clients send: with or without padding, line breaks, the head of a data URL.
func decodeBase64(text string) ([]byte, error) {
	if head, content, ok := strings.Cut(text, ","); ok && strings.HasPrefix(head, "data:") && strings.HasSuffix(head, ";base64") {
		text = content
	}
	text = strings.TrimRight(strings.NewReplacer("\n", "", "\r", "", " ", "", "-", "+", "_", "/").Replace(text), "=")
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, fault.InvalidArgument.Errorf("data is not base64: %w", err)
	}
	return data, nil
}

func (o *Ops) writeFileOnce(ctx context.Context, in WriteFile, data []byte) (WrittenFile, error) {
	s, from, err := o.placeFor(ctx, in.Note)
	if err != nil {
		return WrittenFile{}, err
	}
	path, err := o.attachmentPath(ctx, s, in.Name, from)
	if err != nil {
		return WrittenFile{}, err
	}
	change := store.Change{Path: path, Data: data}
	switch existing, exists := s.Paths.Find(path); {
	case exists && in.Overwrite:
		old, err := o.vault.Read(ctx, existing, MaxUpload)
		if err == nil {
			err = errors.Join(vault.Expect(existing, old.Data, in.ExpectedHash), vault.CheckResolved(old.Info))
		}
		if err != nil {
			return WrittenFile{}, err
		}
		change.Path, change.Base, change.Was = existing, old.Rev, old.Data
	case in.ExpectedHash != "":
		return WrittenFile{}, vault.ExpectAbsent(path, in.ExpectedHash)
	case !in.Overwrite:
		if change.Path, err = o.freePath(ctx, s, path); err != nil {
			return WrittenFile{}, err
		}
	}
	if change.Base == store.Absent || !bytes.Equal(change.Was, data) {
		if _, err := o.vault.Commit(ctx, []store.Change{change}); err != nil {
			return WrittenFile{}, err
		}
	}
	embed, err := o.embedOf(ctx, change.Path, from)
	return WrittenFile{tool.Meta{"hash": store.Hash(data)}, string(change.Path), embed}, err
}

// placeFor returns the note that a file is for, as a place to which its folder and the link may be relative; "" if
// none is given.
func (o *Ops) placeFor(ctx context.Context, note string) (*index.Snapshot, vpath.Path, error) {
	if note == "" {
		s, err := o.vault.Texts(ctx)
		return s, "", err
	}
	return o.find(ctx, note)
}

// attachmentPath returns where a file goes: a bare name into the folder for attachments.
func (o *Ops) attachmentPath(ctx context.Context, s *index.Snapshot, name string, from vpath.Path) (vpath.Path, error) {
	path, err := vpath.Parse(name)
	if err != nil {
		return "", err
	}
	if path.Dir() == "" {
		path = o.vault.AttachmentFolder(ctx, from).Join(path)
	}
	if !o.vault.MayWrite(path) {
		return "", o.vault.Closed(name)
	}
	return portablePath(s, path)
}

// maxNumber bounds how many names are tried for a file.
const maxNumber = 1000

// freePath numbers a path until no file has it, as Obsidian does: "plan.png", "plan 1.png", "plan 2.png".
func (o *Ops) freePath(ctx context.Context, s *index.Snapshot, path vpath.Path) (vpath.Path, error) {
	stem := strings.TrimSuffix(string(path), path.Base()[len(path.Base())-len(path.Ext()):])
	ext := string(path[len(stem):])
	for number := range maxNumber {
		free := path
		if number > 0 {
			free = vpath.Path(fmt.Sprintf("%s %d%s", stem, number, ext))
		}
		if _, taken := s.Paths.Find(free); taken {
			continue
		}
		if taken, err := o.vault.Exists(ctx, free); err != nil || !taken {
			return free, err
		}
	}
	return "", fault.AlreadyExists.Errorf("'%s' exists, and so do its names with the numbers up to %d", path, maxNumber-1).
		WithHint("choose another name")
}

// embedOf returns the text that embeds a file in a note, as the user's settings want links to be written.
func (o *Ops) embedOf(ctx context.Context, path, from vpath.Path) (string, error) {
	all, err := o.vault.Relinking(ctx)
	if err != nil {
		return "", err
	}
	link, err := edit.NewLink(all.Snapshot.Paths, from, path, o.vault.Settings(ctx).Links, "")
	return "!" + link, err
}
