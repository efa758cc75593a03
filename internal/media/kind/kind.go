// Package kind says what a file of a vault is: its kind, its MIME type, and whether its content fits its name.
package kind

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/note/vpath"
)

// Kind is what a file is to a person: a note, a picture, a recording.
type Kind string

// The kinds of files. Each file has exactly one.
const (
	Note   Kind = "note"
	Canvas Kind = "canvas"
	Base   Kind = "base"
	Image  Kind = "image"
	PDF    Kind = "pdf"
	Audio  Kind = "audio"
	Video  Kind = "video"
	Other  Kind = "other"
)

// MIME types that do not come from the table alone.
const (
	NoteMIME   = "text/markdown"
	TextMIME   = "text/plain"
	BinaryMIME = "application/octet-stream"
)

// Of returns the kind of a file, which its extension decides.
func Of(path vpath.Path) Kind {
	if found, ok := types[path.Ext()]; ok {
		return found.kind
	}
	return Other
}

// IsKnown reports whether the extension of a file is in the table.
func IsKnown(path vpath.Path) bool {
	_, known := types[path.Ext()]
	return known
}

// MIME returns the MIME type of a file whose content is not at hand. A file with an unknown extension is taken for binary.
func MIME(path vpath.Path) string {
	if found, ok := types[path.Ext()]; ok {
		return found.mime
	}
	return BinaryMIME
}

// Content returns the MIME type of a file, and whether its content can be sent as text.
func Content(path vpath.Path, data []byte) (mime string, isText bool) {
	if found, ok := types[path.Ext()]; ok {
		return found.mime, found.isText() && utf8.Valid(data)
	}
	if isText := looksLikeText(data); isText {
		return TextMIME, true
	}
	return BinaryMIME, false
}

func looksLikeText(data []byte) bool { return bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) }

// fileType is what an extension promises.
type fileType struct {
	kind    Kind
	mime    string
	formats []format // what the content may be; none for text
}

func (t fileType) isText() bool { return t.formats == nil }

// types has a row for every extension that Obsidian accepts, and for others that are often kept beside notes. The types
// come from here rather than from the system, so that a vault reads the same everywhere. Obsidian plays .webm as audio
// and as video; its name alone does not say which it is, so it counts as a video.
var types = func() map[string]fileType {
	table := map[string]fileType{}
	add := func(extensions string, kind Kind, mime string, formats ...format) {
		for _, ext := range strings.Fields(extensions) {
			table[ext] = fileType{kind, mime, formats}
		}
	}
	add(vpath.NoteExt, Note, NoteMIME)
	add(".canvas", Canvas, "application/json")
	add(".base", Base, "application/yaml")

	add(".avif", Image, "image/avif", avif)
	add(".bmp", Image, "image/bmp", bmp)
	add(".gif", Image, "image/gif", gif)
	add(".jpeg .jpg", Image, "image/jpeg", jpeg)
	add(".png", Image, "image/png", png)
	add(".svg", Image, "image/svg+xml")
	add(".webp", Image, "image/webp", webp)
	add(".heic .heif", Image, "image/heic", heic)
	add(".ico", Image, "image/vnd.microsoft.icon", ico)
	add(".tif .tiff", Image, "image/tiff", tiff)

	add(".3gp", Audio, "audio/3gpp", mp4)
	add(".flac", Audio, "audio/flac", flac)
	add(".m4a", Audio, "audio/mp4", mp4)
	add(".mp3", Audio, "audio/mpeg", mp3)
	add(".ogg .opus", Audio, "audio/ogg", ogg)
	add(".wav", Audio, "audio/wav", wav)

	add(".mkv", Video, "video/x-matroska", matroska, webm)
	add(".mov", Video, "video/quicktime", mp4)
	add(".mp4", Video, "video/mp4", mp4)
	add(".ogv", Video, "video/ogg", ogg)
	add(".webm", Video, "video/webm", webm)

	add(".pdf", PDF, "application/pdf", pdf)

	add(".markdown", Other, NoteMIME)
	add(".txt .log", Other, TextMIME)
	add(".json", Other, "application/json")
	add(".yaml .yml", Other, "application/yaml")
	add(".toml", Other, "application/toml")
	add(".csv", Other, "text/csv")
	add(".tsv", Other, "text/tab-separated-values")
	add(".html .htm", Other, "text/html")
	add(".css", Other, "text/css")
	add(".js", Other, "text/javascript")
	add(".xml", Other, "application/xml")
	add(".ics", Other, "text/calendar")
	add(".vcf", Other, "text/vcard")
	add(".vtt", Other, "text/vtt")

	add(".zip", Other, "application/zip", zip)
	add(".epub", Other, "application/epub+zip", zip)
	add(".docx", Other, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", zip, ole)
	add(".xlsx", Other, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", zip, ole)
	add(".pptx", Other, "application/vnd.openxmlformats-officedocument.presentationml.presentation", zip, ole)
	return table
}()
