package ops

import (
	"context"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/media/kind"
	"obsidian-mcp/internal/media/picture"
	"obsidian-mcp/internal/note/canvas"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
)

// ReadFile are the parameters of read_file.
type ReadFile struct {
	Name  string `json:"name" jsonschema:"file name or path"`
	Page  int    `json:"page" jsonschema:"page of a PDF; 0: all" default:"0"`
	MaxPx int    `json:"max_px" jsonschema:"longest edge of a picture, in pixels" default:"1568"`
	IDs   bool   `json:"ids" jsonschema:"with the ids of a canvas's cards" default:"false"`
}

// FileContent is the result of read_file. Pictures, sounds and references follow it.
type FileContent struct {
	tool.Meta     `json:"-"`
	tool.Attached `json:"-"`
	Path          string `json:"path"`
	Kind          string `json:"kind"`
	Size          int64  `json:"size"`
	Width         int    `json:"width,omitempty"`
	Height        int    `json:"height,omitempty"`
	Pages         int    `json:"pages,omitempty"`
	Page          int    `json:"page,omitempty"`
	Text          string `json:"text,omitempty"`
	Changed       string `json:"changed,omitempty"`
}

var readFile = tool.New(tool.Spec{
	Name: "read_file", Toolset: "files", Title: "See a file", Effect: tool.Reads,
	About: "Shows an attachment: an image, the text of a PDF, audio, a canvas as an outline, a base or text file. Use read_note for notes, list_files to find files.",
}, (*Ops).ReadFile)

// Limits of what read_file reads and sends.
const (
	maxRead       = 64 << 20
	maxShownMedia = 700_000
	leastPx       = 16
	mostPx        = 8000
)

// shownPictures are the MIME types of pictures that can be sent.
var shownPictures = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/bmp": true}

// ReadFile shows a file.
func (o *Ops) ReadFile(ctx context.Context, in ReadFile) (FileContent, error) {
	switch {
	case in.Page < 0:
		return FileContent{}, fault.InvalidArgument.Errorf("page counts from 1; 0 means all")
	case in.MaxPx < leastPx || in.MaxPx > mostPx:
		return FileContent{}, fault.InvalidArgument.Errorf("max_px must be between %d and %d", leastPx, mostPx)
	}
	s, path, part, err := o.findFilePart(ctx, in.Name)
	if err != nil {
		return FileContent{}, err
	}
	is := kind.Of(path)
	if number, ok := strings.CutPrefix(part, "page="); ok && is == kind.PDF && in.Page == 0 { // as an embed in a note names it
		in.Page, _ = strconv.Atoi(number)
	} else if part != "" {
		return FileContent{}, fault.InvalidArgument.Errorf("'%s' names a part of a file; this tool shows whole files", in.Name).
			WithHint("leave out '#%s'; read_section shows a part of a note", part)
	}
	if in.Page > 0 && is != kind.PDF {
		return FileContent{}, fault.InvalidArgument.Errorf("'%s' is not a PDF; only those have pages", in.Name)
	}
	shown := FileContent{Path: string(path), Kind: string(is)}
	if entry := s.Entry(path); entry != nil && entry.Size > maxRead {
		return FileContent{}, fault.InvalidArgument.Errorf("'%s' has %d MB; files over %d MB are not read", in.Name, entry.Size>>20, maxRead>>20)
	} else if entry != nil && is == kind.Video {
		shown.Size = entry.Size // it is not sent, so it need not be read
		shown.refer(o.uris.Of(path), path)
		return shown, nil
	}
	file, err := o.readAny(ctx, in.Name, path)
	if err != nil {
		return FileContent{}, err
	}
	shown.Size = int64(len(file.Data))
	shown.Meta = withConflicts(file.Conflicts, tool.Meta{"hash": store.Hash(file.Data)})
	return shown, o.show(ctx, in, file, &shown)
}

// readAny reads a file of any type.
func (o *Ops) readAny(ctx context.Context, name string, path vpath.Path) (store.File, error) {
	file, err := o.vault.Read(ctx, path, maxRead)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		err = notFoundFile(name)
	}
	return file, err
}

// show fills in what a file of its kind shows.
func (o *Ops) show(ctx context.Context, in ReadFile, file store.File, shown *FileContent) error {
	path := shown.path()
	mime, isText := kind.Content(path, file.Data)
	switch is := kind.Kind(shown.Kind); {
	case is == kind.PDF:
		return o.showPDF(ctx, in, file.Data, shown)
	case is == kind.Canvas:
		outline, err := canvas.Outline(file.Data, in.IDs)
		if err != nil {
			return fault.InvalidArgument.Errorf("'%s' is not a valid canvas: %w", in.Name, err)
		}
		noteShown(ctx, path, file.Data)
		o.showText(ctx, shown, outline)
	case is == kind.Image && !isText && shownPictures[mime]:
		return showPicture(ctx, in, file.Data, shown)
	case is == kind.Audio && len(file.Data) <= maxShownMedia:
		if err := kind.Check(path.Base(), file.Data); err != nil {
			return fault.InvalidArgument.Errorf("'%s' is not sent: %w", in.Name, err)
		}
		shown.Attached = tool.Attached{{Kind: tool.Sound, MIME: mime, Data: file.Data}}
	case isText:
		noteShown(ctx, path, file.Data)
		o.showText(ctx, shown, string(file.Data))
	default:
		shown.refer(o.uris.Of(path), path)
	}
	return nil
}

// showText shows a text up to the limit for reading, and refers to the file if there is more.
func (o *Ops) showText(ctx context.Context, shown *FileContent, text string) {
	shown.Text = text
	if o.readLimit <= 0 || len(text) <= o.readLimit {
		return
	}
	if end := cutAt([]byte(text), o.readLimit); end < len(text) {
		shown.Text = text[:end]
		shown.refer(o.uris.Of(shown.path()), shown.path())
		tool.AddHint(ctx, tool.HintCut, "The text is cut at %d characters; the resource has the rest.", o.readLimit)
	}
}

func (f *FileContent) path() vpath.Path { return vpath.Path(f.Path) }

// refer adds a reference to the file itself, for a client that can open it.
func (f *FileContent) refer(uri string, path vpath.Path) {
	f.Attached = append(f.Attached, tool.Media{Kind: tool.Reference, MIME: kind.MIME(path), URI: uri, Name: path.Base(), Size: f.Size})
}

func showPicture(ctx context.Context, in ReadFile, data []byte, shown *FileContent) error {
	fitted, err := picture.Fit(ctx, data, picture.Limits{MaxPx: in.MaxPx, MaxBytes: maxShownMedia})
	if err != nil {
		return fault.KindOf(err).Errorf("'%s' is not shown: %w", in.Name, err)
	}
	shown.Width, shown.Height, shown.Changed = fitted.Width, fitted.Height, fitted.Changed
	shown.Attached = tool.Attached{{Kind: tool.Picture, MIME: fitted.MIME, Data: fitted.Data}}
	return nil
}
