package text

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// answers asks a question and returns the keys of the documents that have a part of it, the best first.
func answers(x *Index, question string) []string {
	_, found := x.Ask(strings.Fields(question)).Rank(NewSet(x.Docs()), x.Live(), 10, byKey(x))
	var keys []string
	for _, document := range found {
		keys = append(keys, x.Key(document.Doc))
	}
	return keys
}

func byKey(x *Index) Order {
	return Order{
		Bonus: func(int) float32 { return 0 },
		Less:  func(a, b int) bool { return x.Key(a) < x.Key(b) },
	}
}

func library(texts map[string]string) *Index {
	var change Change
	for key, text := range texts {
		title, body, _ := strings.Cut(text, "\n")
		change.Keys = append(change.Keys, key)
		change.Docs = append(change.Docs, Doc{Title: title, Text: []byte(body)})
	}
	return New(nil).With(change)
}

func TestQuestionsInManyScripts(t *testing.T) {
	t.Parallel()
	x := library(map[string]string{
		"zh":    "如何克服拖延症\n把任务分成小步骤。",
		"zh2":   "面包\n面粉和水，发酵一夜。",
		"ja":    "よく眠るために\n寝る前にスマートフォンを見ない。",
		"th":    "ซ่อมจักรยาน\nเปลี่ยนยางในและตรวจเบรก",
		"ko":    "도서관\n도서관에서 책을 빌린다.",
		"ru":    "Хлеб\nРжаная мука и закваска стоят ночь.",
		"de":    "Garten\nDie Tomaten gießen und die Häuser streichen.",
		"el":    "Μέλισσες\nΟι κυψέλες θέλουν καθαρό νερό.",
		"ar":    "النحل\nالكتب عن تربية النحل في المكتبة",
		"en":    "Anemometer\nAn instrument for measuring the velocity of winds.",
		"noise": "Rest\nNothing of this is about what anybody asks.",
	})
	for question, want := range map[string]string{
		"拖延的原因":  "zh",
		"怎么做面包？": "zh2",
		"寝る前に何をしない方がいいですか":          "ja",
		"จะเปลี่ยนเบรกจักรยานยังไง": "th",
		"도서관의 책": "ko",
		"сколько стоит ржаную муку держать с закваской": "ru",
		"wie oft gieße ich eine Tomate":   "de",
		"πόσο νερό θέλει μια κυψέλη":      "el",
		"كتاب عن نحلة":                    "ar",
		"which instruments measure wind?": "en",
	} {
		if got := answers(x, question); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %q first", question, got, want)
		}
	}
}

// Words close together count more than the same words far apart, and the passage is known.
func TestNearWordsCountMore(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("and then on and on it went ", 40)
	x := library(map[string]string{
		"far":  "first\ncopper " + filler + "kettle " + filler + "descale",
		"near": "second\n" + filler + filler + "descale the copper kettle",
	})
	_, found := x.Ask(strings.Fields("how to descale a copper kettle")).Rank(NewSet(x.Docs()), x.Live(), 10, byKey(x))
	if len(found) != 2 || x.Key(found[0].Doc) != "near" {
		t.Fatalf("%v", found)
	}
	if want := 2*len(filler) + 1; found[0].At != want {
		t.Errorf("the passage is at %d, want %d", found[0].At, want)
	}
}

