package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/wire"
)

// Resources is where resources come from: what to list, to read, to complete,
// and what has changed. A URI that names nothing is fault.NotFound.
type Resources interface {
	List(context.Context) ([]resource.File, error)
	Template() resource.Template
	Read(ctx context.Context, uri string) (resource.Content, error)
	Key(ctx context.Context, uri string) (resource.Key, error)
	Changes(context.Context) <-chan resource.Changed
	Complete(context.Context, resource.Incomplete) (resource.Completed, error)
}

// serveResources answers for the vault's files. The SDK's own registry of
// resources is not for them: they are many, they come and go, and it panics on
// a vault's id with a space in it.
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

// annotated is the first version of the protocol in which a resource tells
// when it was modified.
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
	notes, err := s.options.Resources.List(ctx)
	if err != nil {
		return nil, s.callError(err, nil)
	}
	for _, note := range notes {
		resource := &sdk.Resource{
			URI: note.URI, Name: note.Name, Title: note.Title, Description: note.Description, MIMEType: note.MIMEType, Size: note.Size,
		}
		if req.ProtocolVersion() >= annotated && !note.Modified.IsZero() {
			resource.Annotations = &sdk.Annotations{LastModified: note.Modified.UTC().Format(time.RFC3339)}
		}
		listed.Resources = append(listed.Resources, resource)
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

// newReadResult is a result that may not be shared, and says that it is
// complete where its version of the protocol wants that: the SDK does so for
// its own resources alone, and lets the field be set by reading it.
func newReadResult(params sdk.Params) *sdk.ReadResourceResult {
	result := new(sdk.ReadResourceResult)
	if isSessionless(params) {
		_ = result.UnmarshalJSON([]byte(`{"resultType":"complete"}`))
	}
	result.CacheScope = "private"
	return result
}

// emptyText is the content of an empty file. The SDK leaves an empty text out,
// and then a client finds neither text nor bytes.
type emptyText struct{ *sdk.ReadResourceResult }

// MarshalJSON gives the text that the SDK does not.
func (e emptyText) MarshalJSON() ([]byte, error) {
	encoded, err := e.ReadResourceResult.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return nil, err
	}
	only := e.Contents[0]
	if fields["contents"], err = wire.Encode([]any{map[string]string{"uri": only.URI, "mimeType": only.MIMEType, "text": ""}}); err != nil {
		return nil, err
	}
	return wire.Encode(fields)
}

// limited gives a call the time that calls have.
func (s *Server) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.options.CallTimeout > 0 {
		return context.WithTimeout(ctx, s.options.CallTimeout)
	}
	return context.WithCancel(ctx)
}

// resourceNotFound is the code of an unknown resource before 2026-07-28.
const resourceNotFound = -32002

// resourceError is an error of a call about a resource, as its version of the
// protocol has it.
func (s *Server) resourceError(err error, uri string, params sdk.Params) error {
	data, _ := wire.Encode(map[string]string{"uri": uri})
	if fault.KindOf(err) != fault.NotFound {
		return s.callError(err, data)
	}
	code := int64(resourceNotFound)
	if isSessionless(params) {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: "Resource not found", Data: data}
}

// callError is an error of a call that is no tool's. It carries data, so
// that its words reach the client as they are.
func (s *Server) callError(err error, data json.RawMessage) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = fault.Timeout.Errorf("the call took longer than %v", s.options.CallTimeout)
	}
	kind := fault.KindOf(err)
	if data == nil {
		data, _ = wire.Encode(map[string]string{"errorCode": kind.Code()})
	}
	text, code := inStyle(wording(err), s.options.Tools, s.options.Style), int64(jsonrpc.CodeInternalError)
	switch kind {
	case fault.InvalidArgument:
		code = jsonrpc.CodeInvalidParams
	case fault.Internal:
		s.options.Log.Error("a call failed", "error", fmt.Sprint(err))
		text = fault.SeeLog
	}
	return &jsonrpc.Error{Code: code, Message: text, Data: data}
}
