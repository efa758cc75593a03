package index

import "testing"

func TestSnippetsArePlainText(t *testing.T) {
	for source, want := range map[string]string{
		"# Goals\n\nSome *small* and **large _ones_**, ~~old~~ ==new==":  "Goals Some small and large ones, old new",
		"see [[Note]], [[a/Note#Part|that]], [[N#P]] and ![[x.png|100]]": "see Note, that, N > P and 100",
		"a [link](https://example.com/a_b_c \"title\") and ![](p.png).":  "a link and .",
		"> [!quote]- What we say\n> It *knows* the tide.":                "What we say It knows the tide.",
		"| a | b |\n| --- | ---: |\n| [[X\\|y]] | 2 |":                   "a b y 2",
		"```go\nx := a_b * c\n```\nafter":                                "x := a_b * c after",
		"snake_case_name, 2*3*4, a == b, a ~ b, x = y":                   "snake_case_name, 2*3*4, a == b, a ~ b, x = y",
		"==We do not launch.== (*yes*) ** no":                            "We do not launch. (yes) ** no",
		"- [ ] a task\n- *an* item":                                      "- [ ] a task - an item",
		"cut|off]] and [[cut":                                            "off and cut",
		"**Жирный** и __тоже__, *中文*字":                                   "Жирный и тоже, 中文*字",
	} {
		if got := Plain(source); got != want {
			t.Errorf("%q is shown as\n%q, want\n%q", source, got, want)
		}
	}
}
