package dataview

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/query/value"
)

// tables lists the CSV files that a source names and does not leave out again.
func (x *execution) tables(from *source) []string {
	var named []string
	var collect func(from *source)
	collect = func(from *source) {
		if from == nil {
			return
		}
		if from.kind == fromCSV && !slices.Contains(named, from.text) {
			named = append(named, from.text)
		}
		collect(from.left)
		collect(from.right)
	}
	collect(from)
	return slices.DeleteFunc(named, func(name string) bool { return !from.hasTable(name) })
}

// hasTable reports whether a CSV file belongs to a source. All others are made of notes.
func (s *source) hasTable(name string) bool {
	switch s.kind {
	case fromCSV:
		return s.text == name
	case fromBoth:
		return s.left.hasTable(name) && s.right.hasTable(name)
	case fromEither:
		return s.left.hasTable(name) || s.right.hasTable(name)
	}
	return false
}

// sendTable sends the rows of a CSV file. Its path counts from the folder of the note that asks, or from the root.
func (x *execution) sendTable(name string, first stage) error {
	var data []byte
	var path string
	var err error
	if folder := folderOf(x.origin); !strings.HasPrefix(name, "/") && folder != "" {
		path = folder + "/" + name
		data, err = x.set.outside.File(path)
	}
	if path == "" || err != nil {
		path = strings.TrimPrefix(name, "/")
		data, err = x.set.outside.File(path)
	}
	if err != nil {
		return fmt.Errorf("csv(%q): %w", name, err)
	}
	table, err := x.readTable(data, path)
	for i, fields := range table {
		if err := first.take(pageRow{fmt.Sprintf("%s#%d", path, i), fields}); err != nil {
			return err
		}
	}
	return err
}

// readTable reads the rows of a CSV file by the names in its first line. Values are typed like properties; empty ones are
// null. Values beyond the last name are ignored.
func (x *execution) readTable(data []byte, path string) ([]value.Fields, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	reader := csvReader(data, separatorOf(data))
	names, err := reader.Read()
	if err == io.EOF {
		return nil, nil
	}
	reading := importer{Page: &Page{Path: path}, clock: x.clock}
	var rows []value.Fields
	for err == nil {
		var cells []string
		if cells, err = reader.Read(); err != nil {
			break
		}
		fields := value.NewObject()
		for i, cell := range cells[:min(len(cells), len(names))] {
			v := x.set.resolved(reading.cell(cell), path)
			fields.Set(names[i], v)
			if plain := plainName(names[i]); plain != "" {
				fields.Set(plain, v)
			}
		}
		rows = append(rows, fields)
		err = x.spend(value.StepsPerElement * len(cells))
	}
	if err == io.EOF {
		err = nil
	}
	return rows, err
}

func csvReader(data []byte, separator rune) *csv.Reader {
	reader := csv.NewReader(bytes.NewReader(data))
	reader.Comma, reader.Comment, reader.LazyQuotes, reader.FieldsPerRecord = separator, '#', true, -1
	return reader
}

// separatorOf guesses what separates the cells of a file: what gives the first lines the most cells, and all as many.
func separatorOf(data []byte) rune {
	const lines, leastCells = 10, 1.99
	best, bestSpread, mostCells := ',', math.Inf(1), leastCells
	for _, separator := range []rune{',', '\t', '|', ';'} {
		reader := csvReader(data, separator)
		read, cells, spread, before := 0, 0, 0.0, 0
		for read < lines {
			row, err := reader.Read()
			if err != nil {
				break
			}
			if read > 0 {
				spread += math.Abs(float64(len(row) - before))
			}
			read, cells, before = read+1, cells+len(row), len(row)
		}
		if average := float64(cells) / float64(max(read, 1)); spread <= bestSpread && average > mostCells {
			best, bestSpread, mostCells = separator, spread, average
		}
	}
	return best
}

var cellNumber = regexp.MustCompile(`^\s*-?(\d+\.?|\.\d+|\d+\.\d+)([eE][-+]?\d+)?\s*$`)

// cell reads a value of a CSV file.
func (i *importer) cell(text string) value.Value {
	switch text {
	case "":
		return nil
	case "true", "TRUE":
		return true
	case "false", "FALSE":
		return false
	}
	if cellNumber.MatchString(text) {
		if number, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && math.Abs(number) < 1<<53 {
			return number
		}
	}
	return i.textValue(text)
}
