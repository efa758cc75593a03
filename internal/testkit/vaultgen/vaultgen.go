// Package vaultgen generates vaults for tests and benchmarks; the same seed gives the same bytes. Words follow Zipf's law
// in several scripts, mixed with names, dates and words that occur only once. Note sizes are log-normal, and one note is
// a hub that thousands of others link to.
package vaultgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Options describe a vault.
type Options struct {
	Notes int
	Seed  uint64
	Hub   int // how many notes link to the note "Hub"; 0: Notes/20, at most 5,000
}

// Note is one file of a generated vault.
type Note struct {
	Path string
	Text string
}

// perFolder is about how many notes a folder holds.
const perFolder = 40

// Write writes a vault into a folder.
func Write(dir string, options Options) error {
	made := map[string]bool{}
	return Generate(options, func(note Note) error {
		name := filepath.Join(dir, filepath.FromSlash(note.Path))
		if folder := filepath.Dir(name); !made[folder] {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			made[folder] = true
		}
		return os.WriteFile(name, []byte(note.Text), 0o644)
	})
}

// Generate calls each with the notes of a vault, one after the other.
func Generate(options Options, each func(Note) error) error {
	if options.Hub == 0 {
		options.Hub = min(options.Notes/20, 5000)
	}
	g := &generator{options: options, random: rand.New(rand.NewPCG(options.Seed, 7))}
	g.words = rand.NewZipf(g.random, 1.1, 3, vocabulary-1)
	g.targets = rand.NewZipf(g.random, 1.3, 10, uint64(options.Notes-1))
	if err := each(Note{"Hub.md", "---\naliases: [Centre]\n---\n# Hub\n\nEverything meets here.\n"}); err != nil {
		return err
	}
	for i := 1; i < options.Notes; i++ {
		if err := each(Note{g.path(i), g.note(i)}); err != nil {
			return err
		}
	}
	return nil
}

type generator struct {
	options Options
	random  *rand.Rand
	words   *rand.Zipf
	targets *rand.Zipf
	out     strings.Builder
}

func title(i int) string { return fmt.Sprintf("%s %d", word(uint64(i)*7919%vocabulary, i), i) }

func (g *generator) path(i int) string {
	folder := i / perFolder
	return fmt.Sprintf("%c/%s %d/%s.md", 'A'+folder%26, word(uint64(folder)%vocabulary, 0), folder, title(i))
}

func (g *generator) note(i int) string {
	g.out.Reset()
	size := int(math.Exp(g.random.NormFloat64()*0.9 + 7.6)) // median 2 KB, mean 3 KB
	if g.random.IntN(10) < 7 {
		g.front(i)
	}
	fmt.Fprintf(&g.out, "# %s\n\n", title(i))
	if i <= g.options.Hub {
		g.out.WriteString("Part of [[Hub]].\n\n")
	}
	for g.out.Len() < min(size, 200_000) {
		switch g.random.IntN(12) {
		case 0:
			fmt.Fprintf(&g.out, "## %s\n\n", g.sentence(3))
		case 1:
			fmt.Fprintf(&g.out, "- [ ] %s\n- [x] %s [[%s]]\n\n", g.sentence(6), g.sentence(4), g.target())
		case 2:
			fmt.Fprintf(&g.out, "```go\n// [[not a link]] #nottag\nfunc f() {}\n```\n\n")
		case 3:
			fmt.Fprintf(&g.out, "%s #tag%d %s\n\n", g.sentence(9), g.random.IntN(200), g.sentence(9))
		case 4:
			fmt.Fprintf(&g.out, "%s [[%s|%s]] and [text](%s.md).\n\n", g.sentence(12), g.target(), g.sentence(2), strings.ReplaceAll(g.target(), " ", "%20"))
		default:
			for range 1 + g.random.IntN(4) {
				g.out.WriteString(g.prose(6 + g.random.IntN(20)))
			}
			g.out.WriteString("\n\n")
		}
	}
	return g.out.String()
}

func (g *generator) front(i int) {
	fmt.Fprintf(&g.out, "---\ncreated: 2026-%02d-%02d\n", 1+i%12, 1+i%28)
	if g.random.IntN(3) > 0 {
		fmt.Fprintf(&g.out, "tags:\n  - tag%d\n  - area/part%d\n", g.random.IntN(200), g.random.IntN(40))
	}
	if g.random.IntN(5) == 0 {
		fmt.Fprintf(&g.out, "up: \"[[%s]]\"\n", g.target())
	}
	if g.random.IntN(8) == 0 {
		fmt.Fprintf(&g.out, "aliases: [%s]\n", g.sentence(2))
	}
	g.out.WriteString("status: draft # by hand\n---\n")
}

func (g *generator) target() string {
	return title(1 + int(g.targets.Uint64())%max(1, g.options.Notes-1))
}
