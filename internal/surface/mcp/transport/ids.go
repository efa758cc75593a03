package transport

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/wire"
)

// sdkID returns the id under which the SDK sees a call: the client's own if the SDK can represent it and it is not in
// use, otherwise an alias. Where clients share a session it is always a new alias, so that a late cancellation cannot
// hit another client's call.
func (c *calls) sdkID(id json.RawMessage) jsonrpc.ID {
	var value any
	_ = json.Unmarshal(id, &value)
	own, err := jsonrpc.MakeID(value)
	exact := err == nil && own.IsValid() && sameID(own.Raw(), id) && !isAlias(own.Raw())
	if _, used := c.open[idKey(own.Raw())]; exact && !used && !c.shared {
		return own
	}
	c.aliases++
	alias, _ := jsonrpc.MakeID(aliasPrefix + strconv.Itoa(c.aliases))
	return alias
}

// aliasPrefix starts every alias. A client's own id that starts like this gets an alias too, so the two never clash.
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

// idKey returns an id of the SDK as JSON.
func idKey(value any) string {
	encoded, _ := wire.Encode(value)
	return string(encoded)
}

// unaliased replaces aliases in a message that names calls, such as a notification for a subscription, by the ids that
// the client knows.
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
