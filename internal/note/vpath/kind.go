package vpath

import (
	"strings"

	"obsidian-mcp/internal/fault"
)

// NoteExt is the extension of a note. It is recognised in any letter case.
const NoteExt = ".md"

// knownExt holds the extensions that Obsidian opens itself, besides notes.
var knownExt = map[string]bool{
	".canvas": true, ".base": true, ".pdf": true,
	".avif": true, ".bmp": true, ".gif": true, ".jpeg": true, ".jpg": true, ".png": true, ".svg": true, ".webp": true,
	".flac": true, ".m4a": true, ".mp3": true, ".ogg": true, ".wav": true, ".webm": true, ".3gp": true,
	".mkv": true, ".mov": true, ".mp4": true, ".ogv": true,
}

// binaryExt holds extensions of files that are not text: media that Obsidian shows, and others often kept beside notes.
var binaryExt = func() map[string]bool {
	extensions := map[string]bool{}
	for _, ext := range strings.Fields(`
		.pdf .avif .bmp .gif .jpeg .jpg .png .webp .heic .heif .tif .tiff .ico .psd
		.flac .m4a .mp3 .ogg .wav .webm .3gp .aac .opus .mkv .mov .mp4 .ogv .avi .m4v
		.zip .gz .bz2 .xz .zst .7z .rar .tar .tgz .jar .docx .xlsx .pptx .odt .ods .odp .epub .mobi
		.ttf .otf .woff .woff2 .exe .dll .so .dylib .iso .dmg .sqlite .idx .wasm`) {
		extensions[ext] = true
	}
	return extensions
}()

// IsBinary reports whether the extension of p says that the file is not text.
func (p Path) IsBinary() bool { return binaryExt[p.Ext()] }

// IsAttachment reports whether the extension of p is that of a file other than a note.
func (p Path) IsAttachment() bool { return knownExt[p.Ext()] || binaryExt[p.Ext()] }

// IsNote reports whether p is a Markdown note.
func (p Path) IsNote() bool { return hasExt(p.Base(), NoteExt) }

// IsCanvas reports whether p is a canvas.
func (p Path) IsCanvas() bool { return hasExt(p.Base(), ".canvas") }

// Ext returns the extension with its dot, in lower case, or "" if p has no extension.
func (p Path) Ext() string { return ext(p.Base()) }

// WithNoteExt appends ".md" to name unless it ends in an extension that Obsidian knows. Other dots are part of the name:
// "v1.2 plan" becomes "v1.2 plan.md".
func WithNoteExt(name string) string {
	if found := ext(name); found == NoteExt || knownExt[found] {
		return name
	}
	return name + NoteExt
}

// ParseNote parses the path or the name of a note, with or without ".md".
func ParseNote(name string) (Path, error) {
	if last := name[strings.LastIndexByte(name, '/')+1:]; strings.TrimSpace(last) == "" {
		return "", fault.InvalidArgument.Errorf("the name of the note is empty")
	}
	return Parse(WithNoteExt(name))
}

func ext(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		return strings.ToLower(name[dot:])
	}
	return ""
}

func hasExt(base, want string) bool {
	return len(base) > len(want) && strings.EqualFold(base[len(base)-len(want):], want)
}
