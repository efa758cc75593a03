package mcp

import (
	"context"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/wire"
)

// toolLists keeps the answer to tools/list as JSON: encoding the schemas of all tools takes milliseconds, and they
// never change.
type toolLists struct {
	mu      sync.Mutex // guards what follows
	of      []*sdk.Tool
	encoded map[bool][]byte // by whether its version of the protocol has sessions
}

// keepToolLists answers tools/list with JSON that was encoded before.
func (s *Server) keepToolLists(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		listed, ok := result.(*sdk.ListToolsResult)
		if asked, isList := req.(*sdk.ListToolsRequest); err == nil && ok && isList {
			return &keptToolList{listed, &s.toolLists, !transport.IsSessionless(asked.Params)}, nil
		}
		return result, err
	}
}

// keptToolList is a list that is encoded once. It embeds the SDK's result because only the SDK's types can be results.
type keptToolList struct {
	*sdk.ListToolsResult
	lists    *toolLists
	sessions bool
}

// MarshalJSON returns the list as it was encoded before, if it is the same.
func (k *keptToolList) MarshalJSON() ([]byte, error) {
	k.lists.mu.Lock()
	defer k.lists.mu.Unlock()
	if k.lists.encoded == nil || !slices.Equal(k.lists.of, k.Tools) {
		k.lists.of, k.lists.encoded = k.Tools, map[bool][]byte{}
	}
	if kept := k.lists.encoded[k.sessions]; kept != nil {
		return kept, nil
	}
	encoded, err := wire.Encode(k.ListToolsResult)
	if err == nil {
		k.lists.encoded[k.sessions] = encoded
	}
	return encoded, err
}
