package livesync_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/livesynctest"
)

// branchOff writes a version of a file as an offline device does that has the revision parent; its id begins with zeros, so that
// it loses against any other of the same length.
func branchOff(t testing.TB, database *couchtest.Database, path vpath.Path, parent store.Rev, text string) store.Rev {
	t.Helper()
	upload, err := livesynctest.Codec(t, database, "").Write(nil, format.Change{Path: string(path), Content: []byte(text), Now: time.Now().UnixMilli()})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range upload.Leaves {
		if status, answer := database.Do(t, http.MethodPut, "/"+couchtest.Escape(leaf.ID), json.RawMessage(leaf.Body)); status >= 400 && status != http.StatusConflict {
			t.Fatalf("%d %s", status, answer)
		}
	}
	number, hash, _ := strings.Cut(string(parent), "-")
	id := "000000000000000000000000000000" + number + number
	generation := int(number[0]-'0') + 1
	var body map[string]any
	if err := json.Unmarshal(upload.Body, &body); err != nil {
		t.Fatal(err)
	}
	rev := string(rune('0'+generation)) + "-" + id
	body["_rev"], body["_revisions"] = rev, map[string]any{"start": generation, "ids": []string{id, hash}}
	database.Branches(t, body)
	return store.Rev(rev)
}

// inConflict makes a note of which a server and a device have changed the same version, and returns it with the device's side.
func inConflict(t testing.TB, database *couchtest.Database, s *livesync.Store) (ours store.File, theirs store.Rev) {
	t.Helper()
	base := create(t, s, "A.md", "one\ntwo\nthree\n")
	commit(t, s, store.Change{Path: "A.md", Base: base, Data: []byte("ONE\ntwo\nthree\n")})
	theirs = branchOff(t, database, "A.md", base, "one\ntwo\nTHREE\n")
	eventually(t, "the server knows the conflict", func() bool {
		file, err := s.Read(t.Context(), "A.md", 100)
		ours = file
		return err == nil && len(file.Conflicts) == 1
	})
	return ours, theirs
}

// resolve ends the conflict of a file.
func resolve(t testing.TB, s *livesync.Store, ours store.File, text string) ([]store.Result, error) {
	t.Helper()
	return s.Commit(t.Context(), []store.Change{{Path: ours.Path, Base: ours.Rev, Data: []byte(text), Resolves: ours.Conflicts}})
}

func TestAncestor(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	s := openOn(t, database, &network{}, livesync.Options{})
	ours, theirs := inConflict(t, database, s)
	base, err := s.Ancestor(t.Context(), "A.md", theirs, 100)
	if err != nil || string(base.Data) != "one\ntwo\nthree\n" {
		t.Errorf("%q, %v", base.Data, err)
	}
	if _, err := s.Ancestor(t.Context(), "A.md", ours.Rev, 100); fault.KindOf(err) != fault.NotFound {
		t.Errorf("of the file itself: %v", err)
	}
	if _, err := s.Ancestor(t.Context(), "A.md", theirs, 3); fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("over the limit: %v", err)
	}
	compact(t, database)
	if _, err := s.Ancestor(t.Context(), "A.md", theirs, 100); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after a clean-up: %v", err)
	}
}

// TestResolveWhileDeviceWrites lets a device change the losing side of a conflict at the moment at which it is removed. What the
// device wrote stays, and so does the chosen text; a cluster's branches are joined.
func TestResolveWhileDeviceWrites(t *testing.T) {
	t.Parallel()
	database, network := couchtest.New(t), &network{}
	s := openOn(t, database, network, livesync.Options{})
	ours, theirs := inConflict(t, database, s)
	var newer store.Rev
	network.runBefore((*request).endsBranch, func() { newer = branchOff(t, database, "A.md", theirs, "from the device\n") })
	results, err := resolve(t, s, ours, "chosen\n")
	if err == nil && database.Copies(t) > 1 {
		if file := readOf(t, s, "A.md"); len(file.Conflicts) > 0 || !strings.Contains(string(file.Data), "chosen\n") || !strings.Contains(string(file.Data), "from the device\n") {
			t.Errorf("%q %v", file.Data, file.Conflicts)
		}
		return
	}
	if err != nil || len(results[0].Conflicts) != 1 || results[0].Conflicts[0] != newer {
		t.Fatalf("%+v, %v", results, err)
	}
	for rev, want := range map[store.Rev]string{"": "chosen\n", newer: "from the device\n"} {
		file, err := s.Read(t.Context(), "A.md", 100)
		if rev != "" {
			file, err = s.Branch(t.Context(), "A.md", rev, 100)
		}
		if err != nil || string(file.Data) != want {
			t.Errorf("%s: %q, %v", rev, file.Data, err)
		}
	}
}

