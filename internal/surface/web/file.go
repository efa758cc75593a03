package web

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"

	"obsidian-mcp/internal/fault"
)

// pictures are the types of files that are shown, by extension.
var pictures = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".avif": "image/avif", ".bmp": "image/bmp", ".svg": "image/svg+xml",
}

// picturePolicy applies to a picture that is opened by itself: it is displayed and
// can do nothing.
const picturePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

// file shows a picture from the vault, or the text of a PDF. The content decides what a picture is: anything that is
// not one, or not of the type its name says, is not sent.
func (v *visit) file() error {
	asked := v.r.URL.Query().Get("path")
	if asked == "" {
		return fault.InvalidArgument.Errorf("the path of a file is missing")
	}
	extension := strings.ToLower(path.Ext(asked))
	kind := pictures[extension]
	switch {
	case extension == ".pdf":
		return v.pdf(asked)
	case kind == "":
		return v.notShown(asked, "only pictures and the text of PDFs are shown here")
	}
	var data []byte
	err := v.within("file", false, func(ctx context.Context) (err error) {
		data, err = v.page.options.Server.File(ctx, v.who, asked)
		return err
	})
	switch {
	case err != nil:
		return err
	case sniffed(data) != kind:
		return v.notShown(asked, "its content is not what its name says")
	}
	header := v.w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Security-Policy", picturePolicy)
	header.Set("Content-Disposition", inlineAs(path.Base(asked)))
	header.Set("Cache-Control", "private, max-age=300")
	header.Set("Vary", "Cookie")
	_, _ = v.w.Write(data) // a client that is gone needs no answer
	return nil
}

// notShown says why a file is not shown.
func (v *visit) notShown(asked, why string) error {
	v.status = http.StatusUnsupportedMediaType
	shown := problem{Message: fmt.Sprintf("'%s' is not shown: %s", asked, why), Hint: "Open it in Obsidian."}
	if v.partial() {
		v.part(shown.part)
	} else {
		v.show("Not shown here", shown.view)
	}
	return nil
}

// sniffed returns the picture type of some content; "" if it is not one that is shown.
func sniffed(data []byte) string {
	if len(data) >= 12 && string(data[4:8]) == "ftyp" && (string(data[8:12]) == "avif" || string(data[8:12]) == "avis") {
		return "image/avif"
	}
	if kind := http.DetectContentType(data); strings.HasPrefix(kind, "image/") {
		return kind
	}
	data = behindProlog(data)
	if start := data[:min(len(data), 1024)]; bytes.HasPrefix(start, []byte("<")) && bytes.Contains(start, []byte("<svg")) {
		return "image/svg+xml"
	}
	return ""
}

// behindProlog skips the declarations and comments of an XML text, however long they are.
func behindProlog(data []byte) []byte {
	for {
		data = bytes.TrimLeft(data, "\ufeff \t\r\n")
		end := ""
		switch {
		case bytes.HasPrefix(data, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(data, []byte("<!--")):
			end = "-->"
		}
		_, rest, ended := bytes.Cut(data, []byte(end))
		if end == "" || !ended {
			return data
		}
		data = rest
	}
}

// inlineAs names the file for a browser that saves it.
func inlineAs(name string) string {
	if set := mime.FormatMediaType("inline", map[string]string{"filename": name}); set != "" {
		return set
	}
	return "inline"
}
