package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/tool"
)

// noteOp is an operation of edit_notes on one note.
type noteOp struct {
	name     string
	replaces guard
	// apply returns the changes in a note, and how many edits they are.
	apply func(ctx context.Context, s *index.Snapshot, name string, note *md.Note) ([]md.Splice, int, error)
}

// opKeys are the keys that each operation takes; those with a question mark may be missing.
var opKeys = map[string][]string{
	"set_property": {"key", "value"}, "remove_property": {"key"}, "rename_property": {"from", "to"},
	"add_tag": {"tag"}, "remove_tag": {"tag"},
	"replace_text": {"old", "new", "regex?", "ignore_case?", "whole_word?", "in?", "skip_code?"},
	"append":       {"text"}, "append_section": {"section", "text"}, "update_section": {"section", "content"},
}

// parseOps reads the operations of edit_notes.
func parseOps(objects []tool.Object) ([]noteOp, error) {
	if len(objects) == 0 {
		return nil, fault.InvalidArgument.Errorf("ops is empty").WithHint("give at least one, such as {\"op\":\"add_tag\",\"tag\":\"work\"}")
	}
	ops := make([]noteOp, len(objects))
	for i, object := range objects {
		op, err := parseOp(object)
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("op %d: %s", i+1, err).WithHint("%s", fault.HintOf(err))
		}
		ops[i] = op
	}
	return ops, nil
}

// opArguments are the keys of an operation.
type opArguments struct {
	Op, Key, From, To, Tag, Old, New, In, Text, Section, Content string

	Value      json.RawMessage
	Regex      bool
	IgnoreCase bool  `json:"ignore_case"`
	WholeWord  bool  `json:"whole_word"`
	SkipCode   *bool `json:"skip_code"`
}

func parseOp(object tool.Object) (noteOp, error) {
	var given map[string]json.RawMessage
	var in opArguments
	if err := json.Unmarshal(object, &given); err != nil {
		return noteOp{}, errors.New("it must be an object")
	}
	_ = json.Unmarshal(given["op"], &in.Op)
	keys, known := opKeys[in.Op]
	if !known {
		names := slices.Sorted(maps.Keys(opKeys))
		err := fault.InvalidArgument.Errorf("unknown op '%s'", in.Op)
		if near := fault.Nearest(in.Op, names); near != "" {
			return noteOp{}, err.WithHint("did you mean '%s'?", near)
		}
		return noteOp{}, err.WithHint("ops are: %s", strings.Join(names, ", "))
	}
	for _, key := range keys {
		name, optional := strings.CutSuffix(key, "?")
		if given[name] == nil && !optional {
			return noteOp{}, fmt.Errorf("%s needs '%s'", in.Op, name)
		}
	}
	for key := range given {
		if key != "op" && !slices.Contains(keys, key) && !slices.Contains(keys, key+"?") {
			return noteOp{}, fmt.Errorf("%s does not take '%s' (it takes %s)", in.Op, key, strings.ReplaceAll(strings.Join(keys, ", "), "?", ""))
		}
	}
	if err := json.Unmarshal(object, &in); err != nil {
		return noteOp{}, fmt.Errorf("a value of %s has the wrong type", in.Op)
	}
	return in.operation()
}

// operation makes the operation that the arguments describe.
func (in opArguments) operation() (noteOp, error) {
	switch in.Op {
	case "set_property", "remove_property", "rename_property":
		return in.propertyOp()
	case "add_tag", "remove_tag":
		return in.tagOp()
	case "replace_text":
		return in.replaceOp()
	case "append":
		return simpleOp(in.Op, unguarded, func(note *md.Note) ([]md.Splice, error) {
			return edit.Append(note, resource.WithoutContext(in.Text)), nil
		}), nil
	}
	return in.sectionOp(), nil
}

// simpleOp is an operation that makes one edit, or none.
func simpleOp(name string, replaces guard, apply func(*md.Note) ([]md.Splice, error)) noteOp {
	return noteOp{name, replaces, func(_ context.Context, _ *index.Snapshot, _ string, note *md.Note) ([]md.Splice, int, error) {
		splices, err := apply(note)
		return splices, min(len(splices), 1), err
	}}
}

