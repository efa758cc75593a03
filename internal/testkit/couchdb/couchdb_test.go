package couchdb

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// ask sends a request of the form "PUT /path body" and returns the answer with its status, without hashes of revisions.
func ask(t *testing.T, server *httptest.Server, user, line string) string {
	t.Helper()
	method, rest, _ := strings.Cut(line, " ")
	path, body, _ := strings.Cut(rest, " ")
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if name, password, isGiven := strings.Cut(user, ":"); isGiven {
		request.SetBasicAuth(name, password)
	}
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.Status[:3] + " " + hash.ReplaceAllString(strings.TrimSpace(string(answer)), "$1…")
}

var hash = regexp.MustCompile(`("\d+-)[0-9a-f]{32}`)

const admin = User + ":" + Password

func start(t *testing.T) *httptest.Server {
	server := httptest.NewServer(New())
	t.Cleanup(server.Close)
	ask(t, server, admin, "PUT /db")
	return server
}

// Each story is a list of requests, each followed by what its answer must contain.
func TestStories(t *testing.T) {
	for name, story := range map[string][][2]string{
		"an edit needs the current revision": {
			{`PUT /db/a {"n":1}`, `201 {"ok":true,"id":"a","rev":"1-…"}`},
			{`PUT /db/a {"n":2}`, `409 {"error":"conflict","reason":"Document update conflict."}`},
			{`PUT /db/a {"_rev":"1-0123","n":2}`, `409`},
			{`POST /db/_bulk_docs {"docs":[{"_id":"a"},{"_id":"b"}]}`, `201 [{"error":"conflict","id":"a","reason":"Document update conflict."},{"ok":true,"id":"b","rev":"1-…"}]`},
			{`GET /db/c`, `404 {"error":"not_found","reason":"missing"}`},
		},
		"a deleted document comes back as its next revision": {
			{`POST /db/_bulk_docs {"new_edits":false,"docs":[{"_id":"a","_rev":"1-aa","n":1}]}`, `201 []`},
			{`DELETE /db/a?rev=1-aa`, `200 {"ok":true,"id":"a","rev":"2-…"}`},
			{`GET /db/a`, `404 {"error":"not_found","reason":"deleted"}`},
			{`POST /db/_all_docs?include_docs=true {"keys":["a","none"]}`, `"value":{"deleted":true,"rev":"2-…"},"doc":null},{"key":"none","error":"not_found"}`},
			{`GET /db/_all_docs`, `"rows":[]`},
			{`PUT /db/a {"n":2}`, `"rev":"3-…"`},
		},
		"branches are kept, and the highest revision wins": {
			{`POST /db/_bulk_docs {"new_edits":false,"docs":[{"_id":"a","_rev":"2-aa","_revisions":{"start":2,"ids":["aa","00"]},"n":1},{"_id":"a","_rev":"2-bb","_revisions":{"start":2,"ids":["bb","00"]},"n":2}]}`, `201 []`},
			{`GET /db/a?conflicts=true`, `200 {"_id":"a","_rev":"2-bb","n":2,"_conflicts":["2-aa"]}`},
			{`GET /db/a?rev=2-aa&revs=true`, `"n":1,"_revisions":{"ids":["aa","00"],"start":2}`},
			{`GET /db/a?rev=1-00`, `404`},
			{`POST /db/_bulk_get {"docs":[{"id":"a"},{"id":"b"}]}`, `"ok":{"_id":"a","_rev":"2-aa","n":1}}],"id":"a"},{"docs":[{"error":{"error":"not_found"`},
			{`GET /db/_changes?style=all_docs`, `"changes":[{"rev":"2-bb"},{"rev":"2-aa"}]`},
			{`PUT /db/a {"_rev":"2-aa","n":3}`, `"rev":"3-…"`},
			{`GET /db/a?conflicts=true`, `"n":3,"_conflicts":["2-bb"]`},
			{`DELETE /db/a?rev=2-bb`, `200`},
			{`GET /db/a?conflicts=true`, `"n":3}`},
		},
		"a branch whose beginning arrives later is no other branch": {
			{`POST /db/_bulk_docs {"new_edits":false,"docs":[{"_id":"a","_rev":"1-aa","n":1}]}`, `201 []`},
			{`POST /db/_bulk_docs {"new_edits":false,"docs":[{"_id":"a","_rev":"3-cc","_revisions":{"start":3,"ids":["cc","bb"]},"n":3}]}`, `201 []`},
			{`GET /db/a?conflicts=true`, `"_conflicts":["1-aa"]`},
			{`POST /db/_bulk_docs {"new_edits":false,"docs":[{"_id":"a","_rev":"3-cc","_revisions":{"start":3,"ids":["cc","bb","aa"]},"n":3}]}`, `201 []`},
			{`GET /db/a?conflicts=true&revs=true`, `200 {"_id":"a","_rev":"3-cc","n":3,"_revisions":{"ids":["cc","bb","aa"],"start":3}}`},
		},
		"bodies of earlier revisions go when the database is compacted": {
			{`POST /db/_bulk_docs {"new_edits":false,"docs":[{"_id":"a","_rev":"1-aa","n":1}]}`, `201`},
			{`PUT /db/a {"_rev":"1-aa","n":2}`, `201`},
			{`GET /db/a?rev=1-aa`, `"n":1`},
			{`POST /db/_compact {}`, `202`},
			{`GET /db/a?rev=1-aa`, `404`},
			{`GET /db/a?revs_info=true`, `"status":"available"},{"rev":"1-aa","status":"missing"}`},
		},
		"whoever writes a local document last wins": {
			{`PUT /db/_local/x {"n":1}`, `"rev":"0-1"`},
			{`PUT /db/_local/x {"n":2}`, `"rev":"0-1"`},
			{`PUT /db/_local/x {"_rev":"0-7","n":3}`, `"rev":"0-8"`},
			{`GET /db/_local/x`, `200 {"_id":"_local/x","_rev":"0-8","n":3}`},
			{`POST /db/_local_docs?include_docs=true {"keys":["_local/x","_local/y"]}`, `"rows":[{"id":"_local/x","key":"_local/x","value":{"rev":"0-8"},"doc":{"_id":"_local/x","_rev":"0-8","n":3}},{"key":"_local/y","error":"not_found"}]`},
			{`DELETE /db/_local/x?rev=0-1`, `200`},
			{`GET /db/_changes`, `"results":[]`},
		},
		"lists have the part that was asked for": {
			{`POST /db/_bulk_docs {"docs":[{"_id":"a"},{"_id":"b"},{"_id":"h:+x"},{"_id":"z"}]}`, `201`},
			{`GET /db/_all_docs?startkey=%22b%22&endkey=%22z%22&inclusive_end=false`, `"rows":[{"id":"b","key":"b","value":{"rev":"1-…"}},{"id":"h:+x","key":"h:+x","value":{"rev":"1-…"}}]`},
			{`GET /db/_all_docs?limit=1&skip=1`, `"rows":[{"id":"b","key":"b","value":{"rev":"1-…"}}]`},
			{`GET /db/h:+x`, `404`},
			{`GET /db/h:%2Bx`, `200`},
			{`POST /db/_changes?filter=_selector&since=1 {"selector":{"$nor":[{"_id":{"$regex":"^h:"}}]}}`, `"results":[{"seq":"2-`},
			{`POST /db/_changes?filter=_selector {"selector":{"n":{"$gt":1}}}`, `400`},
		},
		"what is refused": {
			{`PUT /db`, `412 {"error":"file_exists"`},
			{`PUT /Db`, `400 {"error":"illegal_database_name"`},
			{`GET /none/a`, `404 {"error":"not_found","reason":"Database does not exist."}`},
			{`PUT /db/_x {}`, `404`},
			{`PUT /db/a {"_x":1}`, `400 {"error":"doc_validation"`},
			{`PUT /db/a [1]`, `400 {"error":"bad_request"`},
			{`PUT /db/a {"_rev":"x"}`, `409`},
			{`POST /db/_bulk_docs {}`, `400`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := start(t)
			for _, step := range story {
				if got := ask(t, server, admin, step[0]); !strings.Contains(got, step[1]) {
					t.Errorf("%s\n got %s\nwant %s", step[0], got, step[1])
				}
			}
		})
	}
}

