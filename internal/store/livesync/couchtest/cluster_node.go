package couchtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// wantedCopies is how many copies must take a write for it to be confirmed, and how many are asked for a document.
const wantedCopies = 2

// clusterNode answers as a node of a cluster does.
type clusterNode struct {
	cluster *Cluster
	node    int
}

// ServeHTTP implements http.Handler.
func (n *clusterNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, rest, inDatabase := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	copies := n.cluster.reachable(n.node)
	switch {
	case len(copies) == 0:
		answer(w, r, http.StatusServiceUnavailable, map[string]string{"error": "unavailable", "reason": "no node responds"})
	case name != n.cluster.copies[0].Name:
		n.forward(w, r, copies[0], r.URL.EscapedPath())
	case !inDatabase || rest == "":
		n.info(w, r, copies[0])
	case rest == "_bulk_docs":
		n.write(w, r, copies)
	case rest == "_bulk_get":
		n.read(w, r, copies)
	case rest == "_changes":
		n.changes(w, r, copies[0])
	case strings.HasPrefix(rest, "_local/"):
		n.local(w, r, copies, "/"+rest)
	case rest == "_all_docs" && r.Method == http.MethodGet:
		n.toCopy(w, r, n.cluster.listed(n.node, copies[0]), rest)
	case strings.HasPrefix(rest, "_"):
		n.toCopy(w, r, copies[0], rest)
	case r.Method == http.MethodGet:
		n.document(w, r, copies, rest)
	default: // how tests make documents
		n.everywhere(w, r, copies, "/"+rest)
	}
}

// everywhere sends the same request to all copies.
func (n *clusterNode) everywhere(w http.ResponseWriter, r *http.Request, copies []int, path string) {
	var body any
	_ = json.NewDecoder(r.Body).Decode(&body)
	status, text := 0, []byte(nil)
	for _, number := range copies {
		status, text = n.cluster.send(r.Header, number, r.Method, path, body)
	}
	answerText(w, status, text)
}

// toCopy passes a request for a part of the database to a copy.
func (n *clusterNode) toCopy(w http.ResponseWriter, r *http.Request, number int, rest string) {
	n.forward(w, r, number, "/"+n.cluster.copies[number].Name+"/"+rest)
}