// TestResolvingInterrupted lets the database fail between the two steps of resolving a conflict. The conflict remains, and can be
// resolved again. In a cluster, the server takes the second step again by itself.
func TestResolvingInterrupted(t *testing.T) {
	t.Parallel()
	database, network := couchtest.New(t), &network{}
	s := openOn(t, database, network, livesync.Options{})
	ours, theirs := inConflict(t, database, s)
	var failed atomic.Int32
	network.setIntercept(func(r *request) (*http.Response, error) {
		if r.endsBranch() && failed.Add(1) == 1 {
			return r.refuse(http.StatusServiceUnavailable), nil
		}
		return r.pass()
	})
	_, err := resolve(t, s, ours, "chosen\n")
	if database.Copies(t) > 1 {
		if file := readOf(t, s, "A.md"); err != nil || failed.Load() < 2 || string(file.Data) != "chosen\n" || len(file.Conflicts) != 0 {
			t.Errorf("%v, %q %v", err, file.Data, file.Conflicts)
		}
		return
	}
	if fault.KindOf(err) != fault.StoreUnavailable {
		t.Fatalf("%v", err)
	}
	now := readOf(t, s, "A.md")
	if string(now.Data) != "chosen\n" || len(now.Conflicts) != 1 || now.Conflicts[0] != theirs {
		t.Fatalf("%q %v", now.Data, now.Conflicts)
	}
	if _, err := resolve(t, s, now, "chosen\n"); err != nil {
		t.Fatal(err)
	}
	if file := readOf(t, s, "A.md"); string(file.Data) != "chosen\n" || len(file.Conflicts) != 0 {
		t.Errorf("%q %v", file.Data, file.Conflicts)
	}
}

// TestResolveOnCluster chooses one side in a cluster, which would otherwise join the branches.
func TestResolveOnCluster(t *testing.T) {
	t.Parallel()
	cluster := couchtest.NewCluster(t)
	startVault(t, cluster.Database, livesync.Options{})
	s := openNodes(t, cluster, livesync.Options{})[0]
	ours, _ := inConflict(t, cluster.Database, s)
	results, err := resolve(t, s, ours, "ONE\ntwo\nthree\n")
	if err != nil || len(results[0].Conflicts) > 0 {
		t.Fatalf("%+v, %v", results, err)
	}
	cluster.Settle(t)
	if file := readSettled(t, s, "A.md"); string(file.Data) != "ONE\ntwo\nthree\n" || len(file.Conflicts) > 0 {
		t.Errorf("%q %v", file.Data, file.Conflicts)
	}
}

