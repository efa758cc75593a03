//go:build conformance

package mcp

import (
	"context"
	"strings"

	"obsidian-mcp/internal/wire"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixtureResources are the resources of the suite.
var fixtureResources = map[string]*sdk.ResourceContents{
	"test://static-text":      {MIMEType: "text/plain", Text: "This is the content of the static text resource."},
	"test://static-binary":    {MIMEType: "image/png", Blob: pixel()},
	"test://watched-resource": {MIMEType: "text/plain", Text: "This resource can be watched; it never changes."},
}

// The template of the suite, and the parts around its blank.
const (
	templatePrefix, templateSuffix = "test://template/", "/data"
	fixtureTemplate                = templatePrefix + "{id}" + templateSuffix
)

// serveFixtureResources answers what the product's own handlers, which know
// its vault, rightly refuse. All else goes on to them.
func serveFixtureResources(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch req := req.(type) {
		case *sdk.ReadResourceRequest:
			if found := fixtureContents(req.Params.URI); found != nil {
				return fixtureRead(req, found)
			}
		case *sdk.SubscribeRequest:
			if fixtureResources[req.Params.URI] != nil {
				return &nothingToSay{}, nil
			}
		case *sdk.UnsubscribeRequest:
			if fixtureResources[req.Params.URI] != nil {
				return &nothingToSay{}, nil
			}
		case *sdk.CompleteRequest:
			if req.Params.Ref != nil && req.Params.Ref.Name == promptWithArguments {
				return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{"paris", "park", "party"}, Total: 3}}, nil
			}
		}
		result, err := next(ctx, method, req)
		if err == nil {
			addFixtureResources(result)
		}
		return result, err
	}
}

// fixtureRead is a result of a read. That it is complete is said from
// 2026-07-28 on; the SDK has it said of what it reads itself, and otherwise
// only of what comes as JSON.
func fixtureRead(req *sdk.ReadResourceRequest, found *sdk.ResourceContents) (*sdk.ReadResourceResult, error) {
	result := new(sdk.ReadResourceResult)
	if req.ProtocolVersion() >= sessionless {
		if err := result.UnmarshalJSON([]byte(`{"resultType":"complete"}`)); err != nil {
			return nil, err
		}
	}
	result.CacheScope, result.Contents = "private", []*sdk.ResourceContents{found}
	return result, nil
}

// nothingToSay is a result without content.
type nothingToSay struct{ sdk.ResultBase }

// addFixtureResources adds to what the product lists.
func addFixtureResources(result sdk.Result) {
	switch listed := result.(type) {
	case *sdk.ListResourcesResult:
		for uri, contents := range fixtureResources {
			listed.Resources = append(listed.Resources, &sdk.Resource{URI: uri, Name: uri, Description: "Of the conformance suite.", MIMEType: contents.MIMEType})
		}
	case *sdk.ListResourceTemplatesResult:
		listed.ResourceTemplates = append(listed.ResourceTemplates, &sdk.ResourceTemplate{
			URITemplate: fixtureTemplate, Name: "test_template", Description: "Of the conformance suite.", MIMEType: "application/json",
		})
	}
}

// fixtureContents is what a URI of the suite stands for.
func fixtureContents(uri string) *sdk.ResourceContents {
	if found, ok := fixtureResources[uri]; ok {
		contents := *found
		contents.URI = uri
		return &contents
	}
	filled, isTemplate := strings.CutPrefix(uri, templatePrefix)
	id, isData := strings.CutSuffix(filled, templateSuffix)
	if !isTemplate || !isData {
		return nil
	}
	data, _ := wire.Encode(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
	return &sdk.ResourceContents{URI: uri, MIMEType: "application/json", Text: string(data)}
}
