// Package retrieval judges ranked search by two public sets of questions whose answers are known. Their data is not part
// of the repository: the user says where it is.
package retrieval

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/relevance"
)

// Question is a question with the notes that answer it.
type Question struct {
	Number int // from 1, in the order of the set; weights are chosen by looking at the odd ones only
	Kind   string
	Text   string
	Want   []string // paths of notes
	Proof  []string // the sentences in these notes that answer it; nil: unknown
}

// Set is a vault with questions about it.
type Set struct {
	Name      string
	Vault     string
	Questions []Question
}

// depth is how many hits count.
const depth = 10

// Answer is how well a question was answered, and how long that took.
type Answer struct {
	Question
	Rank   int     // of the first wanted note; 0: not among the first ten
	Recall float64 // the share of the wanted notes among the first five
	Deep   float64 // the share among the first ten
	Took   time.Duration
}

// Ask asks an engine all questions of a set.
func Ask(engine bench.Engine, set Set) ([]Answer, error) {
	answers := make([]Answer, len(set.Questions))
	for i, question := range set.Questions {
		began := time.Now()
		hits, err := engine.Search(bench.Query{Kind: bench.Free, Terms: []string{question.Text}}, depth)
		if err != nil {
			return nil, err
		}
		answers[i] = judge(question, hits)
		answers[i].Took = time.Since(began)
	}
	return answers, nil
}

func judge(question Question, hits []bench.Hit) Answer {
	answer := Answer{Question: question}
	_, answer.Recall = relevance.Measure(question.Want, hits, depth/2)
	answer.Rank, answer.Deep = relevance.Measure(question.Want, hits, depth)
	return answer
}

// Score summarises answers.
type Score struct {
	Questions    int
	Hit          float64 // the share of questions with a wanted note among the first five
	Recall, Deep float64
	MRR          float64 // the mean of 1/rank
	P50, P95     time.Duration
}

// Sum scores the answers that belong selects.
func Sum(answers []Answer, belongs func(Answer) bool) Score {
	var sum Score
	var times []time.Duration
	for _, answer := range answers {
		if !belongs(answer) {
			continue
		}
		times = append(times, answer.Took)
		sum.Recall += answer.Recall
		sum.Deep += answer.Deep
		if answer.Rank > 0 {
			sum.MRR += 1 / float64(answer.Rank)
		}
		if answer.Rank > 0 && answer.Rank <= depth/2 {
			sum.Hit++
		}
	}
	if len(times) == 0 {
		return sum
	}
	sum.Questions = len(times)
	count := float64(len(times))
	sum.Hit, sum.Recall, sum.Deep, sum.MRR = sum.Hit/count, sum.Recall/count, sum.Deep/count, sum.MRR/count
	slices.Sort(times)
	sum.P50, sum.P95 = times[len(times)/2], times[len(times)*95/100]
	return sum
}

// ErrNoData means that a folder holds neither set.
var ErrNoData = errors.New("neither seekstone's fixtures (packages/harness) nor locomo10.json is below this folder")

// Load finds the sets below a folder, to a depth of a few folders. LoCoMo's sessions are written as notes into work.
func Load(data, work string) ([]Set, error) {
	var sets []Set
	if golden := find(data, "queries/golden.json"); golden != "" {
		set, err := seekstone(filepath.Dir(filepath.Dir(golden)))
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	if conversations := find(data, "locomo10.json"); conversations != "" {
		set, err := locomo(conversations, work)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return nil, ErrNoData
	}
	return sets, nil
}

// find returns a file below a folder, or "".
func find(folder, name string) string {
	for _, between := range []string{"", "*", "*/*", "*/*/*"} {
		if found, err := filepath.Glob(filepath.Join(folder, between, name)); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

func readJSON(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
