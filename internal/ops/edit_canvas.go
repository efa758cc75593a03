package ops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/media/kind"
	"obsidian-mcp/internal/note/canvas"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// EditCanvas are the parameters of edit_canvas.
type EditCanvas struct {
	Name         string        `json:"name" jsonschema:"name or path of the canvas"`
	Ops          []tool.Object `json:"ops" jsonschema:"operations"`
	DryRun       bool          `json:"dry_run"`
	ExpectedHash string        `json:"expected_hash"`
}

// CanvasEdited is the result of edit_canvas.
type CanvasEdited struct {
	tool.Meta `json:"-"`
	Path      string      `json:"path"`
	IDs       tool.Object `json:"ids"`
	Outline   string      `json:"outline"`
	DryRun    bool        `json:"dry_run"`
}

var editCanvas = tool.New(tool.Spec{
	Name: "edit_canvas", Toolset: "files", Title: "Edit a canvas", Effect: tool.Destroys,
	About: "Adds, connects, changes and removes cards on a canvas (whiteboard), which is created if missing. Ops run in order, all or none: " +
		"{add:'text'|'file'|'link'|'group', text|file|url|label, subpath?, color?, in?:group, near?:card, side?, x?, y?, width?, height?} (placed automatically without x and y), " +
		"{connect:[from,to], label?, color?, fromSide?, toSide?, fromEnd?, toEnd?}, {update:card, key:value…} (null removes a key), {remove:card}. " +
		"Name a card by id, title, or $n for the one op n adds; an edge by id or [from,to]. Use rename_note or delete_note for the whole file.",
}, (*Ops).EditCanvas)

const (
	maxCanvasOps     = 500
	maxOutlineLength = 20_000 // characters of the outline in a result
)

// EditCanvas edits a canvas, or creates it.
func (o *Ops) EditCanvas(ctx context.Context, in EditCanvas) (CanvasEdited, error) {
	if len(in.Ops) == 0 || len(in.Ops) > maxCanvasOps {
		return CanvasEdited{}, fault.InvalidArgument.Errorf("ops has %d operations; give 1 to %d", len(in.Ops), maxCanvasOps)
	}
	raw := make([]json.RawMessage, len(in.Ops))
	for i, op := range in.Ops {
		raw[i] = json.RawMessage(op)
	}
	edits, err := canvas.ReadOps(raw)
	if err != nil {
		return CanvasEdited{}, err
	}
	if err := o.resolveCards(ctx, edits); err != nil {
		return CanvasEdited{}, err
	}
	return retryConflicts(ctx, in.ExpectedHash, func() (CanvasEdited, error) { return o.editCanvasOnce(ctx, in, edits) })
}

// editCanvasOnce reads the canvas, edits it and writes it, unless it changes meanwhile.
func (o *Ops) editCanvasOnce(ctx context.Context, in EditCanvas, edits []canvas.Op) (CanvasEdited, error) {
	path, file, err := o.canvasNamed(ctx, in.Name, in.ExpectedHash)
	if err != nil {
		return CanvasEdited{}, err
	}
	edited, err := canvas.Edit(file.Data, edits, canvasIDs(path, file.Data, in.Ops))
	if err != nil {
		return CanvasEdited{}, err
	}
	if err := vault.CheckSize(path, edited.Data); err != nil {
		return CanvasEdited{}, err
	}
	outline, err := canvas.Outline(edited.Data, false)
	if err != nil {
		return CanvasEdited{}, err
	}
	isChanged := !bytes.Equal(edited.Data, file.Data)
	if isChanged && !in.DryRun {
		if err := o.writeCanvas(ctx, path, file, edited.Data); err != nil {
			return CanvasEdited{}, err
		}
	}
	return CanvasEdited{
		Meta: tool.Meta{"hash": store.Hash(edited.Data), "changed": isChanged && !in.DryRun},
		Path: string(path), IDs: newCards(edited.IDs), Outline: cutOutline(ctx, outline), DryRun: in.DryRun,
	}, nil
}

func (o *Ops) writeCanvas(ctx context.Context, path vpath.Path, was store.File, data []byte) error {
	if err := vault.CheckResolved(was.Info); err != nil {
		return err
	}
	_, err := o.vault.Commit(ctx, []store.Change{{Path: path, Base: was.Rev, Was: was.Data, Data: data}})
	if errors.Is(err, fault.AlreadyExists) { // it was created meanwhile: the operations are applied to that
		return fault.Conflict.Errorf("'%s' was created at the same time", path).WithHint("try again")
	}
	return err
}

