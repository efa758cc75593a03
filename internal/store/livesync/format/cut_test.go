package format_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/testkit/mode"
)

// TestDevicesShareChunks writes every file of the fixtures again. We split files as devices do, so nothing is uploaded
// twice.
func TestDevicesShareChunks(t *testing.T) {
	t.Parallel()
	for _, fixture := range fixtures(t) {
		if fixture.config.Composed || strings.Contains(fixture.name, "v2splitter") || strings.HasPrefix(fixture.name, "e2ee-v1") {
			continue // split by other rules, or slow to read and covered by others
		}
		t.Run(fixture.name, func(t *testing.T) {
			t.Parallel()
			fixture.skipIfShort(t)
			read := fixture.read(t)
			for _, file := range read.files {
				if file.Deleted || len(file.Conflicts) > 0 || strings.HasPrefix(file.Path, "i:") {
					continue
				}
				upload, err := read.codec.Write(file, format.Change{
					Path: file.Path, Content: read.content(t, file), Now: now,
					Chunk: read.lookup,
				})
				if err != nil || len(upload.Leaves) != 0 || !slices.Equal(upload.File.Children, file.Children) {
					t.Errorf("%s: %v, %d new chunks, children %q, want %q", file.Path, err, len(upload.Leaves), upload.File.Children, file.Children)
				}
			}
		})
	}
}

// TestOneLineEditUploadsFewChunks edits one line of a long note, at 50 places.
func TestOneLineEditUploadsFewChunks(t *testing.T) {
	t.Parallel()
	fixture := loadDatabase(t, "plain")
	read := fixture.read(t)
	at := slices.IndexFunc(read.files, func(file *format.Meta) bool { return file.Path == "Long note.md" })
	file := read.files[at]
	lines := strings.SplitAfter(string(read.content(t, file)), "\n")
	var most, sum, bytes, edits int
	for i := 0; i < len(lines); i += max(1, len(lines)/50) {
		edited := slices.Clone(lines)
		edited[i] = "one line that was edited\n"
		upload, err := read.codec.Write(file, format.Change{
			Path: file.Path, Content: []byte(strings.Join(edited, "")), Now: now,
			Chunk: read.lookup,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range upload.Leaves {
			bytes += len(leaf.Body)
		}
		most, sum, edits = max(most, len(upload.Leaves)), sum+len(upload.Leaves), edits+1
	}
	t.Logf("a note of %d bytes in %d chunks: an edited line uploads %.1f chunks and %d bytes on average, at most %d chunks",
		file.Size, len(file.Children), float64(sum)/float64(edits), bytes/edits, most)
	if most > 8 || edits < 50 {
		t.Errorf("at most %d chunks in %d edits", most, edits)
	}
}

// TestManyEditsKeepChunksLarge edits a note again and again: each edit uploads little, and the note does not fall apart
// into small chunks.
func TestManyEditsKeepChunksLarge(t *testing.T) {
	t.Parallel()
	server := newServer(plainCodec(t))
	lines := strings.SplitAfter(strings.Repeat("A line of a note, number after number, all alike.\n", 2000), "\n")
	for i := range lines {
		lines[i] = fmt.Sprint(i*i) + lines[i]
	}
	var file *format.Meta
	var most, sum, first int
	edits := mode.Pick(100, 400, 400)
	for round := range edits {
		if round%2 == 0 {
			lines = append(lines, fmt.Sprintf("appended %d\n", round))
		} else {
			lines[round*7919%len(lines)] = fmt.Sprintf("edited %d\n", round)
		}
		content := []byte(strings.Join(lines, ""))
		upload, err := server.codec.Write(file, format.Change{Path: "A.md", Content: content, Now: now, Chunk: server.lookup})
		file = server.put(t, upload, err)
		if string(server.content(t, file)) != string(content) {
			t.Fatalf("edit %d changed other content", round)
		}
		if round == 0 {
			first = len(file.Children)
			continue
		}
		most, sum = max(most, len(upload.Leaves)), sum+len(upload.Leaves)
	}
	t.Logf("%d edits of %d bytes: %.1f chunks on average, at most %d; %d chunks became %d",
		edits, file.Size, float64(sum)/float64(edits), most, first, len(file.Children))
	if len(file.Children) > 2*first+8 || sum > 8*edits {
		t.Errorf("%d chunks became %d, and %d were uploaded", first, len(file.Children), sum)
	}
}

// TestChunkIDCollision writes a text whose chunk id is taken by another text.
func TestChunkIDCollision(t *testing.T) {
	t.Parallel()
	codec := plainCodec(t)
	first, err := codec.Write(nil, format.Change{Path: "A.md", Content: []byte("one"), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	other := func(id string) (string, bool) { return "another text", id == first.Leaves[0].ID }
	second, err := codec.Write(nil, format.Change{Path: "A.md", Content: []byte("one"), Now: now, Chunk: other})
	if err != nil || len(second.Leaves) != 1 || second.Leaves[0].ID == first.Leaves[0].ID || !strings.HasPrefix(second.Leaves[0].ID, "h:") {
		t.Errorf("%+v, %v", second, err)
	}
}
