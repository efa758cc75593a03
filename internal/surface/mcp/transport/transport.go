// Package transport carries the messages of the Model Context Protocol between clients and a server: over stdio, over
// Streamable HTTP in versions with and without sessions, and over the HTTP+SSE of the oldest version.
//
// It deals in bytes, messages and sessions. It reads messages strictly, returns ids exactly as the client wrote them,
// answers every call that it accepts, lets a client that was cut off fetch what it missed, and limits what one client
// can use up. It knows nothing of tools or vaults: that is the Server's part.
package transport

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server handles the messages that a transport carries. It must be comparable: callers that get equal servers share one.
type Server interface {
	// Connect starts an SDK session on a connection.
	Connect(context.Context, sdk.Transport) (*sdk.ServerSession, error)

	// Follow notifies subscribers of changes until ctx ends. Then done waits for notifications under way, but not for a
	// client that does not read them.
	Follow(ctx context.Context) (done func())

	// Forget drops what the server remembers about a session that has ended.
	Forget(*sdk.ServerSession)

	// Writes reports whether a call may change something, so that it counts against the limit for writes.
	Writes(method string, params json.RawMessage) bool
}

// Sessionless is the first version of the protocol without sessions.
const Sessionless = "2026-07-28"

// IsSessionless reports whether a call uses a version without sessions. The call says so itself; the version that a
// client requested when its session began may differ from the one it was given.
func IsSessionless(params sdk.Params) bool {
	version, _ := params.GetMeta()[sdk.MetaKeyProtocolVersion].(string)
	return version >= Sessionless
}

// Versions lists the supported versions of the protocol.
func Versions() []string { return sdk.SupportedProtocolVersions() }
