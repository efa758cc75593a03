package summary

import "strings"

// Words that show what a section or a callout is for, or that a sentence depends on the one before, in the languages that
// most vaults use. In other languages this hint is missing; nothing else changes.
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

	backReferenceWords = set(`however but this that these those it he she they also then so therefore thus moreover furthermore and or
		aber doch dies diese dieser dieses er sie es auch dann daher deshalb außerdem jedoch und dabei
		но однако это этот эта эти он она они оно также поэтому затем тоже а и при
		mais cependant il elle ils elles cela ceci donc aussi et pero sin ello esto estos también además y`)
	backReferenceMarks = []string{"但", "然而", "因此", "此外", "所以", "它", "他", "她", "这", "而且", "不过", "しかし", "また", "その", "この", "それ", "そして", "これ", "だから"}
)

// section is what the section of a piece contributes to its score.
type section struct {
	terms  []int32
	factor float64
}

// sections rates every section. The first entry is for the text before any heading. A section inherits the rating of the
// section that contains it.
func (t *text) sections(v *vocabulary) []section {
	rated := make([]section, 0, 1+len(t.headings))
	rated = append(rated, section{factor: 1})
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
		rated = append(rated, section{v.find(heading.text), factor})
	}
	return rated
}

// sumsUp reports whether a heading, or the type of a callout, announces a summary.
func sumsUp(heading string) bool { return mentions(heading, digestWords, digestMarks) }

// isBackMatter reports whether a heading announces supporting material such as references.
func isBackMatter(heading string) bool { return mentions(heading, backWords, backMarks) }

// mentions reports whether a heading contains one of the words or marks. A heading as long as a sentence announces
// nothing.
func mentions(heading string, words map[string]bool, marks []string) bool {
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

// refersBack reports whether a sentence starts with a word that refers to the previous sentence, without which it is hard
// to understand.
func refersBack(text string) bool {
	for _, mark := range backReferenceMarks {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	first, _, _ := strings.Cut(text[:min(len(text), 40)], " ")
	return backReferenceWords[strings.ToLower(strings.TrimRight(first, ",:;"))]
}
