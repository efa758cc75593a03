package couchdb

import (
	"encoding/json"
	"net/http"
	"slices"
)

// usersName is the database of the accounts.
const usersName = "_users"

// mostFailed is how many logins of a name may fail before the account is locked.
const mostFailed = 5

// accounts counts the logins that failed, by name. The accounts themselves are documents of the database _users.
type accounts struct{ failed map[string]int }

// user is who asks.
type user struct {
	Name  string // "" for nobody
	Roles []string
}

func (u user) isAdmin() bool { return slices.Contains(u.Roles, "_admin") }

func (u user) session() any {
	context := map[string]any{"name": nil, "roles": append([]string{}, u.Roles...)}
	info := map[string]any{"authentication_handlers": []string{"cookie", "default"}}
	if u.Name != "" {
		context["name"], info["authenticated"] = u.Name, "default"
	}
	return map[string]any{"ok": true, "userCtx": context, "info": info}
}

// login finds out who asks.
func (s *Server) login(r *http.Request) (user, error) {
	name, password, isGiven := r.BasicAuth()
	if !isGiven {
		return user{}, nil
	}
	if s.accounts.failed[name] >= mostFailed {
		return user{}, errLocked
	}
	who, want, isKnown := user{name, []string{"_admin"}}, Password, name == User
	if !isKnown {
		who, want, isKnown = s.account(name)
	}
	if !isKnown || password != want {
		s.accounts.failed[name]++
		return user{}, errLogin
	}
	delete(s.accounts.failed, name)
	return who, nil
}

// account finds an account in the database of the accounts. Unlike CouchDB, it keeps passwords as they are.
func (s *Server) account(name string) (who user, password string, isKnown bool) {
	users := s.databases[usersName]
	if users == nil {
		return user{}, "", false
	}
	document := users.documents["org.couchdb.user:"+name]
	if document == nil || document.winner().deleted {
		return user{}, "", false
	}
	var account struct {
		Password string
		Roles    []string
	}
	if err := json.Unmarshal(document.winner().body.text(), &account); err != nil {
		return user{}, "", false
	}
	return user{name, account.Roles}, account.Password, true
}

// people are names and roles in the rights of a database.
type people struct {
	Names []string `json:"names"`
	Roles []string `json:"roles"`
}

func (p people) include(u user) bool {
	return u.Name != "" && slices.Contains(p.Names, u.Name) || slices.ContainsFunc(u.Roles, func(role string) bool { return slices.Contains(p.Roles, role) })
}

// rights say who may use a database. Nobody in a list means everybody.
type rights struct {
	Admins  people `json:"admins"`
	Members people `json:"members"`
}

// admits reports why somebody may not use a database, or nil.
func (d *database) admits(u user) error {
	members := d.rights.Members
	switch {
	case u.isAdmin() || d.rights.Admins.include(u) || members.include(u) || len(members.Names)+len(members.Roles) == 0:
		return nil
	case u.Name == "":
		return errAnonymous
	}
	return errNotAllowed
}

// security reads or sets the rights of a database.
func (c *call) security(d *database) (status int, value any, err error) {
	switch {
	case c.Method == http.MethodGet:
		return http.StatusOK, d.rights, nil
	case c.Method != http.MethodPut:
		return 0, nil, errMethod
	case !c.who.isAdmin() && !d.rights.Admins.include(c.who):
		return 0, nil, failure{http.StatusUnauthorized, "unauthorized", "You are not a db or server admin."}
	}
	var given rights
	if err := c.decode(&given); err != nil {
		return 0, nil, err
	}
	d.rights = given
	return http.StatusOK, map[string]bool{"ok": true}, nil
}
