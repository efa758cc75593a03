package index

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A map that is changed step by step holds what a plain one does, and earlier versions stay as they were.
func TestChangesAreAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var now changes[int, int]
		plain := map[int]int{}
		type version struct {
			made  changes[int, int]
			plain map[int]int
		}
		var versions []version
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			more := rapid.MapOfN(rapid.IntRange(0, 30), rapid.IntRange(0, 9), 0, 5).Draw(t, "changes")
			now = now.with(more)
			maps.Copy(plain, more)
			versions = append(versions, version{now, maps.Clone(plain)})
		}
		for _, v := range versions {
			if diff := cmp.Diff(v.plain, maps.Collect(v.made.all)); diff != "" || v.made.len() != len(v.plain) {
				t.Fatalf("%d keys, want %d: %s", v.made.len(), len(v.plain), diff)
			}
			for key := range 31 {
				got, ok := v.made.get(key)
				if want, wanted := v.plain[key]; got != want || ok != wanted {
					t.Fatalf("%d is %d, %v", key, got, ok)
				}
			}
		}
	})
}
