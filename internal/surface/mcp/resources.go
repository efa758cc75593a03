package mcp

import (
	"context"
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/wire"
)

// Resources is where resources come from; resource.Catalog implements it. A URI that names nothing is fault.NotFound.
type Resources interface {
	List(context.Context) ([]resource.File, error)
	Template() resource.Template
	Read(ctx context.Context, uri string) (resource.Content, error)
	Key(ctx context.Context, uri string) (resource.Key, error)
	Changes(context.Context) <-chan resource.Changed
	Complete(context.Context, resource.Incomplete) (resource.Completed, error)
}

// serveResources serves the vault's files. The SDK's own registry of resources does not suit them: they are many, they
// come and go, and it panics on a vault id that contains a space.
func (s *Server) serveResources(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch req := req.(type) {
		case *sdk.ListResourcesRequest:
			return s.listResources(ctx, method, req, next)
		case *sdk.ListResourceTemplatesRequest:
			return s.listTemplates(ctx, method, req, next)
		case *sdk.ReadResourceRequest:
			if req.Params.URI != resource.ContextURI {
				return s.readResource(ctx, req)
			}
		case *sdk.SubscriptionsListenRequest:
			return s.listen(ctx, method, req, next)
		}
		return next(ctx, method, req)
	}
}

// annotated is the first version of the protocol in which a resource says when it was modified.
const annotated = "2025-06-18"

// listResources adds the newest notes to what the SDK lists.
func (s *Server) listResources(ctx context.Context, method string, req *sdk.ListResourcesRequest, next sdk.MethodHandler) (sdk.Result, error) {
	result, err := next(ctx, method, req)
	listed, ok := result.(*sdk.ListResourcesResult)
	if err != nil || !ok {
		return result, err
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	files, err := s.options.Resources.List(ctx)
	if err != nil {
		return nil, s.callError(err, nil)
	}
	for _, file := range files {
		described := &sdk.Resource{
			URI: file.URI, Name: file.Name, Title: file.Title, Description: file.Description, MIMEType: file.MIMEType, Size: file.Size,
		}
		if req.ProtocolVersion() >= annotated && !file.Modified.IsZero() {
			described.Annotations = &sdk.Annotations{LastModified: file.Modified.UTC().Format(time.RFC3339)}
		}
		listed.Resources = append(listed.Resources, described)
	}
	return listed, nil
}

// listTemplates adds the vault's template to what the SDK lists.
func (s *Server) listTemplates(ctx context.Context, method string, req *sdk.ListResourceTemplatesRequest, next sdk.MethodHandler) (sdk.Result, error) {
	result, err := next(ctx, method, req)
	if listed, ok := result.(*sdk.ListResourceTemplatesResult); err == nil && ok {
		template := s.options.Resources.Template()
		listed.ResourceTemplates = append(listed.ResourceTemplates, &sdk.ResourceTemplate{
			URITemplate: template.URITemplate, Name: template.Name, Title: template.Title, Description: template.Description,
		})
	}
	return result, err
}

func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (sdk.Result, error) {
	ctx, cancel := s.limited(ctx)
	defer cancel()
	uri := req.Params.URI
	content, err := s.options.Resources.Read(ctx, uri)
	if err != nil {
		return nil, s.resourceError(err, uri, req.Params)
	}
	result := newReadResult(req.Params)
	result.Contents = []*sdk.ResourceContents{{URI: uri, MIMEType: content.MIMEType, Text: content.Text, Blob: content.Blob}}
	if content.Text == "" && content.Blob == nil {
		return emptyText{result}, nil
	}
	return result, nil
}

// newReadResult returns a result that may not be cached for others, and that says that it is complete where the
// version of the protocol requires it. The SDK says so for its own resources only, and lets us set that field only by
// decoding it.
func newReadResult(params sdk.Params) *sdk.ReadResourceResult {
	result := new(sdk.ReadResourceResult)
	if transport.IsSessionless(params) {
		_ = result.UnmarshalJSON([]byte(`{"resultType":"complete"}`))
	}
	result.CacheScope = "private"
	return result
}

// emptyText is the content of an empty file. The SDK omits an empty text, and the client would find neither text nor
// bytes. It embeds the SDK's result because only the SDK's types can be results.
type emptyText struct{ *sdk.ReadResourceResult }

// MarshalJSON adds the text that the SDK omits.
func (e emptyText) MarshalJSON() ([]byte, error) {
	encoded, err := e.ReadResourceResult.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return nil, err
	}
	content := e.Contents[0]
	fields["contents"], err = wire.Encode([]any{map[string]string{"uri": content.URI, "mimeType": content.MIMEType, "text": ""}})
	if err != nil {
		return nil, err
	}
	return wire.Encode(fields)
}
