package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// maxRecord bounds the record of a change: half a million files fit into it.
const maxRecord = maxPayload

// encodeChange encodes a change: the id, which is often read alone, and the rest
// compressed.
func encodeChange(c Change) ([]byte, error) {
	var rest encoder
	rest.number(uint64(c.Time.UnixNano()))
	rest.text(c.Tool, c.Client, c.Token)
	rest.number(uint64(len(c.Files)))
	for _, file := range c.Files {
		rest.text(file.Op, file.Path, file.To)
		rest.content(file.Before)
		rest.content(file.After)
	}
	rest.additions(c)
	if len(rest) > maxRecord {
		return nil, errTooLarge
	}
	var record encoder
	record.text(c.ID)
	record.number(uint64(len(rest)))
	return append(record, compress(rest)...), nil
}

// decodeID reads only the id.
func decodeID(data []byte) (string, error) {
	d := decoder{data: data}
	id := d.text()
	return id, d.problem()
}

func decodeChange(data []byte) (Change, error) {
	head := decoder{data: data}
	c := Change{ID: head.text()}
	size := head.number()
	if head.bad || size > maxRecord {
		return Change{}, errDamaged
	}
	rest, err := decompress(head.data, int64(size))
	if err != nil {
		return Change{}, err
	}
	d := decoder{data: rest}
	c.Time = time.Unix(0, int64(d.number())).UTC()
	c.Tool, c.Client, c.Token = d.text(), d.text(), d.text()
	for count := d.number(); count > 0 && !d.bad; count-- {
		c.Files = append(c.Files, File{
			Op: d.text(), Path: d.text(), To: d.text(), Before: d.content(), After: d.content(),
		})
	}
	d.additions(&c)
	return c, d.problem()
}

// additions encodes what later versions added to the end of a record: first the change that it undoes, then the
// session, then the other changes that it undoes. A version reads as much of it as it knows. A record ends where only
// empty additions would follow.
func (e *encoder) additions(c Change) {
	if len(c.Undoes) == 0 && c.Session == "" {
		return
	}
	first, others := "", c.Undoes
	if len(c.Undoes) > 0 {
		first, others = c.Undoes[0], c.Undoes[1:]
	}
	e.text(first)
	if len(others) == 0 && c.Session == "" {
		return
	}
	e.text(c.Session)
	if len(others) > 0 {
		e.number(uint64(len(others)))
		e.text(others...)
	}
}

func (d *decoder) additions(c *Change) {
	if len(d.data) > 0 {
		if first := d.text(); first != "" {
			c.Undoes = []string{first}
		}
	}
	if len(d.data) > 0 {
		c.Session = d.text()
	}
	if len(d.data) > 0 {
		for count := d.number(); count > 0 && !d.bad; count-- {
			c.Undoes = append(c.Undoes, d.text())
		}
	}
}

// outcome says whether a change was made.
type outcome struct {
	change int64 // the offset of its record in the same segment
	id     string
	made   bool
	guess  bool // recorded by a process other than the one that made the change
	trash  map[string]string
}

// The flags of an encoded outcome.
const (
	flagMade = 1 << iota
	flagGuess
)

func encodeOutcome(o outcome) []byte {
	var e encoder
	e.number(uint64(o.change))
	e.text(o.id)
	flags := uint64(0)
	if o.made {
		flags |= flagMade
	}
	if o.guess {
		flags |= flagGuess
	}
	e.number(flags)
	e.number(uint64(len(o.trash)))
	for path, to := range o.trash {
		e.text(path, to)
	}
	return e
}

func decodeOutcome(data []byte) (outcome, error) {
	d := decoder{data: data}
	o := outcome{change: int64(d.number()), id: d.text(), trash: map[string]string{}}
	flags := d.number()
	o.made, o.guess = flags&flagMade != 0, flags&flagGuess != 0
	for count := d.number(); count > 0 && !d.bad; count-- {
		path := d.text()
		o.trash[path] = d.text()
	}
	return o, d.problem()
}

// How a content is encoded.
const (
	absent = iota
	notKept
	kept
)

type encoder []byte

func (e *encoder) number(n uint64) { *e = binary.AppendUvarint(*e, n) }

func (e *encoder) text(texts ...string) {
	for _, text := range texts {
		e.number(uint64(len(text)))
		*e = append(*e, text...)
	}
}

func (e *encoder) content(c Content) {
	switch {
	case !c.Exists():
		e.number(absent)
		return
	case !c.Kept:
		e.number(notKept)
	default:
		e.number(kept)
		e.number(uint64(c.offset))
	}
	hash, _ := hex.DecodeString(c.Hash) // always valid: we encoded it
	*e = append(*e, hash...)
	e.number(uint64(c.Size))
}

// decoder reads what an encoder wrote. After data that no encoder writes it is bad,
// and returns zero values.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) problem() error {
	if d.bad {
		return errDamaged
	}
	return nil
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 || d.bad {
		d.bad = true
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) bytes(count uint64) []byte {
	if d.bad || count > uint64(len(d.data)) {
		d.bad = true
		return nil
	}
	taken := d.data[:count]
	d.data = d.data[count:]
	return taken
}

func (d *decoder) text() string { return string(d.bytes(d.number())) }

func (d *decoder) content() (c Content) {
	switch d.number() {
	case absent:
		return Content{}
	case notKept:
	case kept:
		c.Kept, c.offset = true, int64(d.number())
	default:
		d.bad = true
	}
	c.Hash = hex.EncodeToString(d.bytes(sha256.Size))
	c.Size = int64(d.number())
	d.bad = d.bad || c.Size < 0 || c.offset < 0 || c.Kept && c.Size > MaxKept
	return c
}
