package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/ops/resource"
)

// complete lists what the argument of a prompt, or the path in the resource template, may become.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	argument := req.Params.Argument
	in, ok := s.completes(ctx, req.Params.Ref, argument.Name)
	if !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no argument '%s' to complete", argument.Name)}
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	in.Value = argument.Value
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

// completes returns what an argument names.
func (s *Server) completes(ctx context.Context, ref *sdk.CompleteReference, name string) (resource.Incomplete, bool) {
	if ref.Type == "ref/resource" {
		return resource.Incomplete{Of: resource.CompleteFile}, name == "path" && ref.URI == s.options.Resources.Template().URITemplate
	}
	for _, prompt := range resource.Prompts(s.options.Context) {
		if prompt.Name == ref.Name {
			return completesArgument(prompt, name)
		}
	}
	prompt, ok, _ := s.notePrompt(ctx, ref.Name)
	if !ok {
		return resource.Incomplete{}, false
	}
	return completesArgument(prompt, name)
}

func completesArgument(prompt resource.Prompt, name string) (resource.Incomplete, bool) {
	argument, ok := prompt.Argument(name)
	return resource.Incomplete{Of: argument.Completes, Property: argument.Property}, ok
}
