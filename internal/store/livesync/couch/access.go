package couch

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"obsidian-mcp/internal/fault"
)

// Access is what an account may do with the database, as far as that shows without writing.
type Access struct {
	User  string // as the server reports it; "" without a login
	Roles []string
	Admin bool // of the server or the database
	// Member may read, and may write unless a validator refuses it.
	Member bool
	// Validators are the design documents that check every write and may refuse it, even an administrator's.
	Validators []string
	// Known is false if a proxy hides who is a member.
	Known bool
}

// Writing says whether an account may write.
type Writing int

// Unknown means that only an actual write shows it.
const (
	Unknown Writing = iota
	Allowed
	Refused
)

// Writing reports whether the account may write.
func (a Access) Writing() Writing {
	switch {
	case a.Known && !a.Member && !a.Admin:
		return Refused
	case !a.Known || len(a.Validators) > 0:
		return Unknown
	}
	return Allowed
}

// Access asks the server who we are and what we may do. It returns fault.PermissionDenied for a wrong password, or an
// account that may not read.
func (c *Client) Access(ctx context.Context) (Access, error) {
	var access Access
	if _, err := c.Info(ctx); err != nil {
		return access, err
	}
	session, err := c.session(ctx)
	if err != nil {
		return access, err
	}
	rules, known, err := c.rules(ctx)
	if err != nil {
		return access, err
	}
	access = Access{User: session.Name, Roles: session.Roles, Known: known && session.Roles != nil}
	access.Admin = slices.Contains(access.Roles, "_admin") || rules.Admins.include(access)
	access.Member = access.Admin || rules.Members.empty() || rules.Members.include(access)
	access.Validators, err = c.validators(ctx)
	return access, err
}

// people are the users and roles that a rule of the database names.
type people struct{ Names, Roles []string }

func (p people) empty() bool { return len(p.Names) == 0 && len(p.Roles) == 0 }

func (p people) include(a Access) bool {
	if a.User != "" && slices.Contains(p.Names, a.User) {
		return true
	}
	return slices.ContainsFunc(p.Roles, func(role string) bool { return slices.Contains(a.Roles, role) })
}

type user struct {
	Name  string
	Roles []string
}

// session asks the server who we are. If a proxy exposes only the database, the answer is an empty user.
func (c *Client) session(ctx context.Context) (user, error) {
	var answer struct {
		UserCtx user `json:"userCtx"`
	}
	err := c.ask(ctx, request{method: http.MethodGet, at: c.endpoint(nil, "_session"), about: "session"}, &answer)
	if errors.Is(err, fault.VaultNotFound) {
		return user{}, nil
	}
	return answer.UserCtx, err
}

// rules asks who may use the database. Not every account may ask.
func (c *Client) rules(ctx context.Context) (rules struct{ Admins, Members people }, known bool, err error) {
	err = c.ask(ctx, request{method: http.MethodGet, at: c.endpoint(nil, c.opt.Database, "_security"), about: "security"}, &rules)
	if errors.Is(err, fault.VaultNotFound) || errors.Is(err, fault.PermissionDenied) {
		return rules, false, nil
	}
	return rules, true, err
}

// validators lists the design documents that check writes.
func (c *Client) validators(ctx context.Context) ([]string, error) {
	var ids []string
	for row, err := range c.AllDocs(ctx, Query{Start: "_design/", Before: "_design0", Docs: true}) {
		if err != nil {
			return nil, err
		}
		var design struct {
			Validator any `json:"validate_doc_update"`
		}
		if row.Doc != nil && json.Unmarshal(row.Doc.Body, &design) == nil && design.Validator != nil {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}
