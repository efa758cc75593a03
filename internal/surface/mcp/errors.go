package mcp

import (
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/fault"
)

// contractCode is the JSON-RPC code of a kind in the contract style.
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

// wording is what a client is told: what happened, and what to do about it.
func wording(err error) string {
	if hint := fault.HintOf(err); hint != "" {
		return err.Error() + " (" + hint + ")"
	}
	return err.Error()
}
