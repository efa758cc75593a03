package meaning

import (
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"sync"

	"obsidian-mcp/internal/text/lexicon"
)

// dimensions is how many numbers a row of a table has.
const dimensions = 256

// rowSize is the bytes of a row: two numbers of four bits in each.
const rowSize = dimensions / 2

// table has a vector for each of many words and pieces of words. It is read when the first reader needs it.
type table struct {
	once   sync.Once
	words  *lexicon.Lexicon
	scales string
	rows   string
}

// The table that is part of the program, in two parts. The rows are used in place; the words and scales are compressed. NOTICES.md
// says what it was made from.
var (
	//go:embed words-256x74k.gz
	builtinWords string
	//go:embed rows-256x74k.i4
	builtinRows string
)

// Builtin is the model that is part of the program.
var Builtin = sync.OnceValue(func() *Words {
	t := new(table)
	return NewWords("builtin-1", dimensions, func() Adder { return newReader(t) })
})

// open reads the table that is part of the program, once.
func (t *table) open() {
	t.once.Do(func() {
		words, err := unpack(builtinWords)
		if err == nil {
			err = t.read(words, builtinRows)
		}
		if err != nil {
			panic("the word table of the program: " + err.Error())
		}
	})
}

// unpack decompresses a text.
func unpack(text string) (string, error) {
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(r)
	return string(data), err
}

const magic = "OMWVEC01"

var errTable = errors.New("not a word table")

// read finds the parts of a table in place: eight bytes of magic, the number of rows, of dimensions, of bits and of bytes of all words;
// the words; a scale for each row. Numbers are little-endian.
func (t *table) read(data, rows string) error {
	if len(data) < len(magic)+16 || !strings.HasPrefix(data, magic) {
		return errTable
	}
	header, data := data[len(magic):len(magic)+16], data[len(magic)+16:]
	number := func(i int) int { return int(number32(header[4*i:])) }
	count, size := number(0), number(3)
	if number(1) != dimensions || number(2) != 4 || len(data) != size+4*count || len(rows) != count*rowSize {
		return errTable
	}
	words := data[:size]
	t.scales, t.rows = data[size:], rows
	starts := make([]uint32, 1, count+1)
	for at := 0; at < size; {
		end := strings.IndexByte(words[at:], '\n')
		if end < 0 {
			return errTable
		}
		at += end + 1
		starts = append(starts, uint32(at))
	}
	if len(starts) != count+1 {
		return errTable
	}
	t.words = lexicon.New(words, starts)
	return nil
}

func number32(data string) uint32 { return binary.LittleEndian.Uint32([]byte(data[:4])) }

// add adds a row.
func (t *table) add(row int, into Vector) {
	addRow(t.rows[row*rowSize:(row+1)*rowSize], math.Float32frombits(number32(t.scales[4*row:])), into)
}

// addEach is addRow for any processor, with the same result.
func addEach(row string, scale float32, into Vector) {
	var values [16]float32
	for i := range values {
		values[i] = scale * float32(int8(i<<4)>>4)
	}
	for i := range rowSize {
		into[2*i] += values[row[i]&15]
		into[2*i+1] += values[row[i]>>4]
	}
}
