package couch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// connect makes a client of a database. change may adapt its options.
func connect(t testing.TB, database *couchtest.Database, change func(*couch.Options)) *couch.Client {
	t.Helper()
	options := couch.Options{
		URL: database.URL, Database: database.Name, User: database.User, Password: couch.Secret(database.Password),
		Logins: couch.NewLogins(time.Millisecond), // some tests refuse logins to see whether the client recovers
	}
	if change != nil {
		change(&options)
	}
	client, err := couch.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func documents(texts ...string) []json.RawMessage {
	all := make([]json.RawMessage, len(texts))
	for i, text := range texts {
		all[i] = json.RawMessage(text)
	}
	return all
}

// write writes documents, and returns their revisions.
func write(t testing.TB, client *couch.Client, texts ...string) []string {
	t.Helper()
	outcomes, err := client.BulkDocs(t.Context(), documents(texts...), couch.BulkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var revs []string
	for _, outcome := range outcomes {
		if outcome.Err != nil {
			t.Fatal(outcome.Err)
		}
		revs = append(revs, outcome.Rev)
	}
	return revs
}

func want(t testing.TB, err error, kind fault.Kind) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("got the error %v, want %s", err, kind.Code())
	}
}

// oddIDs are ids that URLs, proxies or CouchDB itself might misread.
var oddIDs = []string{
	"h:+a/b=", "/_x.md", "50%.md", "50%25.md", "a+b c.md", "über/日本語 😀.md", "a?b=c#d.md", `quote"back\slash.md`,
	"a;b,c@d!$&'()*.md", "i:.obsidian/app.json", "a//b.md", "~.md", "a\u0301.md",
}

func TestOddIDs(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	direct := connect(t, database, nil)
	for i, id := range oddIDs {
		body, _ := json.Marshal(map[string]any{"_id": id, "n": i})
		write(t, direct, string(body))
	}
	prefixed := connect(t, database, func(o *couch.Options) { o.URL = couchtest.NewProxy(t, database.URL, "/couch%2Fdb/x").URL + "/" })
	for _, client := range []*couch.Client{direct, prefixed} {
		for i, id := range oddIDs {
			got, err := client.Get(t.Context(), id, couch.GetOptions{})
			var body struct{ N int }
			if err != nil || got.ID != id || json.Unmarshal(got.Body, &body) != nil || body.N != i {
				t.Errorf("%q: %+v %v", id, got, err)
			}
		}
		rows, err := client.Fetch(t.Context(), oddIDs)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			if row.ID != oddIDs[i] || row.Doc == nil || row.Err != nil {
				t.Errorf("%q: %+v", oddIDs[i], row)
			}
		}
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	client := connect(t, database, nil)
	before, err := client.Info(t.Context())
	if err != nil || before.Name != database.Name || before.Documents != 0 {
		t.Fatalf("%+v %v", before, err)
	}
	write(t, client, `{"_id":"a"}`)
	after, err := client.Info(t.Context())
	if err != nil || after.Documents != 1 || after.UpdateSeq == before.UpdateSeq {
		t.Errorf("%+v %v", after, err)
	}
	_, err = connect(t, database, func(o *couch.Options) { o.Database += "x" }).Info(t.Context())
	want(t, err, fault.VaultNotFound)
}

