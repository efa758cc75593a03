// Package text is a search engine for texts. It knows nothing about notes.
//
// Documents live in immutable segments: a segment is two runs of bytes, in memory or mapped from a file, that are read in
// place. One holds the texts; the other a sorted dictionary of their folded tokens, for each token the documents
// and positions where it occurs, and trigrams of the tokens, which find a piece of a word. The second takes longer to make,
// so a segment can be read before its dictionary exists. Texts that stay in memory may be packed.
//
// An Index is a list of segments, with a set of dead documents for each. With makes the next index; nothing that a
// reader holds ever changes. Scores are computed from the counts of all segments together, so they do not depend on
// how documents are spread over segments.
//
// The caller decides what a query means. The engine answers which documents contain a word, a piece of a word or a
// literal, either exactly or as a superset that the caller must check, and how well a document fits some words.
package text

// Doc is a document to be indexed. When matches are ranked, its fields weigh more than its text.
type Doc struct {
	Title    string
	Aliases  []string
	Headings []string
	Tags     []string
	Text     []byte
	Binary   bool // it has NUL bytes; line searches skip it
}

// fields yields the values of a document's fields.
func (d *Doc) fields(yield func(Fields, []byte) bool) {
	if !yield(Title, []byte(d.Title)) {
		return
	}
	for i, values := range [...][]string{d.Aliases, d.Headings, d.Tags} {
		for _, value := range values {
			if !yield(Alias<<i, []byte(value)) {
				return
			}
		}
	}
}

// Fields is a set of parts of a document.
type Fields uint8

// The fields, in the order of their bits in a posting.
const (
	Title Fields = 1 << iota
	Alias
	HeadingField
	TagField
	Body // not a bit of a posting: it follows from the number of positions
)

// boosts say, by set of fields, how many occurrences in the text an occurrence in these fields is worth.
var boosts = [16]float32{}

func init() {
	weights := [4]float32{12, 9, 4, 3}
	for mask := range boosts {
		for bit, weight := range weights {
			if mask&(1<<bit) != 0 {
				boosts[mask] += weight
			}
		}
	}
}
