// Command retrievalbench prints how well search answers the questions of two public sets, whose data is in the folder
// that -data names.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/retrieval"
	"obsidian-mcp/internal/outside/embedding"
	"obsidian-mcp/internal/text/meaning"
)

func main() {
	data := flag.String("data", "", "a folder with seekstone's fixtures, locomo10.json, or both")
	missed := flag.Bool("missed", false, "list the odd questions whose note is not among the first five")
	rounds := flag.Int("rounds", 3, "how often to ask everything; the fastest answer to each question counts; 0: only gather")
	odd := flag.Bool("odd", false, "ask the odd questions only, by which weights may be chosen")
	folder := flag.String("model", "", "the folder of a Model2Vec model to use instead of the built-in one")
	options := embedding.Options{}
	flag.StringVar(&options.URL, "url", "", "a server with embeddings to use instead of the built-in model")
	flag.StringVar(&options.Model, "name", "", "the model's name on that server")
	flag.Parse()
	var model meaning.Model
	var err error
	switch {
	case *folder != "":
		model, err = embedding.OpenFolder(*folder)
	case options.URL != "":
		model = embedding.NewEndpoint(options)
	}
	if err == nil {
		err = run(*data, *missed, *odd, *rounds, model)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(data string, missed, odd bool, rounds int, model meaning.Model) error {
	work, err := os.MkdirTemp("", "retrieval-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	sets, err := retrieval.Load(data, work)
	if err != nil {
		return err
	}
	for i := range sets {
		sets[i].Questions = slices.DeleteFunc(sets[i].Questions, func(q retrieval.Question) bool { return odd && q.Number%2 == 0 })
	}
	fmt.Println("| questions | found by | number | hit@5 | recall@5 | recall@10 | MRR | p50 | p95 |\n|---|---|---:|---:|---:|---:|---:|---:|---:|")
	for _, set := range sets {
		if rounds == 0 {
			continue
		}
		for _, way := range []struct {
			by   bench.By
			name string
		}{{bench.ByWords, "words"}, {bench.ByMeaning, "meaning"}, {bench.ByBoth, "both"}} {
			answers, err := ask(set, way.by, rounds, model)
			if err != nil {
				return err
			}
			report(set.Name, way.name, answers)
			if missed {
				list(answers)
			}
		}
	}
	return gather(sets, model)
}

// budgets are the numbers of tokens that answers may have.
var budgets = []int{500, 1_000, 2_000, 4_000}

// gather prints how much of what answers the questions gather_context returns, beside reading the best notes whole.
func gather(sets []retrieval.Set, model meaning.Model) error {
	fmt.Println("\n| questions | asked with | number | answers found | tokens | p50 |\n|---|---|---:|---:|---:|---:|")
	for _, set := range sets {
		row := func(name string, g retrieval.Gathered, err error) error {
			if err == nil && g.Questions > 0 {
				fmt.Printf("| %s | %s | %d | %.3f | %.0f | %v |\n", set.Name, name, g.Questions, g.Proof, g.Tokens, g.P50.Round(10*time.Microsecond))
			}
			return err
		}
		err := withIndex(set, bench.ByBoth, model, func(product bench.Product) error {
			for _, budget := range budgets {
				g, err := retrieval.Gather(product.(retrieval.Gatherer), set, budget)
				if err := row(fmt.Sprintf("gather_context, %d tokens", budget), g, err); err != nil {
					return err
				}
			}
			for _, count := range []int{1, 5} {
				g, err := retrieval.ReadBest(product, set, count)
				if err := row(fmt.Sprintf("the best %d of find_notes, whole", count), g, err); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// withIndex opens the program's own engine on a set, with a new index.
func withIndex(set retrieval.Set, by bench.By, model meaning.Model, use func(bench.Product) error) error {
	index, err := os.MkdirTemp("", "retrieval-index-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(index)
	product, err := bench.OpenOurs(bench.Place{Vault: set.Vault, Index: index, By: by, Model: model})
	if err != nil {
		return err
	}
	if err = product.Ready(); err == nil {
		err = use(product)
	}
	return errors.Join(err, product.Close())
}

func ask(set retrieval.Set, by bench.By, rounds int, model meaning.Model) (best []retrieval.Answer, err error) {
	err = withIndex(set, by, model, func(product bench.Product) error {
		for range rounds {
			answers, err := retrieval.Ask(product, set)
			if err != nil {
				return err
			}
			for i := range best {
				answers[i].Took = min(answers[i].Took, best[i].Took)
			}
			best = answers
		}
		return nil
	})
	return best, err
}

// report prints a row for the whole set, for each half and for each kind of question.
func report(name, by string, answers []retrieval.Answer) {
	row := func(label string, belongs func(retrieval.Answer) bool) {
		s := retrieval.Sum(answers, belongs)
		fmt.Printf("| %s | %s | %d | %.3f | %.3f | %.3f | %.3f | %v | %v |\n", label, by, s.Questions, s.Hit, s.Recall, s.Deep, s.MRR,
			s.P50.Round(10*time.Microsecond), s.P95.Round(10*time.Microsecond))
	}
	row(name, func(retrieval.Answer) bool { return true })
	row("odd numbers", func(a retrieval.Answer) bool { return a.Number%2 == 1 })
	row("even numbers", func(a retrieval.Answer) bool { return a.Number%2 == 0 })
	var kinds []string
	for _, answer := range answers {
		if !slices.Contains(kinds, answer.Kind) {
			kinds = append(kinds, answer.Kind)
		}
	}
	for _, kind := range kinds {
		row(kind, func(a retrieval.Answer) bool { return a.Kind == kind })
	}
}

func list(answers []retrieval.Answer) {
	for _, answer := range answers {
		if answer.Number%2 == 1 && (answer.Rank == 0 || answer.Rank > 5) {
			fmt.Printf("%d rank %d: %s %q\n", answer.Number, answer.Rank, answer.Text, answer.Want)
		}
	}
}
