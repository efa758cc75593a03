package edit

import (
	"errors"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// Properties reads the properties of a note. An error says which line of the frontmatter is wrong.
func Properties(note *md.Note) (*front.Block, error) {
	block, err := front.Parse(note)
	return block, classify(err)
}

// classify marks invalid frontmatter as an error that the user can fix.
func classify(err error) error {
	if invalid, ok := errors.AsType[*front.Invalid](err); ok {
		return fault.InvalidArgument.Errorf("%w", invalid).
			WithHint("fix that line first: read the note, then write its full text back with create_note and overwrite")
	}
	return err
}

// editProperties parses the properties of a note and edits them.
func editProperties(note *md.Note, edit func(*front.Block) ([]md.Splice, error)) ([]md.Splice, error) {
	block, err := Properties(note)
	if err != nil {
		return nil, err
	}
	splices, err := edit(block)
	return splices, classify(err)
}

// SetProperty sets the value of a property.
func SetProperty(note *md.Note, key string, value front.Value) ([]md.Splice, error) {
	return editProperties(note, func(block *front.Block) ([]md.Splice, error) { return block.Set(key, value) })
}

// RemoveProperty removes a property.
func RemoveProperty(note *md.Note, key string) ([]md.Splice, error) {
	return editProperties(note, func(block *front.Block) ([]md.Splice, error) { return block.Remove(key) })
}

// tagsKey is the property for tags.
const tagsKey = "tags"

// AddTag adds a tag, without #, to the frontmatter, unless the note has it already in any letter case. Tags written as
// "a, b", which Obsidian no longer reads, become a list.
func AddTag(note *md.Note, tag string) ([]md.Splice, error) {
	return editProperties(note, func(block *front.Block) ([]md.Splice, error) {
		if slices.ContainsFunc(block.Tags(), func(has string) bool { return strings.EqualFold(has, tag) }) {
			return nil, nil
		}
		if value, _ := block.Get(tagsKey); value.Kind == front.Text && len(block.Tags()) == 0 {
			return block.Set(tagsKey, front.TextsValue(append(oldStyleTags(value.Text, tag), tag)...))
		}
		return block.AddItem(tagsKey, front.TextValue(tag))
	})
}

// oldStyleTags splits tags that are separated by commas or spaces, and omits the tag that is about to be added.
func oldStyleTags(text, added string) []string {
	tags := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	return slices.DeleteFunc(tags, func(tag string) bool {
		return strings.EqualFold(strings.TrimPrefix(tag, "#"), added)
	})
}

// RemoveTag removes a tag, without #, from the frontmatter. Tags in the body stay.
func RemoveTag(note *md.Note, tag string) ([]md.Splice, error) {
	return editProperties(note, func(block *front.Block) ([]md.Splice, error) {
		return block.RemoveItems(tagsKey, func(item front.Value) bool {
			return item.Kind == front.Text && strings.EqualFold(strings.TrimPrefix(item.Text, "#"), tag)
		})
	})
}

// RenameProperty gives a property another key.
func RenameProperty(note *md.Note, from, to string) ([]md.Splice, error) {
	return editProperties(note, func(block *front.Block) ([]md.Splice, error) { return block.Rename(from, to) })
}