// forward passes a request to the server of a copy.
func (n *clusterNode) forward(w http.ResponseWriter, r *http.Request, number int, path string) {
	target, err := url.Parse(n.cluster.copies[number].URL)
	if err != nil {
		panic(err)
	}
	proxy := &httputil.ReverseProxy{
		Transport: n.cluster.client.Transport, FlushInterval: -1, ErrorLog: silent,
		Rewrite: func(out *httputil.ProxyRequest) {
			out.Out.URL.Scheme, out.Out.URL.Host = target.Scheme, target.Host
			if plain, err := url.PathUnescape(path); err == nil {
				out.Out.URL.Path, out.Out.URL.RawPath = plain, path
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	proxy.ServeHTTP(w, r)
}

func (n *clusterNode) info(w http.ResponseWriter, r *http.Request, number int) {
	if r.Method != http.MethodGet {
		n.forward(w, r, number, "/"+n.cluster.copies[number].Name)
		return
	}
	status, text := n.cluster.send(r.Header, number, http.MethodGet, "", nil)
	var info map[string]any
	if status != http.StatusOK || json.Unmarshal(text, &info) != nil {
		answerText(w, status, text)
		return
	}
	info["db_name"], info["cluster"] = n.cluster.copies[0].Name, map[string]int{"q": 2, "n": 3, "w": 2, "r": 2}
	info["update_seq"] = seqOf(info["update_seq"], number)
	answer(w, r, http.StatusOK, info)
}

// seqOf makes the position in the changes of a copy one that means nothing to the others.
func seqOf(seq any, number int) string {
	text, err := json.Marshal(seq)
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(text), `"`) + "-copy" + strconv.Itoa(number)
}

// changes passes the changes of a copy, all of them if the position is that of another copy. Signs of life are passed at once.
func (n *clusterNode) changes(w http.ResponseWriter, r *http.Request, number int) {
	query := r.URL.Query()
	if since, mine := strings.CutSuffix(query.Get("since"), "-copy"+strconv.Itoa(number)); mine {
		query.Set("since", since)
	} else {
		query.Set("since", "0")
	}
	target := n.cluster.copies[number]
	out, err := http.NewRequestWithContext(r.Context(), r.Method, target.URL+"/"+target.Name+"/_changes?"+query.Encode(), r.Body)
	if err != nil {
		panic(err)
	}
	out.Header = r.Header.Clone()
	out.Header.Del("Accept-Encoding")
	response, err := n.cluster.client.Transport.RoundTrip(out)
	if err != nil {
		reset(w)
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
		return
	}
	from := bufio.NewReader(response.Body)
	for {
		next, err := from.Peek(1)
		if err != nil {
			return
		}
		if next[0] != '\n' {
			break
		}
		if _, _ = from.Discard(1); !slices.Contains(n.cluster.reachable(n.node), number) {
			reset(w)
			return
		}
		_, _ = io.WriteString(w, "\n")
		_ = http.NewResponseController(w).Flush()
	}
	var all map[string]any
	if json.NewDecoder(from).Decode(&all) != nil {
		return
	}
	all["last_seq"] = seqOf(all["last_seq"], number)
	_ = json.NewEncoder(w).Encode(all)
}

// document answers with the winner among the revisions in as many copies as are asked.
func (n *clusterNode) document(w http.ResponseWriter, r *http.Request, copies []int, id string) {
	plain, err := url.PathUnescape(id)
	if err != nil {
		panic(err)
	}
	query := r.URL.Query()
	asked := copies[:min(len(copies), wantedCopies)]
	if query.Get("rev") != "" {
		for _, number := range copies {
			if status, text := n.cluster.send(r.Header, number, http.MethodGet, "/"+id+"?"+query.Encode(), nil); status == http.StatusOK || number == copies[len(copies)-1] {
				answerText(w, status, text)
				return
			}
		}
	}
	leaves := n.cluster.leaves(r.Header, plain, asked)
	if len(leaves) == 0 || leaves[0].deleted {
		status, text := n.cluster.send(r.Header, asked[0], http.MethodGet, "/"+id, nil)
		if status == http.StatusOK { // only the copies together know that it is deleted
			status, text = http.StatusNotFound, []byte(`{"error":"not_found","reason":"deleted"}`)
		}
		answerText(w, status, text)
		return
	}
	body := maps.Clone(leaves[0].body)
	if query.Get("revs") == "" {
		delete(body, "_revisions")
	}
	var conflicts []string
	for _, other := range leaves[1:] {
		if !other.deleted {
			conflicts = append(conflicts, other.rev)
		}
	}
	if query.Get("conflicts") != "" && len(conflicts) > 0 {
		body["_conflicts"] = conflicts
	}
	answer(w, r, http.StatusOK, body)
}

// read answers _bulk_get.
func (n *clusterNode) read(w http.ResponseWriter, r *http.Request, copies []int) {
	var wanted struct{ Docs []struct{ ID, Rev string } }
	if json.NewDecoder(r.Body).Decode(&wanted) != nil {
		answer(w, r, http.StatusBadRequest, map[string]string{"error": "bad_request", "reason": "not JSON"})
		return
	}
	results := []any{}
	for _, document := range wanted.Docs {
		docs := []any{}
		if document.Rev != "" {
			if body := n.revision(r.Header, copies, document.ID, document.Rev); body != nil {
				docs = append(docs, map[string]any{"ok": body})
			}
		} else {
			for _, leaf := range n.cluster.leaves(r.Header, document.ID, copies[:min(len(copies), wantedCopies)]) {
				docs = append(docs, map[string]any{"ok": leaf.body})
			}
		}
		if len(docs) == 0 {
			docs = append(docs, map[string]any{"error": map[string]string{"id": document.ID, "rev": "undefined", "error": "not_found", "reason": "missing"}})
		}
		results = append(results, map[string]any{"id": document.ID, "docs": docs})
	}
	answer(w, r, http.StatusOK, map[string]any{"results": results})
}

// revision returns a revision of a document from the first copy that has it, or nil.
func (n *clusterNode) revision(header http.Header, copies []int, id, rev string) (body json.RawMessage) {
	for _, number := range copies {
		if status, text := n.cluster.send(header, number, http.MethodGet, "/"+Escape(id)+"?rev="+url.QueryEscape(rev), nil); status == http.StatusOK {
			return text
		}
	}
	return nil
}

// write writes documents to every copy, one copy after the other.
func (n *clusterNode) write(w http.ResponseWriter, r *http.Request, copies []int) {
	var request struct {
		Docs     []map[string]any `json:"docs"`
		NewEdits *bool            `json:"new_edits,omitempty"`
	}
	if json.NewDecoder(r.Body).Decode(&request) != nil {
		answer(w, r, http.StatusBadRequest, map[string]string{"error": "bad_request", "reason": "not JSON"})
		return
	}
	var ids []string
	for _, document := range request.Docs {
		id, _ := document["_id"].(string)
		ids = append(ids, id)
	}
	replies := make([]map[string]int, len(ids)) // by revision; "" for a conflict
	refused, failed := http.StatusInternalServerError, []byte(nil)
	taken := 0
	for _, number := range copies {
		n.cluster.about(n.node, number, ids)
		status, text := n.cluster.send(r.Header, number, http.MethodPost, "/_bulk_docs", request)
		var rows []struct{ Rev, Error string }
		if status != http.StatusCreated || json.Unmarshal(text, &rows) != nil {
			refused, failed = status, text
			continue
		}
		taken++
		for i := range min(len(rows), len(replies)) {
			if replies[i] == nil {
				replies[i] = map[string]int{}
			}
			replies[i][rows[i].Rev]++
		}
	}
	if taken == 0 {
		answerText(w, refused, failed)
		return
	}
	status := http.StatusCreated
	rows := []any{}
	if request.NewEdits != nil && !*request.NewEdits {
		if taken < wantedCopies {
			status = http.StatusAccepted
		}
		answer(w, r, status, rows)
		return
	}
	for i, id := range ids {
		rev, most := "", 0
		for candidate, count := range replies[i] {
			if candidate != "" && count > most {
				rev, most = candidate, count
			}
		}
		row := map[string]any{"id": id, "ok": true, "rev": rev}
		switch {
		case most == 0:
			row = map[string]any{"id": id, "error": "conflict", "reason": "Document update conflict."}
		case most < wantedCopies:
			row["accepted"], status = true, http.StatusAccepted
		}
		rows = append(rows, row)
	}
	answer(w, r, status, rows)
}

// local answers requests for a document that no copy sends to another one. Whoever writes it last wins.
func (n *clusterNode) local(w http.ResponseWriter, r *http.Request, copies []int, path string) {
	var document map[string]any
	if r.Method == http.MethodPut && json.NewDecoder(r.Body).Decode(&document) != nil {
		answer(w, r, http.StatusBadRequest, map[string]string{"error": "bad_request", "reason": "not JSON"})
		return
	}
	if r.Method == http.MethodGet {
		copies = copies[:min(len(copies), wantedCopies)]
	}
	var best []byte
	bestStatus, bestRev, taken := http.StatusNotFound, "", 0
	for _, number := range copies {
		status, text := n.cluster.send(r.Header, number, http.MethodGet, path, nil)
		var current struct {
			Rev string `json:"_rev"`
		}
		_ = json.Unmarshal(text, &current)
		switch r.Method {
		case http.MethodPut:
			n.cluster.about(n.node, number, []string{strings.TrimPrefix(path, "/")})
			if delete(document, "_rev"); current.Rev != "" {
				document["_rev"] = current.Rev
			}
			status, text = n.cluster.send(r.Header, number, http.MethodPut, path, document)
		case http.MethodDelete:
			status, text = n.cluster.send(r.Header, number, http.MethodDelete, path+"?rev="+url.QueryEscape(current.Rev), nil)
		}
		if status < 300 {
			taken++
		}
		if best == nil || status < 300 && (bestStatus >= 300 || compareRevs(current.Rev, bestRev) > 0) {
			best, bestStatus, bestRev = text, status, current.Rev
		}
	}
	if r.Method == http.MethodPut && taken > 0 {
		if bestStatus = http.StatusCreated; taken < wantedCopies {
			bestStatus = http.StatusAccepted
		}
	}
	answerText(w, bestStatus, best)
}

func answerText(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(bytes.TrimSpace(text))
}
