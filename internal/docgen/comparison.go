package docgen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Comparison compares this program with others of its kind. It is read from
// docs/comparison.json; the tables of README.md and docs/COMPARISON.md are generated from
// it.
type Comparison struct {
	Peers  []Peer  `json:"peers"`
	Groups []Group `json:"groups"`
}

// Peer is another program, at the version that was examined.
type Peer struct {
	ID         string `json:"id"`
	Name       string `json:"name"` // heading of its column
	Repository string `json:"repository"`
	Version    string `json:"version"`
	Read       string `json:"read"` // the date of the snapshot
	Kind       string `json:"kind"`
	Front      bool   `json:"front"` // has a column in the README
}

// Group is a table of rows that belong together.
type Group struct {
	Title string `json:"title"`
	Rows  []Row  `json:"rows"`
}

// Row is a feature that a program has or lacks.
type Row struct {
	Feature  string            `json:"feature"`
	Ours     Answer            `json:"ours"`
	Note     string            `json:"note"`  // what ours lacks
	Proof    []string          `json:"proof"` // "test PACKAGE NAME", "tool NAME", "command NAME", "make TARGET"
	Peers    map[string]Answer `json:"peers"` // by id; a peer that is not listed lacks the feature, as far as we found
	How      How               `json:"how"`   // how we know about the peers
	Evidence string            `json:"evidence"`
	Front    bool              `json:"front"` // appears in the README
}

// Answer says whether a program has a feature.
type Answer string

// How says how the answers about peers were found.
type How string

var (
	answers = map[Answer]string{"yes": "yes", "part": "in part", "no": "–", "unknown": "?"}
	hows    = map[How]string{"source": "read", "run": "run", "mixed": "run, read"}
)

// ParseComparison reads docs/comparison.json. Every row must say how its answers are
// known, and every claim about this program must have a proof.
func ParseComparison(content []byte) (Comparison, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	var c Comparison
	if err := decoder.Decode(&c); err != nil {
		return Comparison{}, err
	}
	for _, group := range c.Groups {
		for _, row := range group.Rows {
			if err := row.check(c.Peers); err != nil {
				return Comparison{}, fmt.Errorf("%q: %w", row.Feature, err)
			}
		}
	}
	return c, nil
}

func (r Row) check(peers []Peer) error {
	switch {
	case answers[r.Ours] == "" || r.Ours == "unknown":
		return fmt.Errorf("our own answer must be yes, part or no, not %q", r.Ours)
	case r.Ours != "no" && len(r.Proof) == 0:
		return fmt.Errorf("our answer has no proof")
	case r.Ours == "part" && r.Note == "":
		return fmt.Errorf("our answer is 'part', but no note says which part")
	case hows[r.How] == "" || r.Evidence == "":
		return fmt.Errorf("how or evidence is missing for the answers about peers")
	}
	for id, answer := range r.Peers {
		isPeer := slices.ContainsFunc(peers, func(p Peer) bool { return p.ID == id })
		if !isPeer || answers[answer] == "" {
			return fmt.Errorf("unknown peer or answer: %q for %q", answer, id)
		}
	}
	return nil
}

// Front returns the README's table: the rows and peers that most people ask for.
func (c Comparison) Front() string {
	var rows []Row
	for _, group := range c.Groups {
		for _, row := range group.Rows {
			if row.Front {
				rows = append(rows, row)
			}
		}
	}
	peers := slices.DeleteFunc(slices.Clone(c.Peers), func(p Peer) bool { return !p.Front })
	var out strings.Builder
	writeHeader(&out, peers)
	for _, row := range rows {
		writeAnswers(&out, row, peers)
		out.WriteString("\n")
	}
	return out.String()
}

// Full returns the tables of docs/COMPARISON.md: every row, one table per group, with the
// proof of our answer and the source of theirs.
func (c Comparison) Full() string {
	var out strings.Builder
	for _, group := range c.Groups {
		fmt.Fprintf(&out, "### %s\n\n", group.Title)
		writeHeader(&out, c.Peers, "ours is checked by", "theirs is known from")
		for _, row := range group.Rows {
			writeAnswers(&out, row, c.Peers)
			fmt.Fprintf(&out, " %s | %s: %s |\n", proofs(row.Proof), hows[row.How], escape(row.Evidence))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// Compared returns the table of the peers: which program, and which version.
func (c Comparison) Compared() string {
	var out strings.Builder
	out.WriteString("| column | repository | version | read as of | what it is |\n|---|---|---|---|---|\n")
	for _, peer := range c.Peers {
		version := peer.Version
		if version == "" {
			version = "–"
		}
		fmt.Fprintf(&out, "| %s | [%s](https://github.com/%s) | %s | %s | %s |\n",
			peer.Name, peer.Repository, peer.Repository, version, peer.Read, peer.Kind)
	}
	return out.String()
}

func writeHeader(out *strings.Builder, peers []Peer, more ...string) {
	out.WriteString("| | obsidian-mcp |")
	for _, peer := range peers {
		fmt.Fprintf(out, " %s |", peer.Name)
	}
	for _, column := range more {
		fmt.Fprintf(out, " %s |", column)
	}
	fmt.Fprintf(out, "\n|---|---|%s\n", strings.Repeat("---|", len(peers)+len(more)))
}

// writeAnswers writes a row up to its last peer.
func writeAnswers(out *strings.Builder, row Row, peers []Peer) {
	ours := answers[row.Ours]
	if row.Ours == "yes" {
		ours = "**yes**"
	}
	if row.Note != "" {
		ours += " (" + escape(row.Note) + ")"
	}
	fmt.Fprintf(out, "| %s | %s", escape(row.Feature), ours)
	for _, peer := range peers {
		answer := row.Peers[peer.ID]
		if answer == "" {
			answer = "no"
		}
		fmt.Fprintf(out, " | %s", answers[answer])
	}
	out.WriteString(" |")
}

// proofs returns the commands that show a proof.
func proofs(all []string) string {
	if len(all) == 0 {
		return "–"
	}
	var out []string
	for _, proof := range all {
		kind, rest, _ := strings.Cut(proof, " ")
		switch kind {
		case "test":
			pkg, name, _ := strings.Cut(rest, " ")
			out = append(out, "`go test ./"+pkg+" -run '^"+name+"$'`")
		case "tool":
			out = append(out, "`obsidian-mcp call "+rest+"`")
		case "command":
			out = append(out, "`obsidian-mcp "+rest+"`")
		default:
			out = append(out, "`"+proof+"`")
		}
	}
	return strings.Join(out, ", ")
}
