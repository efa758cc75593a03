// Package text is the search engine: it knows texts, not notes.
//
// Documents live in segments, which never change: a segment is one run of
// bytes, in memory or mapped from a file, and is read in place. It holds the
// texts themselves, a sorted dictionary of their folded tokens, for each token
// the documents and places where it stands, and trigrams of the tokens, by
// which a piece of a word is found.
//
// An Index is a list of segments with the documents of each that count no
// more. With makes the next one; nothing that a reader holds ever changes.
// Scores are computed from the counts of all segments together, so that it
// makes no difference how documents are spread over them.
//
// What a query means is for others to say: the engine answers which documents
// contain a word, a piece of one, a literal, all exactly or as a superset to
// look through, and how well a document fits some words.
package text

// Doc is a document to be indexed. Its fields weigh more than its text when
// matches are ranked.
type Doc struct {
	Title    string
	Aliases  []string
	Headings []string
	Tags     []string
	Text     []byte
	Meta     []byte // the caller's own, kept as it is
	Binary   bool   // not for Lines: it holds bytes that no text has
}

// Fields are the parts of a document in which a token may stand.
type Fields uint8

// The fields, in the order of their bits in a posting.
const (
	Title Fields = 1 << iota
	Alias
	HeadingField
	TagField
	Body // not a bit of a posting: it follows from the count of places
)

// boosts say how many occurrences in the text one in a field is worth.
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
