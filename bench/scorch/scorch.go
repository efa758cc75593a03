// Package scorch is bleve with its scorch index, as an engine to compare with: five fields with boosts, words
// folded to lower case, CJK in bigrams, bodies stored with term vectors for its highlighter.
package scorch

import (
	"fmt"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"obsidian-mcp/bench"
)

// Maker makes bleve for the benchmarks.
func Maker() bench.Maker { return maker("bleve", plain) }

// Judged makes bleve for the relevance test, where it may take its time: English stems, and misspelt and unfinished
// words as weaker evidence.
func Judged() bench.Maker { return maker("bleve", stemming) }

func maker(name string, how analysis) bench.Maker {
	return bench.Maker{
		Name:  name,
		Build: func(place bench.Place) error { return build(place, how) },
		Open:  open,
	}
}

// batchSize is the number of notes in a batch.
const batchSize = 500

func build(place bench.Place, how analysis) error {
	rules, err := newMapping(how)
	if err != nil {
		return err
	}
	index, err := bleve.NewUsing(folder(place), rules, scorch.Name, scorch.Name, nil)
	if err != nil {
		return err
	}
	batch := index.NewBatch()
	err = bench.EachDoc(place.Vault, func(doc bench.Doc) error {
		if err := batch.Index(doc.Path, fieldsOf(doc)); err != nil {
			return err
		}
		if batch.Size() < batchSize {
			return nil
		}
		defer batch.Reset()
		return index.Batch(batch)
	})
	if err != nil {
		return err
	}
	if err := index.Batch(batch); err != nil {
		return err
	}
	return index.Close()
}

func folder(place bench.Place) string { return place.Index + "/bleve" }

type engine struct{ index bleve.Index }

func open(place bench.Place) (bench.Engine, error) {
	index, err := bleve.Open(folder(place))
	if err != nil {
		return nil, err
	}
	return &engine{index}, nil
}

func (e *engine) Search(query bench.Query, limit int) ([]bench.Hit, error) {
	asked, err := translate(query)
	if err != nil {
		return nil, err
	}
	request := bleve.NewSearchRequestOptions(asked, limit, 0, false)
	request.Highlight = bleve.NewHighlightWithStyle("html")
	request.Highlight.AddField("text")
	result, err := e.index.Search(request)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", query.Class, query.Terms, err)
	}
	hits := make([]bench.Hit, len(result.Hits))
	for i, hit := range result.Hits {
		hits[i] = bench.Hit{Path: hit.ID, Score: hit.Score, Snippet: strings.Join(hit.Fragments["text"], " … ")}
	}
	return hits, nil
}

func (e *engine) Update(doc bench.Doc) error { return e.index.Index(doc.Path, fieldsOf(doc)) }

func (e *engine) Close() error { return e.index.Close() }