// TestDeletedSide lists the side of a device that deleted a file.
func TestDeletedSide(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	s := openOn(t, database, &network{}, livesync.Options{})
	base := create(t, s, "A.md", "one\n")
	commit(t, s, store.Change{Path: "A.md", Base: base, Data: []byte("ONE\n")})
	body := readRaw(t, database, "").document(t, "A.md")
	_, hash, _ := strings.Cut(string(base), "-")
	body["deleted"], body["_rev"] = true, "2-00000000000000000000000000000000"
	body["_revisions"] = map[string]any{"start": 2, "ids": []string{"00000000000000000000000000000000", hash}}
	database.Branches(t, body)
	eventually(t, "the deleted side is listed", func() bool {
		found, err := s.Conflicted(t.Context())
		return err == nil && len(found) == 1 && len(found[0].Sides) == 2 && found[0].Sides[1].Deleted
	})
	if _, err := resolve(t, s, readOf(t, s, "A.md"), "ONE\n"); err != nil {
		t.Error(err)
	}
	if found, err := s.Conflicted(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestDeletionWins: a note that one device deleted and another one changed is listed although the deletion wins. It cannot be created
// anew as if nothing were left of it, and comes back when the conflict is resolved.
func TestDeletionWins(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	s := openOn(t, database, &network{}, livesync.Options{})
	base := create(t, s, "d/A.md", "one\n")
	body := readRaw(t, database, "").document(t, "d/A.md")
	_, hash, _ := strings.Cut(string(base), "-")
	body["deleted"], body["_rev"] = true, "2-ffffffffffffffffffffffffffffffff"
	body["_revisions"] = map[string]any{"start": 2, "ids": []string{"ffffffffffffffffffffffffffffffff", hash}}
	database.Branches(t, body)
	theirs := branchOff(t, database, "d/A.md", base, "one\ntwo\n")
	for _, listing := range []string{"by the feed", "at the start"} {
		if listing == "at the start" {
			s = openOn(t, database, &network{}, livesync.Options{})
		}
		eventually(t, "the conflict is listed "+listing, func() bool {
			found, err := s.Conflicted(t.Context())
			return err == nil && len(found) == 1 && found[0].Path == "d/A.md" && len(found[0].Sides) == 2 && found[0].Sides[0].Deleted && found[0].Sides[1].Rev == theirs
		})
	}
	if about, err := s.About(t.Context()); err != nil || len(about.Conflicts) != 1 {
		t.Errorf("%q, %v", about.Conflicts, err)
	}
	if side, err := s.Branch(t.Context(), "d/A.md", theirs, 100); err != nil || string(side.Data) != "one\ntwo\n" {
		t.Errorf("%q, %v", side.Data, err)
	}
	if ancestor, err := s.Ancestor(t.Context(), "d/A.md", theirs, 100); err != nil || string(ancestor.Data) != "one\n" {
		t.Errorf("%q, %v", ancestor.Data, err)
	}
	for name, resolves := range map[string][]store.Rev{"nothing": nil, "another branch": {"2-00"}} {
		_, err := s.Commit(t.Context(), []store.Change{{Path: "d/A.md", Data: []byte("new\n"), Resolves: resolves}})
		if fault.KindOf(err) != fault.Conflict || errors.Is(err, store.ErrUnresolved) != (resolves == nil) {
			t.Errorf("resolving %s: %v", name, err)
		}
	}
	if _, err := s.Commit(t.Context(), []store.Change{{Path: "No.md", Data: []byte("new\n"), Resolves: []store.Rev{theirs}}}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("of another file: %v", err)
	}
	results, err := s.Commit(t.Context(), []store.Change{{Path: "d/A.md", Data: []byte("one\ntwo\n"), Resolves: []store.Rev{theirs}}})
	if err != nil || len(results[0].Conflicts) > 0 {
		t.Fatalf("%+v, %v", results, err)
	}
	if file := readOf(t, s, "d/A.md"); string(file.Data) != "one\ntwo\n" || len(file.Conflicts) > 0 {
		t.Errorf("%q %v", file.Data, file.Conflicts)
	}
	if found, err := s.Conflicted(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestResolveAlone: nothing else may be changed together with a conflict, because the steps are not undone.
func TestResolveAlone(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	s := openOn(t, database, &network{}, livesync.Options{})
	ours, _ := inConflict(t, database, s)
	_, err := s.Commit(t.Context(), []store.Change{
		{Path: "A.md", Base: ours.Rev, Data: []byte("x"), Resolves: ours.Conflicts}, {Path: "B.md", Data: []byte("x")},
	})
	if fault.KindOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
}

func readOf(t testing.TB, s *livesync.Store, path vpath.Path) store.File {
	t.Helper()
	file, err := s.Read(t.Context(), path, 100)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// endsBranch reports whether the request deletes a branch of a document.
func (r *request) endsBranch() bool {
	return strings.HasSuffix(r.http.URL.Path, "/_bulk_docs") && strings.Contains(r.body, `"_deleted":true`) && !strings.Contains(r.body, `"path"`)
}
