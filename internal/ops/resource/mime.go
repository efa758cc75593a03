package resource

import (
	"bytes"
	"unicode/utf8"

	"obsidian-mcp/internal/note/vpath"
)

const (
	noteMIME   = "text/markdown"
	textMIME   = "text/plain"
	binaryMIME = "application/octet-stream"
)

// typeOf returns the MIME type of a file, and whether its content can be sent as text.
func typeOf(path vpath.Path, data []byte) (mime string, isText bool) {
	valid := utf8.Valid(data)
	if mime, ok := textTypes[path.Ext()]; ok {
		return mime, valid
	}
	if mime, ok := binaryTypes[path.Ext()]; ok {
		return mime, false
	}
	if valid && bytes.IndexByte(data, 0) < 0 {
		return textMIME, true
	}
	return binaryMIME, false
}

// The types come from these tables rather than from the system, so that a vault reads the same everywhere.
var (
	textTypes = map[string]string{
		vpath.NoteExt: noteMIME, ".markdown": noteMIME, ".txt": textMIME, ".log": textMIME,
		".canvas": "application/json", ".json": "application/json",
		".base": "application/yaml", ".yaml": "application/yaml", ".yml": "application/yaml",
		".toml": "application/toml", ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".svg": "image/svg+xml",
		".html": "text/html", ".htm": "text/html", ".css": "text/css", ".js": "text/javascript", ".xml": "application/xml",
		".ics": "text/calendar", ".vcf": "text/vcard", ".vtt": "text/vtt",
	}
	binaryTypes = map[string]string{
		".pdf": "application/pdf", ".zip": "application/zip", ".epub": "application/epub+zip",
		".avif": "image/avif", ".bmp": "image/bmp", ".gif": "image/gif", ".heic": "image/heic", ".ico": "image/vnd.microsoft.icon",
		".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".png": "image/png", ".tif": "image/tiff", ".tiff": "image/tiff", ".webp": "image/webp",
		".flac": "audio/flac", ".m4a": "audio/mp4", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".opus": "audio/ogg", ".wav": "audio/wav",
		".3gp": "video/3gpp", ".mkv": "video/x-matroska", ".mov": "video/quicktime", ".mp4": "video/mp4", ".ogv": "video/ogg", ".webm": "video/webm",
		".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	}
)