// Leaving out documents that cannot be among the best changes neither scores nor order.
func TestRankLeavesOutOnlyWhatDoesNotMatter(t *testing.T) {
	t.Parallel()
	vocabulary := strings.Fields("the of and to a in is it for star wars ship moon tide river bread yeast honey hive cedar basil quartz")
	rapid.Check(t, func(t *rapid.T) {
		var change Change
		for i := range rapid.IntRange(70, 160).Draw(t, "documents") {
			var words []string
			for range rapid.IntRange(1, 14).Draw(t, "words") {
				// The first words are the most common ones.
				at := min(rapid.IntRange(0, len(vocabulary)-1).Draw(t, "a"), rapid.IntRange(0, len(vocabulary)-1).Draw(t, "b"))
				words = append(words, vocabulary[at])
			}
			change.Keys = append(change.Keys, fmt.Sprintf("%03d", i))
			change.Docs = append(change.Docs, Doc{Title: words[0], Text: []byte(strings.Join(words, " "))})
		}
		x := New(nil).With(change)
		question := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 10).Draw(t, "question")
		full := NewSet(x.Docs())
		for doc := range x.Docs() {
			if rapid.IntRange(0, 20).Draw(t, "full") == 0 {
				full.Add(doc)
			}
		}
		rest := slices.Clone(x.Live())
		rest.Without(full)
		best, others := x.Ask(question).Rank(full, rest, 5, byKey(x))
		allBest, allOthers := x.Ask(question).Rank(full, rest, x.Docs(), byKey(x))
		for _, pair := range [][2][]Ranked{{best, allBest}, {others, allOthers}} {
			if want := pair[1][:min(5, len(pair[1]))]; !slices.Equal(pair[0], want) {
				t.Fatalf("%q: the best are %v, of all %v", question, pair[0], want)
			}
		}
	})
}

// A merged index answers like the segments that it was made of.
func TestMergeChangesNothing(t *testing.T) {
	t.Parallel()
	vocabulary := strings.Fields("the of and star wars starship мир 知識 拖延症 hive cedar basil quartz")
	rapid.Check(t, func(t *rapid.T) {
		var segments []*Segment
		for range rapid.IntRange(1, 5).Draw(t, "segments") {
			var texts Texts
			var found Words
			for range rapid.IntRange(0, 90).Draw(t, "documents") {
				words := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 9).Draw(t, "words")
				text := strings.Join(words, " ")
				doc := Doc{Title: text[:len(text)/3], Text: []byte(text)}
				texts.Add(doc.Text, []byte(text[len(text)/2:]), len(words) == 4)
				found.Add(doc.Text, doc.fields)
			}
			segments = append(segments, opened(t, texts.Encode(), found.Encode()))
		}
		texts, words, err := Merge(context.Background(), segments)
		if err != nil {
			t.Fatal(err)
		}
		merged := opened(t, texts, words)
		apart, joined := New(segments), New([]*Segment{merged})
		if apart.Docs() != joined.Docs() || apart.Len() != joined.Len() {
			t.Fatalf("%d documents, want %d", joined.Docs(), apart.Docs())
		}
		at := 0
		for _, segment := range segments {
			for doc := range segment.Len() {
				if string(segment.Text(doc)) != string(merged.Text(at)) || string(segment.Meta(doc)) != string(merged.Meta(at)) ||
					segment.Length(doc) != merged.Length(at) || segment.Binary(doc) != merged.Binary(at) {
					t.Fatalf("document %d differs", at)
				}
				at++
			}
		}
		order := Order{Bonus: func(int) float32 { return 0 }, Less: func(a, b int) bool { return a < b }}
		for _, word := range append(vocabulary, "tar", "star wars", "識", "延") {
			literal := Literal{Text: word, In: func(text []byte) bool { return bytes.Contains(text, []byte(word)) }}
			if a, b := apart.Find(literal, Title|Body), joined.Find(literal, Title|Body); !slices.Equal(a.Docs, b.Docs) {
				t.Fatalf("%q is in %v, merged in %v", word, a.Docs, b.Docs)
			}
			_, a := apart.Ask([]string{word, "basil"}).Rank(NewSet(apart.Docs()), apart.Live(), 20, order)
			_, b := joined.Ask([]string{word, "basil"}).Rank(NewSet(joined.Docs()), joined.Live(), 20, order)
			if fmt.Sprintf("%.3v", a) != fmt.Sprintf("%.3v", b) {
				t.Fatalf("%q: %v, merged %v", word, a, b)
			}
		}
	})
}

func opened(t *rapid.T, texts, words [][]byte) *Segment {
	segment, err := OpenSegment(slices.Concat(texts...), slices.Concat(words...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return segment
}