// canvasNamed returns the path of a canvas and its content, which is empty if it is to be created.
func (o *Ops) canvasNamed(ctx context.Context, name, expected string) (vpath.Path, store.File, error) {
	if _, err := vpath.Parse(name); strings.HasPrefix(name, "/") {
		return "", store.File{}, err
	}
	s, path, err := o.findCanvas(ctx, name)
	if err == nil {
		var file store.File
		if file, err = o.vault.Read(ctx, path, vault.MaxNote); err == nil {
			if !o.vault.MayWrite(path) {
				return "", store.File{}, o.vault.Closed(name)
			}
			return path, file, vault.Expect(path, file.Data, expected)
		}
	}
	if !errors.Is(err, fault.NotFound) || isURI(name) {
		return "", store.File{}, err
	}
	if path, err = o.newCanvasPath(ctx, s, name); err != nil {
		return "", store.File{}, err
	}
	return path, store.File{}, vault.ExpectAbsent(path, expected)
}

func (o *Ops) findCanvas(ctx context.Context, name string) (s *index.Snapshot, path vpath.Path, err error) {
	if isURI(name) {
		s, path, err = o.find(ctx, name)
	} else {
		s, path, err = o.vault.Find(ctx, canvasName(name))
	}
	if err == nil && !path.IsCanvas() {
		err = notCanvas(name)
	}
	return s, path, err
}

// canvasName is a name as the caller wrote it, with the extension of canvases.
func canvasName(name string) string {
	name = withoutMarks(name)
	if kind.IsKnown(vpath.Path(name)) || strings.HasSuffix(name, "/") || name == "" {
		return name
	}
	return name + ".canvas"
}

func notCanvas(name string) error {
	return fault.InvalidArgument.Errorf("'%s' is not a canvas; this tool edits .canvas files only", name)
}

// newCanvasPath returns where a canvas can be created: with a bare name, in the folder for new notes.
func (o *Ops) newCanvasPath(ctx context.Context, s *index.Snapshot, name string) (vpath.Path, error) {
	path, err := vpath.ParseNote(canvasName(name))
	if err != nil {
		return "", err
	}
	if !path.IsCanvas() {
		return "", notCanvas(name)
	}
	if path.Dir() == "" {
		path = o.vault.Settings(ctx).NewNotes.Join(path)
	}
	if !o.vault.MayWrite(path) {
		return "", o.vault.Closed(name)
	}
	return portablePath(s, path)
}

// resolveCards replaces the names of files in operations by their paths. A heading or block behind a # becomes the
// subpath.
func (o *Ops) resolveCards(ctx context.Context, edits []canvas.Op) error {
	for i, op := range edits {
		for _, key := range []string{"file", "background"} {
			var name string
			if json.Unmarshal(op.Fields[key], &name) != nil || name == "" {
				continue
			}
			_, path, part, err := o.findFilePart(ctx, name)
			if err != nil {
				return fault.KindOf(err).Errorf("op %d: %w", i+1, err).WithHint("%s", fault.HintOf(err))
			}
			if part != "" && (key != "file" || op.Fields["subpath"] != nil) {
				return fault.InvalidArgument.Errorf("'%s' names a part of a note", name).WithHint("put '#%s' into subpath", part)
			}
			if op.Fields[key], err = json.Marshal(string(path)); err == nil && part != "" {
				op.Fields["subpath"], err = json.Marshal("#" + part)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// canvasIDs returns a source of ids as Obsidian makes them, 16 hexadecimal digits. They follow from the canvas and the
// call, so that a dry run names the ids that the same call then creates.
func canvasIDs(path vpath.Path, data []byte, ops []tool.Object) func() string {
	seed := sha256.New()
	fmt.Fprintf(seed, "%q %x %q", path, sha256.Sum256(data), ops)
	start, count := seed.Sum(nil), 0
	return func() string {
		count++
		sum := sha256.Sum256(append(slices.Clone(start), strconv.Itoa(count)...))
		return hex.EncodeToString(sum[:8])
	}
}

// newCards lists the ids of new cards and edges in the order of the operations.
func newCards(ids map[int]string) tool.Object {
	var list []string
	for _, op := range slices.Sorted(maps.Keys(ids)) {
		quoted, _ := json.Marshal(ids[op]) // a string can always be encoded
		list = append(list, fmt.Sprintf(`"$%d":%s`, op, quoted))
	}
	return tool.Object("{" + strings.Join(list, ",") + "}")
}

// cutOutline cuts an outline that is too long at a line end.
func cutOutline(ctx context.Context, outline string) string {
	if len(outline) <= maxOutlineLength {
		return outline
	}
	cut := strings.ToValidUTF8(outline[:maxOutlineLength], "")
	if end := strings.LastIndexByte(cut, '\n'); end > 0 {
		cut = cut[:end+1]
	}
	tool.AddHint(ctx, tool.HintCut, "%d of %d lines of the outline shown.", strings.Count(cut, "\n"), strings.Count(outline, "\n"))
	return cut
}
