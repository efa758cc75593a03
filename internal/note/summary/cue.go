package summary

import "strings"

// Words that tell, in the languages that vaults are mostly written in, what a
// section or a callout is for and how a sentence hangs together. A language
// that is not here loses a hint, nothing else.
var (
	digestWords = set(`summary tldr abstract conclusion conclusions overview decision decisions decided takeaway takeaways
		outcome outcomes result results goal goals purpose findings gist important
		zusammenfassung fazit ergebnis ergebnisse beschluss beschlüsse entscheidung entscheidungen überblick ziel ziele
		итог итоги вывод выводы резюме кратко решение решения цель цели результат результаты
		résumé bilan décision décisions objectif objectifs resumen conclusión conclusiones decisiones objetivo riassunto conclusioni`)
	digestMarks = []string{"tl;dr", "总结", "總結", "摘要", "结论", "結論", "概要", "概述", "要点", "要點", "决定", "決定", "目标", "目標", "目的", "まとめ", "要約", "요약", "결론"}

	backWords = set(`references reference sources links bibliography changelog appendix attendees participants present
		resources footnotes metadata related credits backlinks agenda template
		quellen literatur teilnehmer anwesend anhang verweise
		источники ссылки литература участники приложение
		références liens participants sources fuentes enlaces participantes fonti`)
	backMarks = []string{"see also", "further reading", "siehe auch", "см. также", "参考", "參考", "链接", "連結", "リンク", "出席", "参加者", "参会", "関連", "相关"}

	leaningWords = set(`however but this that these those it he she they also then so therefore thus moreover furthermore and or
		aber doch dies diese dieser dieses er sie es auch dann daher deshalb außerdem jedoch und dabei
		но однако это этот эта эти он она они оно также поэтому затем тоже а и при
		mais cependant il elle ils elles cela ceci donc aussi et pero sin ello esto estos también además y`)
	leaningMarks = []string{"但", "然而", "因此", "此外", "所以", "它", "他", "她", "这", "而且", "不过", "しかし", "また", "その", "この", "それ", "そして", "これ", "だから"}
)

// section is what a piece's section says about it.
type section struct {
	terms  []int32
	factor float64
}

// sections judges every section; the first is what stands before any heading.
// A section takes after the one that it is part of.
func (t *text) sections(v *vocabulary) []section {
	all := make([]section, 0, 1+len(t.headings))
	all = append(all, section{factor: 1})
	var inherited [7]float64 // by level
	for level := range inherited {
		inherited[level] = 1
	}
	for _, heading := range t.headings {
		factor := inherited[heading.level-1]
		switch {
		case sumsUp(heading.text):
			factor = 1.6
		case isBackMatter(heading.text):
			factor = 0.35
		}
		for level := heading.level; level < len(inherited); level++ {
			inherited[level] = factor
		}
		all = append(all, section{v.find(heading.text), factor})
	}
	return all
}

// sumsUp reports whether a heading or a callout's type announces what matters.
func sumsUp(heading string) bool { return speaksOf(heading, digestWords, digestMarks) }

// isBackMatter reports whether a heading announces what only goes with a note.
func isBackMatter(heading string) bool { return speaksOf(heading, backWords, backMarks) }

// speaksOf looks for a word or a mark in a short text: a heading that is a
// whole sentence announces nothing.
func speaksOf(heading string, words map[string]bool, marks []string) bool {
	if len(heading) > 60 {
		return false
	}
	heading = strings.ToLower(heading)
	for _, mark := range marks {
		if strings.Contains(heading, mark) {
			return true
		}
	}
	found := false
	terms(heading, func(term string) { found = found || words[term] })
	return found
}

// leans reports whether a sentence starts with a word that points back at the
// one before, and so is hard to understand alone.
func leans(text string) bool {
	for _, mark := range leaningMarks {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	first, _, _ := strings.Cut(text[:min(len(text), 40)], " ")
	return leaningWords[strings.ToLower(strings.TrimRight(first, ",:;"))]
}
