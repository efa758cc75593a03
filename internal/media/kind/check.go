package kind

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// Check returns an error if the content of a file is not what its name says. The name may also be just an extension. With
// an extension that the table does not have, everything is accepted but programs.
func Check(name string, data []byte) error {
	ext := ""
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		ext = strings.ToLower(name[dot:])
	}
	found := formatOf(data)
	promised, known := types[ext]
	switch {
	case !known && found == executable:
		return wrong("'%s' holds %s, which has no place in a vault", name, found)
	case !known:
		return nil
	case promised.isText():
		return checkText(name, ext, data, found)
	case slices.Contains(promised.formats, found):
		return nil
	case len(data) == 0:
		return wrong("'%s' is empty, but should hold %s", name, promised.formats[0])
	case found != unknown:
		return wrong("'%s' holds %s", name, found)
	case looksLikeText(data):
		return wrong("'%s' holds text, but should hold %s", name, promised.formats[0])
	}
	return wrong("'%s' does not hold %s", name, promised.formats[0])
}

func checkText(name, ext string, data []byte, found format) error {
	switch {
	case !looksLikeText(data) && found != unknown:
		return wrong("'%s' holds %s, but should hold text", name, found)
	case !looksLikeText(data):
		return wrong("'%s' is not text in UTF-8", name)
	case ext == ".svg":
		if err := checkSVG(data); err != nil {
			return wrong("'%s' is not an SVG picture: %w", name, err)
		}
	}
	return nil
}

func wrong(format string, args ...any) error {
	return fault.InvalidArgument.Errorf(format, args...).WithHint("give the file a name that fits its content")
}

// maxDepth bounds what the XML decoder keeps in memory.
const maxDepth = 1000

// checkSVG returns an error unless data is one well-formed XML element named svg.
func checkSVG(data []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it is UTF-8 all the same
	depth, hasRoot := 0, false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && hasRoot {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return errors.New("it has no element")
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.Directive:
			declareEntities(decoder, token)
		case xml.StartElement:
			if depth == 0 && (hasRoot || token.Name.Local != "svg") {
				return fmt.Errorf("it has the element '%s' at the top", token.Name.Local)
			}
			if hasRoot, depth = true, depth+1; depth > maxDepth {
				return errors.New("its elements are nested too deeply")
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(token)) > 0 {
				return errors.New("it has text outside its elements")
			}
		}
	}
}

var entity = regexp.MustCompile(`<!ENTITY\s+([\w.:-]+)\s`)

// declareEntities makes the decoder accept the entities that a document type declares, as drawing programs do for
// namespaces. What they stand for does not matter here.
func declareEntities(decoder *xml.Decoder, directive xml.Directive) {
	for _, match := range entity.FindAllSubmatch(directive, -1) {
		if decoder.Entity == nil {
			decoder.Entity = map[string]string{}
		}
		decoder.Entity[string(match[1])] = ""
	}
}
