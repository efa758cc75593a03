package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/wire"
)

// contractCode returns the JSON-RPC code of a kind in the contract style.
func contractCode(kind fault.Kind) int64 {
	switch kind {
	case fault.ObsidianNotRunning:
		return -32001
	case fault.VaultNotFound:
		return -32002
	case fault.NotFound:
		return -32003
	case fault.AmbiguousName:
		return -32004
	case fault.PermissionDenied:
		return -32005
	case fault.Timeout:
		return -32006
	case fault.InvalidArgument, fault.TagNotAllowed:
		return jsonrpc.CodeInvalidParams
	case fault.Internal, fault.AlreadyExists, fault.Conflict, fault.StoreUnavailable, fault.RateLimited:
		return -32000
	}
	return 0
}

// wording returns what a client reads: what happened, and what to do about it.
func wording(err error) string {
	if hint := fault.HintOf(err); hint != "" {
		return err.Error() + " (" + hint + ")"
	}
	return err.Error()
}

// suggestTool adds a hint to the error for an unknown tool: the tool that was probably meant, or how to reach it.
func (s *Server) suggestTool(problem *jsonrpc.Error, req sdk.Request) *jsonrpc.Error {
	call, isCall := req.(*sdk.CallToolRequest)
	if !isCall || problem.Code != jsonrpc.CodeInvalidParams || problem.Data != nil {
		return problem
	}
	hint := s.options.Tools.Suggest(call.Params.Name)
	if hint == "" {
		return problem
	}
	data, _ := wire.Encode(map[string][]string{"hints": {hint}})
	return &jsonrpc.Error{Code: problem.Code, Message: problem.Message, Data: data}
}

// resourceNotFound is the code of an unknown resource before 2026-07-28.
const resourceNotFound = -32002

// resourceError renders the error of a call about a resource for the call's version of the protocol.
func (s *Server) resourceError(err error, uri string, params sdk.Params) error {
	data, _ := wire.Encode(map[string]string{"uri": uri})
	if fault.KindOf(err) != fault.NotFound {
		return s.callError(err, data)
	}
	code := int64(resourceNotFound)
	if transport.IsSessionless(params) {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: "Resource not found", Data: data}
}

// callError renders the error of a call that is not a tool's. It carries data, so that its text reaches the client
// unchanged.
func (s *Server) callError(err error, data json.RawMessage) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = fault.Timeout.Errorf("the call took longer than %v", s.options.CallTimeout)
	}
	kind := fault.KindOf(err)
	if data == nil {
		data, _ = wire.Encode(map[string]string{"errorCode": kind.Code()})
	}
	text, code := inStyle(wording(err), s.options.Tools, s.options.Style), int64(jsonrpc.CodeInternalError)
	switch kind {
	case fault.InvalidArgument:
		code = jsonrpc.CodeInvalidParams
	case fault.Internal:
		s.options.Log.Error("a call failed", "error", fmt.Sprint(err))
		text = fault.SeeLog
	}
	return &jsonrpc.Error{Code: code, Message: text, Data: data}
}
