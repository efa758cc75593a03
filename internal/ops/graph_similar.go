package ops

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/regex"
)

const (
	tellingWords = 15 // words of a note that similar notes are looked for by
	mostSimilar  = 100
	fusion       = 10.0 // how little the first ranks count above the later ones
)

// similar lists the notes that are most like a note, by their words, what they mean, their links and their tags.
func (r *report) similar() ([]ReportItem, error) {
	byText, err := r.similarByText()
	if err != nil {
		return nil, err
	}
	scores, by := map[vpath.Path]float64{}, map[vpath.Path][]string{}
	for _, ranking := range []struct {
		by     string
		weight float64
		notes  []vpath.Path
	}{{"text", 1, byText}, {"meaning", 1, r.similarByMeaning()}, {"links", 1, r.similarByLinks()}, {"tags", 0.5, r.similarByTags()}} {
		for rank, path := range ranking.notes[:min(mostSimilar, len(ranking.notes))] {
			scores[path] += ranking.weight * fusion / (fusion + float64(rank))
			by[path] = append(by[path], ranking.by)
		}
	}
	var items []ReportItem
	for path, score := range scores {
		items = append(items, ReportItem{Path: string(path), Score: rounded(score, 3), By: by[path]})
	}
	order.By(items, func(a, b ReportItem) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
	})
	return items, nil
}

// isOther reports whether a note may be in the answer.
func (r *report) isOther(path vpath.Path) bool { return path != r.note && r.wants(path) }

// similarByText finds notes by the words that are frequent in this note and rare in others.
func (r *report) similarByText() ([]vpath.Path, error) {
	counts := map[string]float64{}
	text := r.s.Text(r.note)
	for _, word := range plainWords(index.Plain(text[md.BodyStart([]byte(text)):])) {
		if !functionWords[word] && len(word) > 1 {
			counts[word]++
		}
	}
	var words []string
	for word, count := range counts {
		counts[word] = math.Log1p(count) * r.s.Weight(word)
		words = append(words, word)
	}
	order.By(words, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b)) })
	words = words[:min(tellingWords, len(words))]
	if len(words) == 0 {
		return nil, nil
	}
	query, err := search.Parse(strings.Join(words, " "), search.Options{Limit: regex.NewLimit(r.ctx.Done(), maxSteps)})
	if err != nil {
		return nil, err
	}
	results, err := r.s.Search(r.ctx, index.Search{Query: query, Limit: mostSimilar, Keep: r.isOther})
	var found []vpath.Path
	for _, result := range results.Found {
		found = append(found, result.Path)
	}
	return found, err
}

// similarByMeaning finds notes whose passages are closest to the whole note.
func (r *report) similarByMeaning() []vpath.Path {
	meanings := r.ops.vault.Meanings(r.ctx, r.s)
	if meanings == nil {
		return nil
	}
	return meanings.Like(r.note, r.isOther, mostSimilar)
}

// similarByLinks finds notes that share neighbours with this one. A neighbour that many notes share says little.
func (r *report) similarByLinks() []vpath.Path {
	g := r.s.LinkGraph()
	node, _ := g.Node(r.note)
	shared := map[vpath.Path]float64{}
	for _, neighbour := range slices.Concat(g.Out[node], g.In[node]) {
		near := slices.Concat(g.Out[neighbour], g.In[neighbour])
		for _, other := range near {
			if path := g.Paths[other]; r.isOther(path) {
				shared[path] += 1 / math.Log(2+float64(len(near)))
			}
		}
	}
	return byScore(shared)
}

// similarByTags finds notes that share tags with this one. A tag that many notes have says little.
func (r *report) similarByTags() []vpath.Path {
	shared := map[vpath.Path]float64{}
	for _, tag := range r.s.Entry(r.note).Tags {
		tagged := r.s.Tagged(strings.TrimPrefix(tag, "#"), true)
		for _, path := range tagged {
			if r.isOther(path) {
				shared[path] += 1 / math.Log(2+float64(len(tagged)))
			}
		}
	}
	return byScore(shared)
}

// byScore lists notes, the best first.
func byScore(scores map[vpath.Path]float64) []vpath.Path {
	var paths []vpath.Path
	for path := range scores {
		paths = append(paths, path)
	}
	order.By(paths, func(a, b vpath.Path) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return paths
}
