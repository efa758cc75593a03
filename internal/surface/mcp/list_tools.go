package mcp

import (
	"context"
	"slices"
	"sync"

	"obsidian-mcp/internal/wire"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolLists keeps tools/list as JSON: the schemas of all tools take
// milliseconds to encode, and never change.
type toolLists struct {
	mu      sync.Mutex // guards what follows
	of      []*sdk.Tool
	encoded map[bool][]byte // by whether its version of the protocol has sessions
}

// keepToolLists answers tools/list from what was encoded before.
func (s *Server) keepToolLists(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		listed, ok := result.(*sdk.ListToolsResult)
		if asked, isList := req.(*sdk.ListToolsRequest); err == nil && ok && isList {
			return &keptToolList{listed, &s.toolLists, !isSessionless(asked.Params)}, nil
		}
		return result, err
	}
}

// keptToolList is a list that is encoded once.
type keptToolList struct {
	*sdk.ListToolsResult
	lists    *toolLists
	sessions bool
}

// MarshalJSON gives the list as it was encoded before, if it is the same.
func (k *keptToolList) MarshalJSON() ([]byte, error) {
	k.lists.mu.Lock()
	defer k.lists.mu.Unlock()
	if k.lists.encoded == nil || !slices.Equal(k.lists.of, k.Tools) {
		k.lists.of, k.lists.encoded = k.Tools, map[bool][]byte{}
	}
	if known := k.lists.encoded[k.sessions]; known != nil {
		return known, nil
	}
	encoded, err := wire.Encode(k.ListToolsResult)
	if err == nil {
		k.lists.encoded[k.sessions] = encoded
	}
	return encoded, err
}
