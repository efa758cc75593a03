package mcp

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"obsidian-mcp/internal/wire"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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

// protocolError gives an error of the SDK a code and a text that tell nothing
// of how the program is made. Those of our own tools carry data, and stay.
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

// givenVersion has initialize ask for the version that it will be given: the
// SDK would take what was asked for as what was agreed on.
func givenVersion(m message) json.RawMessage {
	if m.method != "initialize" {
		return m.params
	}
	versions := slices.DeleteFunc(sdk.SupportedProtocolVersions(), func(version string) bool { return version >= sessionless })
	if asked := paramOf(m, "protocolVersion"); asked == "" || slices.Contains(versions, asked) {
		return m.params
	}
	var params map[string]json.RawMessage
	_ = json.Unmarshal(m.params, &params)
	params["protocolVersion"], _ = json.Marshal(slices.Max(versions))
	changed, _ := wire.Encode(params)
	return changed
}
