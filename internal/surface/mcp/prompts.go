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
		s.sdk.AddPrompt(describePrompt(prompt), s.promptHandler(prompt))
	}
}

// describePrompt is a prompt as it is listed.
func describePrompt(prompt resource.Prompt) *sdk.Prompt {
	described := &sdk.Prompt{Name: prompt.Name, Title: prompt.Title, Description: prompt.About}
	for _, argument := range prompt.Arguments {
		described.Arguments = append(described.Arguments, &sdk.PromptArgument{
			Name: argument.Name, Description: argument.About, Required: argument.Required,
		})
	}
	return described
}

// promptHandler serves a built-in prompt, which names tools in the server's style.
func (s *Server) promptHandler(prompt resource.Prompt) sdk.PromptHandler {
	return func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text, err := s.promptText(ctx, prompt, req)
		if err != nil {
			return nil, err
		}
		result := new(sdk.GetPromptResult)
		fillPrompt(result, prompt, inStyle(text, s.options.Tools, s.options.Style))
		return result, nil
	}
}

func (s *Server) promptText(ctx context.Context, prompt resource.Prompt, req *sdk.GetPromptRequest) (string, error) {
	filled, err := prompt.Fill(req.Params.Arguments)
	if err != nil {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	text, err := prompt.Text(ctx, filled)
	if err != nil {
		return "", s.callError(err, nil)
	}
	return text, nil
}

func fillPrompt(result *sdk.GetPromptResult, prompt resource.Prompt, text string) {
	result.Description = prompt.About
	result.Messages = []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}
}
