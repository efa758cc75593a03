package corpus

import (
	"reflect"
	"regexp"
	"testing"
)

func TestDraws(t *testing.T) {
	first, again := mustMake(t), mustMake(t)
	queries := first.Queries()
	for _, class := range Classes {
		if len(queries[class]) < 10 {
			t.Errorf("%s: %d queries, want at least 10", class, len(queries[class]))
		}
	}
	if len(queries) != len(Classes) {
		t.Errorf("%d classes were drawn, want %d", len(queries), len(Classes))
	}
	if !reflect.DeepEqual(queries, again.Queries()) || !reflect.DeepEqual(first.Patterns(), again.Patterns()) {
		t.Error("the same vault gave other queries")
	}
	for _, pattern := range first.Patterns() {
		if _, err := regexp.Compile(pattern.Expr); err != nil {
			t.Errorf("%s: %v", pattern.Name, err)
		}
	}
}

func TestVault(t *testing.T) {
	made := mustMake(t)
	paths, err := made.Paths()
	if err != nil || len(paths) != made.Notes {
		t.Fatalf("%d files of %d notes, %v", len(paths), made.Notes, err)
	}
	text, err := made.Text()
	if err != nil || int64(len(text)) != made.Bytes {
		t.Errorf("%d bytes of %d, %v", len(text), made.Bytes, err)
	}
	linking, err := made.Linking()
	if err != nil || len(linking) < hubLinks(made.Notes) {
		t.Errorf("%d notes link to the hub, want %d, %v", len(linking), hubLinks(made.Notes), err)
	}
}

func TestDocumentFrequency(t *testing.T) {
	w := newWords()
	w.add("alpha beta alpha")
	w.add("alpha, gamma.")
	w.settle()
	if got := w.known["alpha"].notes; got != 2 {
		t.Errorf("alpha is in %d notes, want 2", got)
	}
	if last := w.all[len(w.all)-1].text; last != "alpha" {
		t.Errorf("the commonest word is %q, want alpha", last)
	}
}

func mustMake(t *testing.T) *Corpus {
	t.Helper()
	made, err := Make(t.TempDir(), 3000)
	if err != nil {
		t.Fatal(err)
	}
	return made
}
