//go:build conformance

package mcp

import (
	"context"
	"strings"

	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/wire"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixtureResources are the resources of the suite.
var fixtureResources = map[string]*sdk.ResourceContents{
	"test://static-text":      {MIMEType: "text/plain", Text: "This is the content of the static text resource."},
	"test://static-binary":    {MIMEType: "image/png", Blob: pixel()},
	"test://watched-resource": {MIMEType: "text/plain", Text: "This resource can be watched; it never changes."},
}

// The suite's template, and the parts around its variable.
const (
	templatePrefix, templateSuffix = "test://template/", "/data"
	fixtureTemplate                = templatePrefix + "{id}" + templateSuffix
)

// serveFixtureResources serves what the product's own handlers rightly refuse because it is not in the vault. They
// serve everything else.
func serveFixtureResources(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch req := req.(type) {
		case *sdk.ReadResourceRequest:
			if found := fixtureContents(req.Params.URI); found != nil {
				return fixtureRead(req, found)
			}
		case *sdk.SubscribeRequest:
			if fixtureResources[req.Params.URI] != nil {
				return &emptyResult{}, nil
			}
		case *sdk.UnsubscribeRequest:
			if fixtureResources[req.Params.URI] != nil {
				return &emptyResult{}, nil
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

// fixtureRead returns the result of a read. From 2026-07-28 on it says that it is complete; the SDK sets that field
// only for its own resources, or by decoding it.
func fixtureRead(req *sdk.ReadResourceRequest, found *sdk.ResourceContents) (*sdk.ReadResourceResult, error) {
	result := new(sdk.ReadResourceResult)
	if req.ProtocolVersion() >= transport.Sessionless {
		if err := result.UnmarshalJSON([]byte(`{"resultType":"complete"}`)); err != nil {
			return nil, err
		}
	}
	result.CacheScope, result.Contents = "private", []*sdk.ResourceContents{found}
	return result, nil
}

// emptyResult is a result without content.
type emptyResult struct{ sdk.ResultBase }

// addFixtureResources adds to what the product lists.
func addFixtureResources(result sdk.Result) {
	switch listed := result.(type) {
	case *sdk.ListResourcesResult:
		for uri, contents := range fixtureResources {
			listed.Resources = append(listed.Resources, &sdk.Resource{URI: uri, Name: uri, Description: "For the conformance suite.", MIMEType: contents.MIMEType})
		}
	case *sdk.ListResourceTemplatesResult:
		listed.ResourceTemplates = append(listed.ResourceTemplates, &sdk.ResourceTemplate{
			URITemplate: fixtureTemplate, Name: "test_template", Description: "For the conformance suite.", MIMEType: "application/json",
		})
	}
}

// fixtureContents returns what a URI of the suite names.
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
