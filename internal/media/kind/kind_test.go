package kind_test

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/media/kind"
	"obsidian-mcp/internal/note/vpath"
)

func TestEveryFormatThatObsidianAcceptsHasAKind(t *testing.T) {
	for want, extensions := range map[kind.Kind]string{
		kind.Note: "md", kind.Base: "base", kind.Canvas: "canvas", kind.PDF: "pdf",
		kind.Image: "avif bmp gif jpeg jpg png svg webp",
		kind.Audio: "flac m4a mp3 ogg wav 3gp",
		kind.Video: "mkv mov mp4 ogv webm",
	} {
		for _, ext := range strings.Fields(extensions) {
			for _, name := range []string{"a." + ext, "folder/B.c." + strings.ToUpper(ext)} {
				path := vpath.Path(name)
				if got := kind.Of(path); got != want {
					t.Errorf("Of(%s) = %s, want %s", name, got, want)
				}
				if got := kind.MIME(path); got == kind.BinaryMIME {
					t.Errorf("MIME(%s) = %s, want a type of its own", name, got)
				}
				if vpath.WithNoteExt(name) != name {
					t.Errorf("vpath takes the extension of %s for a part of a note's name", name)
				}
			}
		}
	}
}

func TestOtherFilesAreOther(t *testing.T) {
	for _, name := range []string{"a", "a.txt", "a.zip", "md", "a.md.bak", ".png/a"} {
		if got := kind.Of(vpath.Path(name)); got != kind.Other {
			t.Errorf("Of(%s) = %s, want other", name, got)
		}
	}
}

func TestContentDecidesOnlyForUnknownExtensions(t *testing.T) {
	for _, test := range []struct {
		name, data, mime string
		isText           bool
	}{
		{"a.md", "text", "text/markdown", true},
		{"a.md", "\xff\x00", "text/markdown", false},
		{"a.svg", "<svg/>", "image/svg+xml", true},
		{"a.png", "text", "image/png", false},
		{"a.3gp", "", "audio/3gpp", false},
		{"a.canvas", "{}", "application/json", true},
		{"a.unknown", "text", "text/plain", true},
		{"a.unknown", "te\x00xt", "application/octet-stream", false},
		{"a", "\xff", "application/octet-stream", false},
	} {
		if mime, isText := kind.Content(vpath.Path(test.name), []byte(test.data)); mime != test.mime || isText != test.isText {
			t.Errorf("Content(%s, %q) = %s, %t, want %s, %t", test.name, test.data, mime, isText, test.mime, test.isText)
		}
	}
}
