package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"obsidian-mcp/internal/wire"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// sdkID is the id that the SDK gets to see: the client's own where the SDK can
// hold it and it is not in use, else another one. Where clients share a session
// it is always another one, and none twice: a cancellation that comes late must
// not meet somebody else's call.
func (c *calls) sdkID(id json.RawMessage) jsonrpc.ID {
	var value any
	_ = json.Unmarshal(id, &value)
	known, err := jsonrpc.MakeID(value)
	exact := err == nil && known.IsValid() && sameID(known.Raw(), id) && !isAlias(known.Raw())
	if _, used := c.open[idKey(known.Raw())]; exact && !used && !c.shared {
		return known
	}
	c.aliases++
	alias, _ := jsonrpc.MakeID(aliasPrefix + strconv.Itoa(c.aliases))
	return alias
}

// aliasPrefix starts the ids that stand in for a client's own. A client's own
// that starts so gets one too: what is in use is ours then.
const aliasPrefix = "obsidian-mcp alias "

func isAlias(value any) bool {
	text, ok := value.(string)
	return ok && strings.HasPrefix(text, aliasPrefix)
}

func sameID(value any, id json.RawMessage) bool {
	if number, ok := value.(int64); ok {
		return strconv.FormatInt(number, 10) == string(id)
	}
	return true
}

// idKey is an id of the SDK as JSON.
func idKey(value any) string {
	encoded, _ := wire.Encode(value)
	return string(encoded)
}

// unaliased gives a message that names a call, as those about a subscription
// do, the id by which the client knows it.
func (c *calls) unaliased(encoded []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.aliases == 0 {
		return encoded
	}
	for key, call := range c.open {
		if strings.HasPrefix(key, `"`+aliasPrefix) {
			encoded = bytes.ReplaceAll(encoded, []byte(key), call.id)
		}
	}
	return encoded
}
