package doctor

import "testing"

func TestEveryProblemHasARemedy(t *testing.T) {
	for kind, remedy := range ProblemRemedies {
		if remedy == "" || kind == "" {
			t.Errorf("%q: %q", kind, remedy)
		}
	}
}
