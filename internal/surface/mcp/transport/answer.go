package transport

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/wire"
)

// answer is a response as it goes over the wire.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

func codeOf(problem *jsonrpc.Error) int64 {
	if problem == nil {
		return 0
	}
	return problem.Code
}

func versionOf(result json.RawMessage) string {
	var initialized struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(result, &initialized)
	return initialized.Version
}

// protocolError gives an error of the SDK a code of the protocol, and a text that reveals nothing about the program's
// internals. Errors that carry data are the Server's own and stay as they are.
func protocolError(method string, err error) *jsonrpc.Error {
	if err == nil {
		return nil
	}
	coded, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case ok && coded.Data != nil:
		return coded
	case ok && coded.Code == jsonrpc.CodeMethodNotFound:
		return coded
	case strings.HasPrefix(err.Error(), "handling '") && strings.Contains(err.Error(), "unmarshal"):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params"}
	case method == "initialize" || !ok && strings.Contains(err.Error(), "initializ"):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: " + err.Error()}
	case !ok:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
	case coded.Code == jsonrpc.CodeInvalidRequest, strings.Contains(coded.Message, "json:"), strings.Contains(coded.Message, "Go "):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params"}
	}
	return coded
}

// agreedVersion changes initialize to request the version that it will get: the SDK would record the requested version
// as the agreed one.
func agreedVersion(m message) json.RawMessage {
	if m.method != "initialize" {
		return m.params
	}
	versions := slices.DeleteFunc(Versions(), func(version string) bool { return version >= Sessionless })
	if requested := m.param("protocolVersion"); requested == "" || slices.Contains(versions, requested) {
		return m.params
	}
	var params map[string]json.RawMessage
	_ = json.Unmarshal(m.params, &params)
	params["protocolVersion"], _ = json.Marshal(slices.Max(versions))
	changed, _ := wire.Encode(params)
	return changed
}
