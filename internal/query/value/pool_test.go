package value_test

import (
	"fmt"
	"testing"

	"obsidian-mcp/internal/query/value"
)

// Objects with shared names are as independent as others.
func TestSharedNames(t *testing.T) {
	for _, count := range []int{0, 1, 3, 40} {
		make := func() *value.Object {
			object := value.NewObject()
			for i := range count {
				object.Set(fmt.Sprint("name", i), float64(i))
			}
			return object
		}
		objects := []*value.Object{make(), make(), make()}
		pool := value.NewPool()
		pool.Share(objects[0])
		pool.Share(objects[1])
		objects[0].Set("more", "a")
		objects[1].Set("other", "b")
		objects[1].Set("name0", "c")
		for i, want := range [][2]value.Value{{"a", nil}, {nil, "b"}, {nil, nil}} {
			more, _ := objects[i].Get("more")
			other, _ := objects[i].Get("other")
			if more != want[0] || other != want[1] {
				t.Errorf("%d names, object %d: %v, %v, want %v", count, i, more, other, want)
			}
			if last, ok := objects[i].Get(fmt.Sprint("name", count-1)); count > 1 && (!ok || last != float64(count-1)) {
				t.Errorf("%d names, object %d: the last is %v", count, i, last)
			}
		}
	}
}
