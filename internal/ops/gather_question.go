package ops

import (
	"slices"
	"strings"
	"unicode"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/fold"
)

// question is what somebody asks, in words.
type question struct {
	words   []string // all of them, in small letters
	telling []string // those that say what it is about; all of them if none does
	unknown []string // telling words that no note contains, as they were written
}

// readQuestion splits a question into words, without the marks that have a meaning in the search language.
func readQuestion(s *index.Snapshot, text string) question {
	var q question
	for _, written := range strings.Fields(text) {
		words := plainWords(written)
		isUnknown := false
		for _, word := range words {
			q.words = append(q.words, word)
			if functionWords[word] {
				continue
			}
			q.telling = append(q.telling, word)
			isUnknown = isUnknown || !isUnspaced(word) && !s.Occurs(word)
		}
		if isUnknown {
			q.unknown = append(q.unknown, strings.TrimFunc(written, unicode.IsPunct))
		}
	}
	if len(q.telling) == 0 {
		q.telling = q.words
	}
	return q
}

func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

// isUnspaced reports whether a word is of a script that puts no spaces between words, so that it may be a whole sentence.
func isUnspaced(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return fold.Kind(r) == fold.CJK })
}

// longestName is how many words a name in a question may have.
const longestName = 5

// subjects are the notes that a question names, by their name or an alias; the longest names first.
func (q question) subjects(s *index.Snapshot) []vpath.Path {
	var found []vpath.Path
	add := func(paths ...vpath.Path) {
		for _, path := range paths {
			if path.IsNote() && !slices.Contains(found, path) {
				found = append(found, path)
			}
		}
	}
	for length := min(longestName, len(q.words)); length > 0; length-- {
		for start := range len(q.words) - length + 1 {
			words := q.words[start : start+length]
			if !slices.ContainsFunc(words, func(word string) bool { return !functionWords[word] }) {
				continue
			}
			name := strings.Join(words, " ")
			for _, spelling := range []string{name, "@" + name} { // people's notes may begin with @
				for _, note := range s.NameIs(spelling) {
					add(note.Path)
				}
			}
			add(s.Aliased(name)...)
		}
	}
	return found
}

// functionWords are words that questions are made of in some languages. They say nothing about their subject, although
// they may be rare in a small vault.
var functionWords = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`
a about all also am an and any anything are as at be been but by can could did do does doing done for from had has have having he her his how i if in into
is it its know known let many may me more most much must my need no not now of on or our out over say says shall she should so some something still such
tell than that the their them then there these they this those to too us use used very was we were what when where which while who whom whose why will with
would you your yet
aber alle als also am an auch auf aus bei beim bin bis da das dass dem den der des die dies diese doch du ein eine einem einen einer er es für gibt haben hat
hatte ich ihr im in ist ja kann man mehr mein mit muss nach nicht noch nur oder sagt sein sich sie sind so soll über um und uns unter vom von vor wann war
warum was weil welche welcher wenn wer werden weiß wie will wir wird wo wozu wurde wurden zu zum zur
au aux avec ce ces cette comment dans de des du elle en est et être il ils je la le les leur mais mon ne nos notre nous on ou où par pas plus pour pourquoi
quand que quel quelle quels qui quoi sa se ses son sont sur un une vous
al como cómo con cual cuál cuando cuándo de del donde dónde el ella en es esta está este hay la las lo los más mi muy no nos o para pero por porque qué que
quien quién se ser si sin son su sus un una y ya
anche che chi ci come con cosa da dal dei del della di dove è e gli ha ho il in io la le lo ma nel non per perché più quale quali quando questo sono su un una
ao com da das de do dos e ela ele em é essa esse eu foi isso mais mas não na nas no nos o os ou para pela pelo por porque qual quais quando que quem se sem
seu sua são um uma
aan als bij dat de der deze die dit een en er het hij hoe ik is kan maar met mijn naar niet nog of om ook op over te tot uit van voor waar waarom wanneer wat
we wel wie wij worden zijn
а без был была было были быть в во вот все вы где для до его ее если есть еще же за и из или их к как какая какие какой когда кто ли мне мы на не него нет ни
но о об он она они от по почему при про с со так там то только ты у уже что чтобы эта это этот я`) {
		all[word] = true
	}
	return all
}()
