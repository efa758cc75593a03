package folder

import "testing"

// TestEchoesOfOneChange asks twice about each change, since its events may arrive in several batches. It is
// somebody else's only once the file is in another state.
func TestEchoesOfOneChange(t *testing.T) {
	var own echoes
	own.wrote("Kept.md", "mark")
	own.gone("Moved.md")
	for range 2 {
		if !own.is("Kept.md", "mark") || !own.is("Moved.md", "") {
			t.Error("an event of our own change is taken for somebody else's")
		}
	}
	if own.is("Kept.md", "other") || own.is("Moved.md", "mark") {
		t.Error("a change by somebody else is taken for our own")
	}
	if own.is("Kept.md", "mark") || own.is("Moved.md", "") {
		t.Error("our change still counts after somebody else's")
	}
}
