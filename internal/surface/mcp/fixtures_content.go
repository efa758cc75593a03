//go:build conformance

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addContentFixtures adds the tools that return each kind of content, and one with a rich schema.
func addContentFixtures(to *sdk.Server) {
	addFixtures(to, []fixture{
		{name: "test_simple_text", about: "Answers with a text.", call: returns(&sdk.TextContent{Text: "This is a simple text response for testing."})},
		{name: "test_image_content", about: "Answers with an image.", call: returns(&sdk.ImageContent{Data: pixel(), MIMEType: "image/png"})},
		{name: "test_audio_content", about: "Answers with a sound.", call: returns(&sdk.AudioContent{Data: []byte(click), MIMEType: "audio/wav"})},
		{name: "test_embedded_resource", about: "Answers with a resource.", call: returns(&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
			URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
		}})},
		{name: "test_multiple_content_types", about: "Answers with content of several kinds.", call: returns(
			&sdk.TextContent{Text: "Multiple content types test:"},
			&sdk.ImageContent{Data: pixel(), MIMEType: "image/png"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
				URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
			}},
		)},
		{name: "test_error_handling", about: "Fails.", call: func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			failed := textResult("This tool intentionally returns an error for testing")
			failed.IsError = true
			return failed, nil
		}},
		{name: "json_schema_2020_12_tool", about: "Has a schema with much of JSON Schema 2020-12 in it.", input: json.RawMessage(richSchema), call: returns(&sdk.TextContent{Text: "done"})},
	})
}

const richSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "address", "type": "object", "properties": {"street": {"type": "string"}, "town": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
		"reach": {"enum": ["phone", "mail"]}, "phone": {"type": "string"}, "mail": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["mail"]}]}],
	"if": {"properties": {"reach": {"const": "phone"}}, "required": ["reach"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["mail"]},
	"additionalProperties": false
}`

// pixel is an image of one pixel.
func pixel() []byte {
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return encoded.Bytes()
}

// click is a sound of two samples.
const click = "RIFF\x26\x00\x00\x00WAVE" +
	"fmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00" +
	"data\x02\x00\x00\x00\x80\x80"