func TestGet(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	client := connect(t, database, nil)
	first := write(t, client, `{"_id":"a.md","n":1}`)[0]
	second := write(t, client, fmt.Sprintf(`{"_id":"a.md","_rev":%q,"n":2,"x":"<&>"}`, first))[0]

	got, err := client.Get(t.Context(), "a.md", couch.GetOptions{Ancestors: true})
	if err != nil || got.Rev != second || !slices.Equal(got.Ancestors, []string{first}) || !strings.Contains(string(got.Body), `"<&>"`) {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := client.Get(t.Context(), "a.md", couch.GetOptions{Rev: first}); err != nil || got.Rev != first {
		t.Errorf("%+v %v", got, err)
	}
	_, err = client.Get(t.Context(), "none.md", couch.GetOptions{})
	want(t, err, fault.NotFound)
	deleted := write(t, client, fmt.Sprintf(`{"_id":"a.md","_rev":%q,"_deleted":true,"path":"a.md"}`, second))[0]
	_, err = client.Get(t.Context(), "a.md", couch.GetOptions{})
	want(t, err, fault.NotFound)
	if got, err := client.Get(t.Context(), "a.md", couch.GetOptions{Rev: deleted}); err != nil || !got.Deleted {
		t.Errorf("%+v %v", got, err)
	}
	for _, id := range []string{"", ".", "..", "_bulk_docs", "_local/", "_design/.."} {
		_, err := client.Get(t.Context(), id, couch.GetOptions{})
		want(t, err, fault.InvalidArgument)
	}
	database.Delete(t)
	_, err = client.Get(t.Context(), "none.md", couch.GetOptions{})
	want(t, err, fault.VaultNotFound)
	database.Create(t)
}

func TestConflictBranches(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	client := connect(t, database, nil)
	database.Branches(t, map[string]any{"_id": "c.md", "_rev": "1-aa", "n": 1}, map[string]any{"_id": "c.md", "_rev": "1-bb", "n": 2})
	winner, err := client.Get(t.Context(), "c.md", couch.GetOptions{Conflicts: true})
	if err != nil || winner.Rev != "1-bb" || !slices.Equal(winner.Conflicts, []string{"1-aa"}) {
		t.Errorf("%+v %v", winner, err)
	}
	loser, err := client.Get(t.Context(), "c.md", couch.GetOptions{Rev: "1-aa"})
	if err != nil || loser.Rev != "1-aa" || !strings.Contains(string(loser.Body), `"n":1`) {
		t.Errorf("%+v %v", loser, err)
	}
	rows, err := client.Fetch(t.Context(), []string{"c.md"})
	if err != nil || !slices.Equal(rows[0].Doc.Conflicts, []string{"1-aa"}) {
		t.Errorf("%+v %v", rows, err)
	}
}

func TestLocalDocuments(t *testing.T) {
	t.Parallel()
	client := connect(t, couchtest.New(t), nil)
	_, err := client.GetLocal(t.Context(), "a/b")
	want(t, err, fault.NotFound)
	rev, err := client.PutLocal(t.Context(), "a/b", json.RawMessage(`{"n":1}`))
	if err != nil || rev == "" {
		t.Fatal(rev, err)
	}
	if _, err := client.PutLocal(t.Context(), "a/b", json.RawMessage(fmt.Sprintf(`{"n":2,"_rev":%q}`, rev))); err != nil {
		t.Fatal(err)
	}
	got, err := client.GetLocal(t.Context(), "a/b")
	if err != nil || got.ID != "_local/a/b" || !strings.Contains(string(got.Body), `"n":2`) {
		t.Errorf("%+v %v", got, err)
	}
	want(t, client.DeleteLocal(t.Context(), "a/b", ""), fault.InvalidArgument)
	want(t, client.DeleteLocal(t.Context(), "other", got.Rev), fault.NotFound)
	if err := client.DeleteLocal(t.Context(), "a/b", got.Rev); err != nil {
		t.Error(err)
	}
	_, err = client.GetLocal(t.Context(), "a/b")
	want(t, err, fault.NotFound)
	want(t, client.DeleteLocal(t.Context(), "a/b", got.Rev), fault.NotFound)
	if _, err := client.PutLocal(t.Context(), "a/b", json.RawMessage(`{"n":3}`)); err != nil {
		t.Errorf("creating a deleted local document again: %v", err)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	client := connect(t, couchtest.New(t), nil)
	rev := write(t, client, `{"_id":"a"}`, `{"_id":"gone"}`)[1]
	write(t, client, fmt.Sprintf(`{"_id":"gone","_rev":%q,"_deleted":true}`, rev))
	rows, err := client.Fetch(t.Context(), []string{"none", "a", "gone", "a"})
	if err != nil || len(rows) != 4 {
		t.Fatalf("%+v %v", rows, err)
	}
	if !rows[0].Missing || rows[1].Doc == nil || rows[1].Rev == "" || !rows[2].Deleted || rows[2].Doc != nil || rows[3].Doc == nil {
		t.Errorf("%+v", rows)
	}
	if rows, err := client.Fetch(t.Context(), nil); err != nil || len(rows) != 0 {
		t.Errorf("%+v %v", rows, err)
	}
	many := manyIDs(4203)
	if rows, err := client.Fetch(t.Context(), many); err != nil || len(rows) != len(many) || rows[4202].ID != "h:4202" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func manyIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("h:%d", i)
	}
	return ids
}

func TestExists(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	client := connect(t, database, nil)
	rev := write(t, client, `{"_id":"a"}`, `{"_id":"gone"}`, `{"_id":"h:4100"}`)[1]
	write(t, client, fmt.Sprintf(`{"_id":"gone","_rev":%q,"_deleted":true}`, rev))
	got, err := client.Exists(t.Context(), []string{"none", "a", "gone", "a"})
	if err != nil || !slices.Equal(got, []bool{false, true, false, true}) {
		t.Errorf("%v %v", got, err)
	}
	if got, err := client.Exists(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	got, err = client.Exists(t.Context(), manyIDs(4203))
	if err != nil || len(got) != 4203 || slices.Index(got, true) != 4100 {
		t.Errorf("%d, %v", len(got), err)
	}
	_, err = connect(t, database, func(o *couch.Options) { o.Database += "x" }).Exists(t.Context(), []string{"a"})
	want(t, err, fault.VaultNotFound)
}

func TestAllDocs(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	client := connect(t, database, nil)
	var ids []string
	for i := range 23 {
		ids = append(ids, fmt.Sprintf("n%02d.md", i))
	}
	for _, id := range append(ids, "h:1", "h:+2", "a") {
		database.Put(t, id, struct{}{})
	}
	list := func(q couch.Query) []string {
		var got []string
		for row, err := range client.AllDocs(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			if q.Docs != (row.Doc != nil) || row.Rev == "" || row.Err != nil {
				t.Errorf("%+v", row)
			}
			got = append(got, row.ID)
		}
		return got
	}
	for _, page := range []int{1, 2, 11, 22, 23, 24, 500} {
		if got := list(couch.Query{Start: "n", Docs: page%2 == 0, Page: page}); !slices.Equal(got, ids) {
			t.Errorf("pages of %d: %q", page, got)
		}
	}
	if got := list(couch.Query{Before: "h:"}); !slices.Equal(got, []string{"a"}) {
		t.Errorf("before the chunks: %q", got)
	}
	if got := list(couch.Query{Start: "h:", Before: "h;", Page: 1}); !slices.Equal(got, []string{"h:+2", "h:1"}) {
		t.Errorf("chunks: %q", got)
	}
	if got := list(couch.Query{Start: "z"}); len(got) != 0 {
		t.Errorf("beyond the end: %q", got)
	}
	for range client.AllDocs(t.Context(), couch.Query{Page: 2}) {
		break // must end the iteration
	}
}

func TestBulkDocs(t *testing.T) {
	t.Parallel()
	client := connect(t, couchtest.New(t), nil)
	rev := write(t, client, `{"_id":"a"}`)[0]
	outcomes, err := client.BulkDocs(t.Context(), documents(`{"_id":"a"}`, `{"_id":"b"}`, fmt.Sprintf(`{"_id":"a","_rev":%q}`, rev)), couch.BulkOptions{})
	if err != nil || len(outcomes) != 3 {
		t.Fatalf("%+v %v", outcomes, err)
	}
	want(t, outcomes[0].Err, fault.Conflict)
	if outcomes[1].Err != nil || !strings.HasPrefix(outcomes[1].Rev, "1-") || outcomes[2].Err != nil || !strings.HasPrefix(outcomes[2].Rev, "2-") {
		t.Errorf("%+v", outcomes)
	}
	for _, bad := range []string{`{}`, `[]`, `{"_id":`, `{"_id":"x","y":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`} {
		_, err := client.BulkDocs(t.Context(), documents(bad), couch.BulkOptions{})
		want(t, err, fault.InvalidArgument)
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	admin := connect(t, database, nil)
	if got, err := admin.Access(t.Context()); err != nil || !got.Admin || got.Writing() != couch.Allowed || got.User != database.User {
		t.Errorf("%+v %v", got, err)
	}
	user, password := database.Member(t)
	member := connect(t, database, func(o *couch.Options) { o.User, o.Password = user, couch.Secret(password) })
	if got, err := member.Access(t.Context()); err != nil || got.Admin || !got.Member || got.Writing() != couch.Allowed || got.User != user {
		t.Errorf("%+v %v", got, err)
	}
	write(t, member, `{"_id":"a"}`)
	database.RefuseWrites(t)
	if got, err := member.Access(t.Context()); err != nil || got.Writing() != couch.Unknown || !slices.Equal(got.Validators, []string{"_design/readers"}) {
		t.Errorf("%+v %v", got, err)
	}
	outcomes, err := member.BulkDocs(t.Context(), documents(`{"_id":"b"}`), couch.BulkOptions{})
	if err != nil || len(outcomes) != 1 {
		t.Fatal(outcomes, err)
	}
	want(t, outcomes[0].Err, fault.PermissionDenied)
	if _, err := member.Get(t.Context(), "a", couch.GetOptions{}); err != nil {
		t.Error(err)
	}
}

func TestWrongAccounts(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	database.Member(t) // keeps others out
	stranger, password := database.Account(t)
	mistyped, _ := database.Account(t) // CouchDB locks it after a few failed logins
	for name, change := range map[string]func(*couch.Options){
		"wrong password": func(o *couch.Options) { o.User, o.Password = mistyped, "not this one" },
		"wrong user":     func(o *couch.Options) { o.User = "nobody in " + database.Name },
		"no login":       func(o *couch.Options) { o.User = "" },
		"not a member":   func(o *couch.Options) { o.User, o.Password = stranger, couch.Secret(password) },
	} {
		t.Run(name, func(t *testing.T) {
			client := connect(t, database, change)
			_, err := client.Access(t.Context())
			want(t, err, fault.PermissionDenied)
			if err != nil && strings.Contains(err.Error(), "not this one") {
				t.Errorf("the error contains the password: %v", err)
			}
			_, err = client.Fetch(t.Context(), []string{"a"})
			want(t, err, fault.PermissionDenied)
		})
	}
}
