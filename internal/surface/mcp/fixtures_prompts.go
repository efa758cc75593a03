//go:build conformance

package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const promptWithArguments = "test_prompt_with_arguments"

// addPromptFixtures adds the prompts of the suite.
func addPromptFixtures(to *sdk.Server) {
	addPrompt(to, "test_simple_prompt", "A text.", "This is a simple prompt for testing.")
	to.AddPrompt(described(promptWithArguments, "A text with blanks.", "arg1", "arg2"), func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		arguments := req.Params.Arguments
		return prompted(&sdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", arguments["arg1"], arguments["arg2"])}), nil
	})
	to.AddPrompt(described("test_prompt_with_embedded_resource", "A resource.", "resourceUri"), func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return prompted(
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: req.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}},
			&sdk.TextContent{Text: "Please process the embedded resource above."},
		), nil
	})
	to.AddPrompt(described("test_prompt_with_image", "An image."), func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return prompted(&sdk.ImageContent{Data: pixel(), MIMEType: "image/png"}, &sdk.TextContent{Text: "Please analyze the image above."}), nil
	})
	wanted := sdk.InputRequestMap{"user_context": elicit("What context should the prompt use?", `{"context":{"type":"string"}}`, "context")}
	to.AddPrompt(described("test_input_required_result_prompt", "Asks the user first."), func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if !answered(wanted, req.Params.InputResponses) {
			return &sdk.GetPromptResult{InputRequests: wanted}, nil
		}
		return prompted(&sdk.TextContent{Text: "Go on with what you know."}), nil
	})
}

// addPrompt adds a prompt of one text.
func addPrompt(to *sdk.Server, name, about, text string) {
	to.AddPrompt(described(name, about), func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return prompted(&sdk.TextContent{Text: text}), nil
	})
}

func described(name, about string, arguments ...string) *sdk.Prompt {
	prompt := &sdk.Prompt{Name: name, Description: about}
	for _, argument := range arguments {
		prompt.Arguments = append(prompt.Arguments, &sdk.PromptArgument{Name: argument, Description: "for testing", Required: true})
	}
	return prompt
}

// prompted is a prompt in the user's words.
func prompted(contents ...sdk.Content) *sdk.GetPromptResult {
	result := &sdk.GetPromptResult{}
	for _, content := range contents {
		result.Messages = append(result.Messages, &sdk.PromptMessage{Role: "user", Content: content})
	}
	return result
}
