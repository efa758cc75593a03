package ops

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/tool"
)

// How find_notes looks for plain words.
const (
	autoMode    = "auto"
	wordsMode   = "words"
	meaningMode = "meaning"
)

// chooseMode gives a search the vectors that it may use, and says which mode it is in and how many of the notes have vectors.
func (o *Ops) chooseMode(ctx context.Context, s *index.Snapshot, in FindNotes, search *index.Search) (tool.Meta, error) {
	_, isPlain := search.Query.Plain()
	isPlain = isPlain && in.Query != ""
	switch {
	case !slices.Contains([]string{"", autoMode, wordsMode, meaningMode}, in.Mode):
		return nil, fault.InvalidArgument.Errorf("Invalid mode: %s. Valid: auto, words, meaning", in.Mode)
	case in.Mode == meaningMode && !isPlain:
		return nil, fault.InvalidArgument.Errorf("mode meaning needs a query of plain words").WithHint("tags, path_prefix and properties choose among what it finds")
	case in.Mode == meaningMode && search.Sort != index.ByRelevance:
		return nil, fault.InvalidArgument.Errorf("mode meaning sorts by relevance only")
	case in.Mode == wordsMode || in.ExistsOnly || !isPlain || search.Sort != index.ByRelevance || in.SimilarTo != "":
		return tool.Meta{"mode": wordsMode}, nil
	}
	search.Meanings = o.vault.Meanings(ctx, s)
	if search.Meanings == nil {
		if in.Mode == meaningMode {
			return nil, fault.InvalidArgument.Errorf("mode meaning is switched off").WithHint("set OBSIDIAN_MCP_SEMANTIC=builtin, or use mode words")
		}
		return tool.Meta{"mode": wordsMode}, nil
	}
	search.OnlyMeaning = in.Mode == meaningMode
	coverage := 1.0
	if notes := search.Meanings.Notes; notes > 0 {
		coverage = float64(search.Meanings.Covered()) / float64(notes)
	}
	if coverage < 1 {
		rest := "the rest are being read"
		if o.vault.MeaningFailure() != nil {
			rest = "the model does not answer"
		}
		tool.AddHint(ctx, tool.HintSuggest, "%d %% of the notes can be found by meaning so far; %s.", int(100*coverage), rest)
	}
	mode := autoMode
	if search.OnlyMeaning {
		mode = meaningMode
	}
	return tool.Meta{"mode": mode, "coverage": math.Floor(1000*coverage) / 1000}, nil
}

// withoutMeaning says that the model did not answer, so that notes were found by their words, or refuses if that is not wanted. The
// reason is for the owner of the server, who finds it in the log and with doctor.
func withoutMeaning(ctx context.Context, in FindNotes) (tool.Meta, error) {
	if in.Mode == meaningMode {
		return nil, fault.StoreUnavailable.Errorf("the model for mode meaning does not answer").WithHint("use mode words; obsidian-mcp doctor says what is wrong")
	}
	hintWordsOnly(ctx)
	return tool.Meta{"mode": wordsMode}, nil
}

// hintWordsOnly says that notes were found by their words although they should have been found by meaning too.
func hintWordsOnly(ctx context.Context) {
	tool.AddHint(ctx, tool.HintSuggest, "The model for search by meaning does not answer: these were found by words only.")
}

// searchOrCompare answers a search or, with similar_to, finds the notes that are most like a note among those that match.
func (o *Ops) searchOrCompare(ctx context.Context, s *index.Snapshot, in FindNotes, search index.Search) (index.Results, error) {
	if in.SimilarTo == "" {
		return s.Search(ctx, search)
	}
	if search.Sort != index.ByRelevance {
		return index.Results{}, fault.InvalidArgument.Errorf("similar_to sorts by likeness only")
	}
	r := &report{ops: o, ctx: ctx, in: GraphReport{Kind: "similar", Note: strings.TrimSpace(in.SimilarTo)}}
	if err := r.prepare(); err != nil {
		return index.Results{}, err
	}
	similar, err := r.similar()
	if err != nil {
		return index.Results{}, err
	}
	scores := map[vpath.Path]float64{}
	for _, item := range similar {
		scores[vpath.Path(item.Path)] = item.Score
	}
	keep, limit := search.Keep, search.Limit
	search.Keep = func(path vpath.Path) bool { return scores[path] > 0 && (keep == nil || keep(path)) }
	search.Limit = len(scores)
	results, err := s.Search(ctx, search)
	if err != nil {
		return index.Results{}, err
	}
	results.Found = slices.DeleteFunc(results.Found, func(found index.Found) bool { return found.Partial })
	for i := range results.Found {
		results.Found[i].Score = scores[results.Found[i].Path]
	}
	order.By(results.Found, func(a, b index.Found) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path)) })
	results.Found = results.Found[:min(limit, len(results.Found))]
	return results, nil
}
