package docgen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Comparison is this program beside others of its kind: docs/comparison.json,
// from which the README's table and that of docs/COMPARISON.md are made.
type Comparison struct {
	Peers  []Peer  `json:"peers"`
	Groups []Group `json:"groups"`
}

// Peer is another program, as it was when it was read.
type Peer struct {
	ID         string `json:"id"`
	Name       string `json:"name"` // at the head of a column
	Repository string `json:"repository"`
	Version    string `json:"version"`
	Read       string `json:"read"` // the date of the snapshot
	Kind       string `json:"kind"`
	Front      bool   `json:"front"` // it has a column in the README
}

// Group is rows that belong together.
type Group struct {
	Title string `json:"title"`
	Rows  []Row  `json:"rows"`
}

// Row is one thing that a program can do or not.
type Row struct {
	Feature  string            `json:"feature"`
	Ours     Answer            `json:"ours"`
	Note     string            `json:"note"`  // what is missing of ours
	Proof    []string          `json:"proof"` // "test PACKAGE NAME", "tool NAME", "command NAME", "make TARGET"
	Peers    map[string]Answer `json:"peers"` // by id; one that is not here has no such thing, as far as was found
	How      How               `json:"how"`   // how that is known
	Evidence string            `json:"evidence"`
	Front    bool              `json:"front"` // it is in the README
}

// Answer says whether a program can do something.
type Answer string

// How says where an answer about a peer is from.
type How string

var (
	answers = map[Answer]string{"yes": "yes", "part": "in part", "no": "–", "unknown": "?"}
	hows    = map[How]string{"source": "read", "run": "run", "mixed": "run, read"}
)

// ParseComparison reads docs/comparison.json. Every row says what is known, and
// how; what we claim of ourselves has a proof.
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
		return fmt.Errorf("our own answer is %q", r.Ours)
	case r.Ours != "no" && len(r.Proof) == 0:
		return fmt.Errorf("no proof of ours")
	case r.Ours == "part" && r.Note == "":
		return fmt.Errorf("no note says which part")
	case hows[r.How] == "" || r.Evidence == "":
		return fmt.Errorf("nothing says how it is known of the others")
	}
	for id, answer := range r.Peers {
		known := slices.ContainsFunc(peers, func(p Peer) bool { return p.ID == id })
		if !known || answers[answer] == "" {
			return fmt.Errorf("%q of %q", answer, id)
		}
	}
	return nil
}

// Front is the README's table: the rows and peers that most people ask for.
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
	header(&out, peers)
	for _, row := range rows {
		answersOf(&out, row, peers)
		out.WriteString("\n")
	}
	return out.String()
}

// Full is the table of docs/COMPARISON.md: every row, a table a group, with
// what proves our answer and where theirs are from.
func (c Comparison) Full() string {
	var out strings.Builder
	for _, group := range c.Groups {
		fmt.Fprintf(&out, "### %s\n\n", group.Title)
		header(&out, c.Peers, "ours is checked by", "theirs is known from")
		for _, row := range group.Rows {
			answersOf(&out, row, c.Peers)
			fmt.Fprintf(&out, " %s | %s: %s |\n", proofs(row.Proof), hows[row.How], escape(row.Evidence))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// Compared is the table of the peers: which program, and as of when.
func (c Comparison) Compared() string {
	var out strings.Builder
	out.WriteString("| column | repository | version | read as of | what it is |\n|---|---|---|---|---|\n")
	for _, peer := range c.Peers {
		version := peer.Version
		if version == "" {
			version = "–"
		}
		fmt.Fprintf(&out, "| %s | [%s](https://github.com/%s) | %s | %s | %s |\n", peer.Name, peer.Repository, peer.Repository, version, peer.Read, peer.Kind)
	}
	return out.String()
}

func header(out *strings.Builder, peers []Peer, more ...string) {
	out.WriteString("| | obsidian-mcp |")
	for _, peer := range peers {
		fmt.Fprintf(out, " %s |", peer.Name)
	}
	for _, column := range more {
		fmt.Fprintf(out, " %s |", column)
	}
	fmt.Fprintf(out, "\n|---|---|%s\n", strings.Repeat("---|", len(peers)+len(more)))
}

// answersOf is a row as far as the last of the peers.
func answersOf(out *strings.Builder, row Row, peers []Peer) {
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

// proofs are commands that a person can run.
func proofs(given []string) string {
	if len(given) == 0 {
		return "–"
	}
	var out []string
	for _, proof := range given {
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
