package mcp

import (
	"context"
	"encoding/json"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/surface/mcp/transport"
)

// NotePrompts are the prompts that are notes; resource.Catalog implements it.
type NotePrompts interface {
	Prompts(context.Context) ([]resource.Prompt, error)
	TouchesPrompts(resource.Changed) bool
}

const promptsListChanged = "notifications/prompts/list_changed"

// servePrompts serves the prompts that are notes. They are not in the SDK's registry, because they change with the vault
// and the SDK would notify of each of them.
func (s *Server) servePrompts(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch req := req.(type) {
		case *sdk.ListPromptsRequest:
			result, err := next(ctx, method, req)
			if listed, ok := result.(*sdk.ListPromptsResult); err == nil && ok && listed.NextCursor == "" {
				listed.Prompts = append(listed.Prompts, s.listNotePrompts(ctx)...)
			}
			return result, err
		case *sdk.GetPromptRequest:
			prompt, ok, err := s.notePrompt(ctx, req.Params.Name)
			if ok {
				return s.getNotePrompt(ctx, prompt, req)
			}
			result, unknown := next(ctx, method, req)
			if unknown != nil && err != nil {
				return nil, s.callError(err, nil) // it may be a note that cannot be read now
			}
			return result, unknown
		}
		return next(ctx, method, req)
	}
}

// listNotePrompts describes the prompts that are notes. While the vault cannot be read there are none: the built-in
// prompts can be listed anyway.
func (s *Server) listNotePrompts(ctx context.Context) []*sdk.Prompt {
	ctx, cancel := s.limited(ctx)
	defer cancel()
	described, print, err := s.describeNotePrompts(ctx)
	if err != nil {
		s.options.Log.Warn("the prompts of the vault cannot be listed", "error", err.Error())
	}
	s.promptList.show(print)
	return described
}

// describeNotePrompts describes the prompts that are notes, and returns a text that differs if anything in the list does.
func (s *Server) describeNotePrompts(ctx context.Context) (described []*sdk.Prompt, print string, err error) {
	prompts, err := s.options.Prompts.Prompts(ctx)
	if err != nil {
		return nil, "", err
	}
	for _, prompt := range prompts {
		described = append(described, describePrompt(prompt))
	}
	encoded, err := json.Marshal(described)
	return described, string(encoded), err
}

// notePrompt finds a prompt that is a note by its name.
func (s *Server) notePrompt(ctx context.Context, name string) (_ resource.Prompt, ok bool, _ error) {
	if s.options.Prompts == nil {
		return resource.Prompt{}, false, nil
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	prompts, err := s.options.Prompts.Prompts(ctx)
	for _, prompt := range prompts {
		if prompt.Name == name {
			return prompt, true, nil
		}
	}
	return resource.Prompt{}, false, err
}

// getNotePrompt returns a result that says that it is complete where the version of the protocol requires it, as the SDK
// does for its own prompts. It lets us set that field only by decoding it.
func (s *Server) getNotePrompt(ctx context.Context, prompt resource.Prompt, req *sdk.GetPromptRequest) (sdk.Result, error) {
	text, err := s.promptText(ctx, prompt, req)
	if err != nil {
		return nil, err
	}
	result := new(sdk.GetPromptResult)
	if transport.IsSessionless(req.Params) {
		_ = result.UnmarshalJSON([]byte(`{"resultType":"complete"}`))
	}
	fillPrompt(result, prompt, text)
	return result, nil
}

// promptList knows which list of prompts clients have seen.
type promptList struct {
	mu    sync.Mutex // guards what follows
	shown bool
	last  string // the list that clients have been told about
	other bool   // some client has seen another one
}

// show notes that a client has seen a list.
func (l *promptList) show(print string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.other = l.other || l.shown && l.last != print
	if !l.shown {
		l.shown, l.last = true, print
	}
}

// change notes what the list is now, and reports whether any client may have seen another one.
func (l *promptList) change(print string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := l.shown && (l.last != print || l.other)
	l.shown, l.last, l.other = true, print, false
	return changed
}

// promptsChanged reports whether the list of prompts is another one than clients have seen.
func (s *Server) promptsChanged(ctx context.Context) bool {
	if s.options.Prompts == nil {
		return false
	}
	_, print, err := s.describeNotePrompts(ctx)
	return err == nil && s.promptList.change(print)
}
