package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/ops/resource"
)

// offerPrompts registers the prompts that can be followed with the tools on offer.
func (s *Server) offerPrompts() {
	for _, prompt := range resource.Prompts(s.options.Context) {
		if prompt.Needs != "" {
			if _, err := s.options.Tools.Find(inStyle(prompt.Needs, s.options.Tools, s.options.Style)); err != nil {
				continue
			}
		}
		described := &sdk.Prompt{Name: prompt.Name, Title: prompt.Title, Description: prompt.About}
		for _, argument := range prompt.Arguments {
			described.Arguments = append(described.Arguments, &sdk.PromptArgument{
				Name: argument.Name, Description: argument.About, Required: argument.Required,
			})
		}
		s.sdk.AddPrompt(described, s.promptHandler(prompt))
	}
}

func (s *Server) promptHandler(prompt resource.Prompt) sdk.PromptHandler {
	return func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		filled, err := prompt.Fill(req.Params.Arguments)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		ctx, cancel := s.limited(ctx)
		defer cancel()
		text, err := prompt.Text(ctx, filled)
		if err != nil {
			return nil, s.callError(err, nil)
		}
		text = inStyle(text, s.options.Tools, s.options.Style)
		return &sdk.GetPromptResult{
			Description: prompt.About,
			Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
		}, nil
	}
}
