package retrieval

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/bench"
	"obsidian-mcp/internal/text/tokens"
)

// Gatherer answers a question with texts, within a budget of tokens.
type Gatherer interface {
	Gather(question string, budget int) (text string, err error)
}

// Gathered is how much of what answers the questions some texts have, and what they cost.
type Gathered struct {
	Questions int
	Proof     float64 // the share of the sentences that answer a question, on average
	Tokens    float64 // on average
	P50       time.Duration
}

// Gather asks for what answers each question of a set, within a budget.
func Gather(engine Gatherer, set Set, budget int) (Gathered, error) {
	return collect(set, func(question Question) (string, error) { return engine.Gather(question.Text, budget) })
}

// ReadBest reads the best notes for each question of a set, whole.
func ReadBest(engine bench.Engine, set Set, count int) (Gathered, error) {
	return collect(set, func(question Question) (string, error) {
		hits, err := engine.Search(bench.Query{Kind: bench.Free, Terms: []string{question.Text}}, count)
		if err != nil {
			return "", err
		}
		var all strings.Builder
		for _, hit := range hits {
			text, err := os.ReadFile(filepath.Join(set.Vault, filepath.FromSlash(hit.Path)))
			if err != nil {
				return "", err
			}
			all.Write(text)
		}
		return all.String(), nil
	})
}

// collect asks all questions whose proof is known.
func collect(set Set, ask func(Question) (string, error)) (Gathered, error) {
	var sum Gathered
	var times []time.Duration
	for _, question := range set.Questions {
		if len(question.Proof) == 0 {
			continue
		}
		began := time.Now()
		text, err := ask(question)
		if err != nil {
			return Gathered{}, err
		}
		times = append(times, time.Since(began))
		sum.Tokens += float64(tokens.Of([]byte(text)))
		for _, proof := range question.Proof {
			if strings.Contains(text, proof) {
				sum.Proof += 1 / float64(len(question.Proof))
			}
		}
	}
	if sum.Questions = len(times); sum.Questions > 0 {
		sum.Proof, sum.Tokens = sum.Proof/float64(len(times)), sum.Tokens/float64(len(times))
		slices.Sort(times)
		sum.P50 = times[len(times)/2]
	}
	return sum, nil
}