func (in opArguments) propertyOp() (noteOp, error) {
	if key := cmp.Or(in.Key, in.From); strings.TrimSpace(key) == "" || in.Op == "rename_property" && strings.TrimSpace(in.To) == "" {
		return noteOp{}, errors.New("the name of a property is empty")
	}
	switch in.Op {
	case "remove_property":
		return simpleOp(in.Op, unguarded, func(note *md.Note) ([]md.Splice, error) { return edit.RemoveProperty(note, in.Key) }), nil
	case "rename_property":
		return simpleOp(in.Op, unguarded, func(note *md.Note) ([]md.Splice, error) { return edit.RenameProperty(note, in.From, in.To) }), nil
	}
	value, err := front.FromJSON(in.Value)
	if err != nil {
		return noteOp{}, fmt.Errorf("value: %w", err)
	}
	replaces := unguarded
	if value.Kind == front.List || value.Kind == front.Map {
		replaces = guardsPart // it may have been built from what the caller was shown
	}
	return simpleOp(in.Op, replaces, func(note *md.Note) ([]md.Splice, error) { return edit.SetProperty(note, in.Key, value) }), nil
}

func (in opArguments) tagOp() (noteOp, error) {
	tag, err := tagName(in.Tag)
	if err != nil {
		return noteOp{}, err
	}
	return noteOp{in.Op, unguarded, func(_ context.Context, s *index.Snapshot, _ string, note *md.Note) ([]md.Splice, int, error) {
		var splices []md.Splice
		var err error
		if in.Op == "add_tag" {
			spelling, _ := s.Tag(tag)
			splices, err = edit.AddTag(note, spelling)
		} else {
			splices, err = edit.RemoveTag(note, tag)
		}
		return splices, min(len(splices), 1), err
	}}, nil
}

func (in opArguments) replaceOp() (noteOp, error) {
	if in.In = cmp.Or(in.In, "body"); !slices.Contains([]string{"body", "frontmatter", "both"}, in.In) {
		return noteOp{}, fmt.Errorf("in must be body, frontmatter or both, not '%s'", in.In)
	}
	replacement, err := edit.NewReplacement(edit.ReplaceOptions{
		Old: in.Old, New: in.New, Regex: in.Regex, IgnoreCase: in.IgnoreCase, WholeWord: in.WholeWord,
		Body: in.In != "frontmatter", Front: in.In != "body", InCode: in.SkipCode != nil && !*in.SkipCode,
	})
	if err != nil {
		return noteOp{}, err
	}
	return noteOp{in.Op, unguarded, func(_ context.Context, _ *index.Snapshot, _ string, note *md.Note) ([]md.Splice, int, error) {
		splices, err := replacement.Splices(note)
		return splices, len(splices), err
	}}, nil
}

// sectionOp is append_section or update_section, which accept a block too.
func (in opArguments) sectionOp() noteOp {
	text, replaces := resource.WithoutContext(in.Text), unguarded
	onSection, onBlock := edit.AppendSection, edit.AppendBlock
	if in.Op == "update_section" {
		text, replaces = resource.WithoutContext(in.Content), guardsPart
		onSection, onBlock = edit.UpdateSection, edit.UpdateBlock
	}
	return noteOp{in.Op, replaces, func(ctx context.Context, _ *index.Snapshot, name string, note *md.Note) ([]md.Splice, int, error) {
		finding, _ := tool.CollectHints(ctx) // of one of many notes
		if isBlockID(in.Section) {
			block, err := findBlock(finding, note, name, in.Section)
			if err != nil {
				return nil, 0, err
			}
			splices, err := onBlock(note, block, text)
			return splices, min(len(splices), 1), err
		}
		section, err := findSection(finding, note, name, in.Section)
		if err != nil {
			return nil, 0, err
		}
		splices, err := onSection(note, section, withoutHeading(note, section, text))
		return splices, min(len(splices), 1), err
	}}
}
