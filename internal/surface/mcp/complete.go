package mcp

import (
	"context"
	"fmt"

	"obsidian-mcp/internal/ops/resource"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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
	in := resource.Incomplete{Of: of, Value: req.Params.Argument.Value}
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
func (s *Server) completes(ref *sdk.CompleteReference, name string) (resource.Completes, bool) {
	if ref.Type == "ref/resource" {
		return resource.CompleteFile, name == "path" && ref.URI == s.options.Resources.Template().URITemplate
	}
	for _, prompt := range resource.Prompts(s.options.Context) {
		if prompt.Name == ref.Name {
			argument, ok := prompt.Argument(name)
			return argument.Completes, ok
		}
	}
	return resource.CompleteNothing, false
}
