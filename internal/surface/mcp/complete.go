package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/ops"
)

// complete tells what the argument of a prompt, or the blank of the template
// of resources, may become.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	of, ok := s.completes(req.Params.Ref, req.Params.Argument.Name)
	if !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no argument '%s' to complete", req.Params.Argument.Name)}
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	in := ops.Incomplete{Of: of, Value: req.Params.Argument.Value}
	if req.Params.Context != nil {
		in.Note = req.Params.Context.Arguments["note"]
	}
	done, err := s.options.Resources.Complete(ctx, in)
	if err != nil {
		return nil, s.callError(err, nil)
	}
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{
		Values: append([]string{}, done.Values...), Total: done.Total, HasMore: done.Total > len(done.Values),
	}}, nil
}

// completes is what an argument names.
func (s *Server) completes(ref *sdk.CompleteReference, name string) (ops.Completes, bool) {
	if ref.Type == "ref/resource" {
		return ops.CompleteFile, name == "path" && ref.URI == s.options.Resources.ResourceTemplate().URITemplate
	}
	for _, one := range s.prompts() {
		for _, blank := range one.arguments {
			if one.name == ref.Name && blank.name == name {
				return blank.completes, true
			}
		}
	}
	return ops.CompleteNothing, false
}
