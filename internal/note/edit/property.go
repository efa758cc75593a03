package edit

import (
	"errors"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// Properties reads a note's properties. The error says which line of the
// frontmatter is to blame; the note is left alone then.
func Properties(note *md.Note) (*front.Block, error) {
	block, err := front.Parse(note)
	return block, classify(err)
}

// classify says that what is wrong with the frontmatter is the user's to mend.
func classify(err error) error {
	if invalid, ok := errors.AsType[*front.Invalid](err); ok {
		return fault.InvalidArgument.Errorf("%w", invalid).
			WithHint("correct that line first: read the note, and write its whole text back with create_note and overwrite")
	}
	return err
}

// change makes one change of a note's properties.
func change(note *md.Note, make func(*front.Block) ([]md.Splice, error)) ([]md.Splice, error) {
	block, err := Properties(note)
	if err != nil {
		return nil, err
	}
	splices, err := make(block)
	return splices, classify(err)
}

// SetProperty gives a property a value.
func SetProperty(note *md.Note, key string, value front.Value) ([]md.Splice, error) {
	return change(note, func(block *front.Block) ([]md.Splice, error) { return block.Set(key, value) })
}

// RemoveProperty takes a property out.
func RemoveProperty(note *md.Note, key string) ([]md.Splice, error) {
	return change(note, func(block *front.Block) ([]md.Splice, error) { return block.Remove(key) })
}

// tagsKey is the property that holds a note's tags.
const tagsKey = "tags"

// AddTag puts a tag, without #, into the frontmatter, unless it is there in
// whatever spelling. Tags written as "a, b", which Obsidian no longer reads,
// become a list on the way.
func AddTag(note *md.Note, tag string) ([]md.Splice, error) {
	return change(note, func(block *front.Block) ([]md.Splice, error) {
		if slices.ContainsFunc(block.Tags(), func(has string) bool { return strings.EqualFold(has, tag) }) {
			return nil, nil
		}
		if value, _ := block.Get(tagsKey); value.Kind == front.Text && len(block.Tags()) == 0 {
			return block.Set(tagsKey, front.TextsValue(append(oldStyleTags(value.Text, tag), tag)...))
		}
		return block.AddItem(tagsKey, front.TextValue(tag))
	})
}

// oldStyleTags splits tags that are separated by commas or spaces, and leaves
// out the one that is about to be added.
func oldStyleTags(text, added string) []string {
	tags := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	return slices.DeleteFunc(tags, func(tag string) bool { return strings.EqualFold(strings.TrimPrefix(tag, "#"), added) })
}

// RemoveTag takes a tag, without #, out of the frontmatter. Tags in the body
// are text, and stay.
func RemoveTag(note *md.Note, tag string) ([]md.Splice, error) {
	return change(note, func(block *front.Block) ([]md.Splice, error) {
		return block.RemoveItems(tagsKey, func(item front.Value) bool {
			return item.Kind == front.Text && strings.EqualFold(strings.TrimPrefix(item.Text, "#"), tag)
		})
	})
}
