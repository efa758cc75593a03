//go:build conformance

//lint:file-ignore SA1019 the protocol and its suite still contain what is deprecated

package mcp

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addAskingFixtures adds the tools that need something from the client before they answer. They ask as the product
// does, by returning what they need, in all versions of the protocol.
func addAskingFixtures(to *sdk.Server) {
	name := elicit("What is your name?", `{"name":{"type":"string"}}`, "name")
	confirm := sdk.InputRequestMap{"confirm": elicit("Please confirm", `{"ok":{"type":"boolean"}}`, "ok")}
	addFixtures(to, []fixture{
		{name: "test_sampling", about: "Asks the client's model.", input: oneText("prompt"), call: asksArgument("prompt", func(prompt string) sdk.InputRequest { return sample(prompt, 100) })},
		{name: "test_elicitation", about: "Asks the user.", input: oneText("message"), call: asksArgument("message", func(message string) sdk.InputRequest {
			return elicit(message, `{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}}`, "username", "email")
		})},
		{name: "test_elicitation_sep1034_defaults", about: "Asks the user, with default values.", call: asks(sdk.InputRequestMap{"profile": elicit("Your profile", withDefaults)})},
		{name: "test_elicitation_sep1330_enums", about: "Lets the user choose.", call: asks(sdk.InputRequestMap{"choices": elicit("Your choices", withEnums)})},
		{name: "test_streaming_elicitation", about: "Asks the user.", call: asks(sdk.InputRequestMap{"user_name": name})},
		{name: "test_input_required_result_elicitation", about: "Asks for a name.", call: asks(sdk.InputRequestMap{"user_name": name})},
		{name: "test_input_required_result_sampling", about: "Asks the client's model.", call: asks(sdk.InputRequestMap{"capital_question": sample("What is the capital of France?", 100)})},
		{name: "test_input_required_result_list_roots", about: "Asks for the client's roots.", call: asks(sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}})},
		{name: "test_input_required_result_request_state", about: "Asks, and recognises its question.", call: inRounds(confirm)},
		{name: "test_input_required_result_tampered_state", about: "Asks, and rejects a question that is not its own.", call: inRounds(confirm)},
		{name: "test_input_required_result_multiple_inputs", about: "Asks for several things.", call: inRounds(sdk.InputRequestMap{
			"user_name": name, "greeting": sample("Generate a greeting", 50), "client_roots": &sdk.ListRootsParams{},
		})},
		{name: "test_input_required_result_multi_round", about: "Asks twice.", call: inRounds(
			sdk.InputRequestMap{"step1": elicit("Step 1: What is your name?", `{"name":{"type":"string"}}`, "name")},
			sdk.InputRequestMap{"step2": elicit("Step 2: What is your favorite color?", `{"color":{"type":"string"}}`, "color")},
		)},
		{name: "test_input_required_result_capabilities", about: "Asks for what the client can give.", call: asksWithinCapabilities},
	})
}

// withDefaults has a property of each type with a default value.
const withDefaults = `{
	"name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30}, "score": {"type": "number", "default": 95.5},
	"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}, "verified": {"type": "boolean", "default": true}
}`

// withEnums has a property of each way to choose from a list.
const withEnums = `{
	"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
	"titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}]},
	"legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
	"untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
	"titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}]}}
}`

// elicit asks the user for properties.
func elicit(message, properties string, required ...string) *sdk.ElicitParams {
	schema := map[string]any{"type": "object", "properties": json.RawMessage(properties)}
	if len(required) > 0 {
		schema["required"] = required
	}
	return &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: schema}
}

// sample asks the client's model.
func sample(prompt string, tokens int64) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: tokens, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: prompt}}}}
}

func oneText(name string) any {
	return map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": "string"}}, "required": []string{name}}
}

// asks is a tool that asks, and returns what was answered.
func asks(wanted sdk.InputRequestMap) sdk.ToolHandler {
	return func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if !answered(wanted, req.Params.InputResponses) {
			return &sdk.CallToolResult{InputRequests: wanted}, nil
		}
		return answersTo(wanted, req.Params.InputResponses)
	}
}

// asksArgument is a tool whose question depends on its argument.
func asksArgument(name string, question func(string) sdk.InputRequest) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var arguments map[string]string
		if err := json.Unmarshal(req.Params.Arguments, &arguments); err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		return asks(sdk.InputRequestMap{"answer": question(arguments[name])})(ctx, req)
	}
}

// asksWithinCapabilities asks only for what the client says it can give.
func asksWithinCapabilities(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	wanted := sdk.InputRequestMap{}
	if able := req.ClientCapabilities(); able != nil {
		if able.Sampling != nil {
			wanted["greeting"] = sample("Generate a greeting", 50)
		}
		if able.Elicitation != nil {
			wanted["user_name"] = elicit("What is your name?", `{"name":{"type":"string"}}`, "name")
		}
	}
	if len(wanted) == 0 {
		return textResult("Nobody can be asked."), nil
	}
	return asks(wanted)(ctx, req)
}

// inRounds is a tool that asks several times. The client says in which round a call is; that state is signed.
func inRounds(rounds ...sdk.InputRequestMap) sdk.ToolHandler {
	return func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		round := 0
		if state := req.Params.RequestState; state != "" {
			for round < len(rounds) && state != signed(req.Params.Name, round) {
				round++
			}
			if round == len(rounds) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState was not made by this tool"}
			}
			if answered(rounds[round], req.Params.InputResponses) {
				round++
			}
		}
		if round == len(rounds) {
			return textResult("state-ok"), nil
		}
		return &sdk.CallToolResult{InputRequests: rounds[round], RequestState: signed(req.Params.Name, round)}, nil
	}
}

// signingKey differs in each process: nobody keeps a state that long.
var signingKey = rand.Text()

// signed returns a state that only this process can make.
func signed(tool string, round int) string {
	state := fmt.Sprintf("%s/%d", tool, round)
	mac := hmac.New(sha256.New, []byte(signingKey))
	mac.Write([]byte(state))
	return state + "/" + hex.EncodeToString(mac.Sum(nil))
}

// answered reports whether every question has been answered.
func answered(wanted sdk.InputRequestMap, responses sdk.InputResponseMap) bool {
	for name := range wanted {
		if responses[name] == nil {
			return false
		}
	}
	return true
}

// answersTo lists the answers.
func answersTo(wanted sdk.InputRequestMap, responses sdk.InputResponseMap) (*sdk.CallToolResult, error) {
	var lines []string
	for name := range wanted {
		encoded, err := json.Marshal(responses[name])
		if err != nil {
			return nil, err
		}
		lines = append(lines, name+": "+string(encoded))
	}
	return textResult(strings.Join(lines, "\n")), nil
}
