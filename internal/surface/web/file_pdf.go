package web

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// pdfPage is the text of a page of a PDF.
type pdfPage struct {
	Path  string `json:"path"`
	Page  int    `json:"page"`
	Pages int    `json:"pages"`
	Text  string `json:"text"`
	Cut   bool   `json:"-"` // only the beginning is shown
}

// pdf shows the text of a PDF page by page.
func (v *visit) pdf(asked string) error {
	if !v.offers("read_file") {
		return notOffered("the text of a PDF", "read_file")
	}
	number := 1
	if typed := v.r.URL.Query().Get("page"); typed != "" {
		var err error
		if number, err = strconv.Atoi(typed); err != nil || number < 1 {
			return fault.InvalidArgument.Errorf("'%s' is not the number of a page; they count from 1", typed)
		}
	}
	args, err := json.Marshal(map[string]any{"name": asked, "page": number})
	if err != nil {
		return err
	}
	answer, err := v.call("read_file", args)
	if err != nil {
		return err
	}
	var body pdfPage
	if err := json.Unmarshal(answer.JSON, &body); err != nil {
		return err
	}
	body.Cut = slices.ContainsFunc(answer.Hints, func(hint tool.Hint) bool { return hint.Kind == tool.HintCut })
	v.show(path.Base(body.Path), body.view)
	return nil
}
