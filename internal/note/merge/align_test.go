package merge

import (
	"testing"

	"pgregory.net/rapid"
)

// TestAlign compares the alignment with the longest common subsequence, found by trying everything.
func TestAlign(t *testing.T) {
	items := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		a, b := items.Draw(t, "a"), items.Draw(t, "b")
		same := align(a, b)
		last := pair{-1, -1}
		for _, next := range same {
			if next.a <= last.a || next.b <= last.b || a[next.a] != b[next.b] {
				t.Fatalf("%v and %v: %v", a, b, same)
			}
			last = next
		}
		if longest := longestCommon(a, b); len(same) != longest {
			t.Fatalf("%v and %v: %v, but %d items are common", a, b, same, longest)
		}
	})
}

func longestCommon(a, b []string) int {
	lengths := make([][]int, len(a)+1)
	for i := range lengths {
		lengths[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			lengths[i+1][j+1] = max(lengths[i][j+1], lengths[i+1][j])
			if a[i] == b[j] {
				lengths[i+1][j+1] = max(lengths[i+1][j+1], lengths[i][j]+1)
			}
		}
	}
	return lengths[len(a)][len(b)]
}

// TestAlignGivesUp aligns texts that have nothing in common without looking for the shortest edit.
func TestAlignGivesUp(t *testing.T) {
	a, b := make([]string, 5*mostEdits), make([]string, 5*mostEdits)
	for i := range a {
		a[i], b[i] = "a", "b"
	}
	if same := align(a, b); len(same) != 0 {
		t.Errorf("%d items are the same", len(same))
	}
}
