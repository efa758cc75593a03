package resource

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
	"weak"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/embed"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// Limits of prompts that are notes. What exceeds them is left out, and the log says so.
const (
	maxPrompt      = 1_000_000 // bytes of a note
	maxPrompts     = 200       // prompts of a caller
	maxPromptName  = 64        // characters of a name
	maxDescription = 1000      // characters of a description
)

// promptMemo keeps the prompts of the last snapshot, and what is known about each note for the next one.
type promptMemo struct {
	mu     sync.Mutex // guards what follows
	from   weak.Pointer[index.Snapshot]
	listed []Prompt
	known  map[vpath.Path]knownPrompt
	logged map[string]bool // what was left out, and why
}

// knownPrompt is what a note says about itself as a prompt.
type knownPrompt struct {
	hash   string // of the note
	prompt Prompt
}

// isPrompt reports whether a file is a note in the folder of prompts.
func (c *Catalog) isPrompt(path vpath.Path) bool {
	if !path.IsNote() {
		return false
	}
	_, isBelow := path.Below(c.prompts)
	return isBelow
}

// TouchesPrompts reports whether any of the changed files is in the folder of prompts.
func (c *Catalog) TouchesPrompts(changed Changed) bool {
	return c.prompts != "" && slices.ContainsFunc(changed.Paths, c.isPrompt)
}

// Prompts lists the prompts among the notes that the caller may see, by name. Names are unique, and differ from those
// of the built-in prompts.
func (c *Catalog) Prompts(ctx context.Context) ([]Prompt, error) {
	if c.prompts == "" {
		return nil, nil
	}
	s, err := c.vault.Texts(ctx)
	if err != nil {
		return nil, err
	}
	c.memo.mu.Lock()
	defer c.memo.mu.Unlock()
	if from := weak.Make(s); c.memo.from != from {
		c.memo.listed = c.listPrompts(s)
		c.memo.from = from
	}
	return c.memo.listed, nil
}

func (c *Catalog) listPrompts(s *index.Snapshot) []Prompt {
	var paths []vpath.Path
	if _, exists := s.Folder(c.prompts); exists {
		s.Files(func(path vpath.Path) bool {
			if c.isPrompt(path) {
				paths = append(paths, path)
			}
			return true
		})
	}
	slices.Sort(paths)
	known := map[vpath.Path]knownPrompt{}
	var prompts []Prompt
	for _, path := range paths {
		entry := s.Entry(path)
		switch {
		case entry.Size > maxPrompt:
			c.leaveOut(path, "it is too large")
			continue
		case len(prompts) == maxPrompts:
			c.leaveOut(path, "there are too many prompts")
			continue
		}
		found, ok := c.memo.known[path]
		if hash := s.Hash(path); !ok || hash == "" || found.hash != hash {
			found = knownPrompt{hash, c.newNotePrompt(path, entry, s.Text(path))}
		}
		known[path] = found
		prompts = append(prompts, found.prompt)
	}
	c.memo.known = known
	nameUniquely(prompts)
	order.By(prompts, func(a, b Prompt) int { return cmp.Compare(a.Name, b.Name) })
	return prompts
}

// leaveOut logs once that a note is not offered as a prompt.
func (c *Catalog) leaveOut(path vpath.Path, reason string) {
	if line := string(path) + "\n" + reason; !c.memo.logged[line] {
		c.memo.logged[line] = true
		c.log.Warn("a note is left out of the prompts", "path", string(path), "reason", reason,
			"bytes_allowed", maxPrompt, "prompts_allowed", maxPrompts)
	}
}

// newNotePrompt makes a prompt of a note.
func (c *Catalog) newNotePrompt(path vpath.Path, entry *index.Entry, text string) Prompt {
	below, _ := path.Below(c.prompts)
	prompt := Prompt{
		Name: promptName(below), Title: path.Name(), About: firstCharacters(description(entry), maxDescription),
		Arguments: c.promptArguments(entry, bodyOf([]byte(text))), verbatim: true,
		text: func(ctx context.Context, filled map[string]string) (string, error) {
			return c.promptText(ctx, path, filled)
		},
	}
	if prompt.About == "" {
		prompt.About = "The note '" + path.WithoutExt() + "' of the vault."
	}
	return prompt
}

// promptText returns the text of a note with its blanks and embeds filled in.
func (c *Catalog) promptText(ctx context.Context, path vpath.Path, filled map[string]string) (text string, err error) {
	ctx, done := c.reading(ctx, "prompts/get")
	defer func() { done(err) }()
	file, err := c.vault.Read(ctx, path, maxPrompt)
	if errors.Is(err, fault.NotFound) {
		return "", fault.NotFound.Errorf("the prompt does not exist any more").WithHint("list the prompts again")
	}
	if err != nil {
		return "", err
	}
	s, err := c.vault.Texts(ctx)
	if err != nil {
		return "", err
	}
	return fillIn(bodyOf(file.Data), filled, func(body string) (string, error) {
		note := md.Scan([]byte(body))
		expanded, err := embed.Expand(c.vault.Embeds(ctx, s), embed.Part{Path: path, Note: note, Span: md.Span{End: len(body)}}, maxPrompt)
		return string(expanded.Text), err
	})
}

// promptName returns the name of a prompt, which clients offer as a command: its path in lower case, with a dash for
// everything that is neither a letter nor a digit.
func promptName(path vpath.Path) string {
	var name strings.Builder
	for _, r := range strings.ToLower(string(vpath.Path(path.WithoutExt()).Compose())) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
			name.WriteRune(r)
		case name.Len() > 0 && !strings.HasSuffix(name.String(), "-"):
			name.WriteByte('-')
		}
	}
	short := strings.Trim(firstCharacters(name.String(), maxPromptName), "-")
	return cmp.Or(short, "prompt")
}

// firstCharacters cuts a text.
func firstCharacters(text string, count int) string {
	if utf8.RuneCountInString(text) <= count {
		return text
	}
	return string([]rune(text)[:count])
}

// nameUniquely adds numbers to names that are taken by a built-in prompt or by an earlier note.
func nameUniquely(prompts []Prompt) {
	taken := map[string]bool{}
	for _, builtIn := range Prompts(nil) {
		taken[builtIn.Name] = true
	}
	var again []*Prompt
	for i := range prompts {
		if prompt := &prompts[i]; taken[prompt.Name] {
			again = append(again, prompt)
		} else {
			taken[prompt.Name] = true
		}
	}
	for _, prompt := range again {
		name := prompt.Name
		for number := 2; taken[prompt.Name]; number++ {
			prompt.Name = name + "-" + strconv.Itoa(number)
		}
		taken[prompt.Name] = true
	}
}