// A new database is for administrators; members may read and write, unless a validation function refuses it.
func TestRights(t *testing.T) {
	server := start(t)
	for _, step := range [][3]string{
		{admin, `PUT /_users/org.couchdb.user:me {"name":"me","password":"secret","roles":[],"type":"user"}`, `201`},
		{"", `GET /db`, `401 {"error":"unauthorized","reason":"You are not authorized to access this db."}`},
		{"me:secret", `GET /db`, `403 {"error":"forbidden","reason":"You are not allowed to access this db."}`},
		{"me:secret", `PUT /db/_security {}`, `403`},
		{admin, `PUT /db/_security {"admins":{"names":[],"roles":["_admin"]},"members":{"names":["me"],"roles":[]}}`, `200`},
		{"me:secret", `PUT /db/a {}`, `201`},
		{"me:secret", `PUT /db/_design/x {}`, `401`},
		{"me:secret", `GET /_session`, `"userCtx":{"name":"me","roles":[]}`},
		{admin, `PUT /db/_design/x {"validate_doc_update":"function () { throw({forbidden: 'no'}) }"}`, `201`},
		{"me:secret", `PUT /db/b {}`, `403`},
		{"me:secret", `PUT /db/_local/b {}`, `201`},
		{admin, `PUT /db/b {}`, `201`},
		{"me:wrong", `GET /db`, `401 {"error":"unauthorized","reason":"Name or password is incorrect."}`},
		{"me:wrong", `GET /db`, `401`},
		{"me:wrong", `GET /db`, `401`},
		{"me:wrong", `GET /db`, `401`},
		{"me:wrong", `GET /db`, `401`},
		{"me:secret", `GET /db`, `403 {"error":"forbidden","reason":"Account is temporarily locked`},
		{admin, `GET /db`, `"cluster":{"n":1,"q":2,"r":1,"w":1}`},
	} {
		if got := ask(t, server, step[0], step[1]); !strings.Contains(got, step[2]) {
			t.Errorf("%s: %s\n got %s\nwant %s", step[0], step[1], got, step[2])
		}
	}
}

// A long poll writes signs of life until there is a change, and ends with it. It ends too if the database goes.
func TestLongPoll(t *testing.T) {
	for name, end := range map[string][2]string{
		"a change": {`PUT /db/a {}`, `{"seq":"1-`}, "the end of the database": {`DELETE /db`, `"last_seq":"0-`},
	} {
		server := start(t)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/db/_changes?feed=longpoll&since=0&heartbeat=5", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth(User, Password)
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(response.Body)
		for _, want := range []string{"{\"results\":[\n", "\n", "\n"} {
			if got, err := lines.ReadString('\n'); got != want || err != nil {
				t.Fatalf("%s: %q, want %q (%v)", name, got, want, err)
			}
		}
		ask(t, server, admin, end[0])
		rest, err := io.ReadAll(lines)
		if err != nil || !strings.Contains(string(rest), end[1]) || !strings.Contains(string(rest), "last_seq") {
			t.Errorf("%s: %q, %v", name, rest, err)
		}
		response.Body.Close()
	}
}
