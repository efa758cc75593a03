package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/wire"
)

// contractPrefix starts every tool's name in the contract style.
const contractPrefix = "obsidian_"

// Named gives the tools their names in a style.
func Named(tools *tool.Registry, style Style) *tool.Registry {
	if style != Contract {
		return tools
	}
	var named []tool.Tool
	for _, t := range tools.All() {
		if !strings.HasPrefix(t.Name, contractPrefix) { // the tools of the app are called so in both styles
			t.Name = contractPrefix + t.Name
		}
		if reach := t.Reach(); reach != nil {
			t = t.Reaching(Named(reach, style))
		}
		named = append(named, t)
	}
	registry := tool.NewRegistry(named)
	for i := range named {
		named[i].About = inStyle(named[i].About, registry, style)
	}
	return registry
}

// inStyle replaces the names of tools in a text by their names in a style.
func inStyle(text string, tools *tool.Registry, style Style) string {
	if style != Contract {
		return text
	}
	for _, t := range tools.All() {
		if t.Needs == tool.NeedsApp {
			continue // the same name in both styles
		}
		plain := regexp.MustCompile(`\b` + strings.TrimPrefix(t.Name, contractPrefix) + `\b`)
		text = plain.ReplaceAllString(text, t.Name)
	}
	return text
}

// success renders an answer.
func (s *Server) success(ctx context.Context, t tool.Tool, req *sdk.CallToolRequest, answer tool.Answer, started time.Time) *sdk.CallToolResult {
	result := &sdk.CallToolResult{Meta: sdk.Meta{}}
	maps.Copy(result.Meta, answer.Meta)
	if s.options.Style == Contract {
		wrapped := contractSuccess(t, answer)
		result.Content = append([]sdk.Content{&sdk.TextContent{Text: string(wrapped)}}, mediaItems(answer)...)
		result.StructuredContent = json.RawMessage(wrapped)
	} else {
		result.Content = []sdk.Content{&sdk.TextContent{Text: answer.Text}}
		if block := s.contextFor(ctx, req); block != "" {
			result.Content = append(result.Content, &sdk.TextContent{Text: block})
		}
		result.Content = append(result.Content, mediaItems(answer)...)
		result.Content = append(result.Content, hintItems(answer)...)
		if answer.JSON != nil {
			result.StructuredContent = answer.JSON
		}
	}
	result.Meta["took_ms"] = float64(time.Since(started).Microseconds()) / 1000
	return result
}

// mediaItems are the pictures, sounds and references of an answer.
func mediaItems(answer tool.Answer) []sdk.Content {
	var items []sdk.Content
	for _, media := range answer.Media {
		switch media.Kind {
		case tool.Picture:
			items = append(items, &sdk.ImageContent{Data: media.Data, MIMEType: media.MIME})
		case tool.Sound:
			items = append(items, &sdk.AudioContent{Data: media.Data, MIMEType: media.MIME})
		default:
			items = append(items, &sdk.ResourceLink{URI: media.URI, Name: media.Name, MIMEType: media.MIME, Size: &media.Size})
		}
	}
	return items
}

// hintItems are the hints of an answer as items for the model alone.
func hintItems(answer tool.Answer) []sdk.Content {
	var items []sdk.Content
	for _, line := range answer.HintLines() {
		items = append(items, &sdk.TextContent{Text: line, Annotations: &sdk.Annotations{Audience: []sdk.Role{"assistant"}}})
	}
	return items
}

// contractSuccess returns {"success":true,"data":…}.
func contractSuccess(t tool.Tool, answer tool.Answer) []byte {
	data := []byte(answer.Text)
	if answer.JSON == nil {
		data, _ = wire.Encode(struct {
			Text string `json:"text"`
		}{answer.Text})
	}
	if t.Name == contractPrefix+"create_note" {
		data = append(data[:len(data)-1:len(data)-1], `,"created":true}`...)
	}
	return append(append([]byte(`{"success":true,"data":`), data...), '}')
}

// failure renders an error, with the hints that its answer holds.
func (s *Server) failure(answer tool.Answer, err error) (*sdk.CallToolResult, error) {
	kind := fault.KindOf(err)
	if s.options.Style == Contract {
		data, _ := wire.Encode(struct {
			Code  string   `json:"errorCode"`
			Hints []string `json:"hints,omitempty"`
		}{kind.Code(), answer.HintLines()})
		return nil, &jsonrpc.Error{Code: contractCode(kind), Message: wording(err), Data: data}
	}
	return &sdk.CallToolResult{
		Meta: sdk.Meta{"error_code": kind.Code()}, IsError: true,
		Content: append([]sdk.Content{&sdk.TextContent{Text: wording(err)}}, hintItems(answer)...),
	}, nil
}
