package format_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

func TestFixtureCases(t *testing.T) {
	for _, fixture := range fixtures(t) {
		t.Run(fixture.name, func(t *testing.T) {
			t.Parallel()
			checkFixture(t, fixture)
		})
	}
}

func checkFixture(t *testing.T, fixture database) {
	read := fixture.read(t)
	found, hidden, deleted := map[string]wantFile{}, map[string]wantFile{}, []string(nil)
	for _, file := range read.files {
		if err := read.codec.CheckID(file); err != nil {
			t.Error(err)
		}
		into := found
		if format.KindOf(file.ID, "plain") == format.Hidden {
			into = hidden
		}
		switch _, conflicted := fixture.want.Conflicts[file.Path]; {
		case file.Deleted:
			deleted = append(deleted, file.Path)
		case !conflicted:
			content := read.content(t, file)
			into[file.Path] = wantFile{Hash: hash(content), Size: int64(len(content))}
		}
	}
	slices.Sort(deleted)
	compare(t, "files", fixture.want.Files, found)
	compare(t, "hidden files", fixture.want.Internal, hidden)
	if diff := cmp.Diff(fixture.want.Deleted, deleted); diff != "" {
		t.Error("deleted (-want +got):", diff)
	}
	checkBranches(t, fixture, read)
	t.Logf("%s: %d cases ran", fixture.name, len(found)+len(hidden)+len(deleted))
}

func compare(t *testing.T, what string, want, got map[string]wantFile) {
	t.Helper()
	short := map[string]wantFile{}
	for path, file := range want {
		short[path] = wantFile{Hash: file.Hash, Size: file.Size}
	}
	if diff := cmp.Diff(short, got); diff != "" {
		t.Errorf("%s (-want +got): %s", what, diff)
	}
}

// checkBranches reads all sides of each conflict.
func checkBranches(t *testing.T, fixture database, read vault) {
	t.Helper()
	for _, branches := range fixture.branches {
		var want, got []string
		for _, raw := range branches {
			document, err := read.codec.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, hash(read.content(t, document.File)))
			for _, side := range fixture.want.Conflicts[document.File.Path].Contents {
				if !slices.Contains(want, side.Hash) {
					want = append(want, side.Hash)
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error("branches (-want +got):", diff)
		}
	}
}

// TestSettingsAreFound reads the settings of each fixture from its milestone,
// and from its documents alone, as if there were none.
func TestSettingsAreFound(t *testing.T) {
	for _, fixture := range fixtures(t) {
		t.Run(fixture.name, func(t *testing.T) {
			t.Parallel()
			stated, err := format.ParseTweaks(fixture.config.Settings)
			if err != nil {
				t.Fatal(err)
			}
			remote := fixture.remote(t)
			want := stated.Over(format.Configure(remote, &format.Survey{}, fixture.pass))
			got := format.Configure(remote, fixture.survey(), fixture.pass)
			if remote.Stated {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error("stated (-want +got):", diff)
				}
			}
			alone := fixture.survey().Settings(fixture.pass, remote.Salt)
			want.Split, alone.Split = format.SplitRule{}, format.SplitRule{} // which cannot be seen
			want.Compress, alone.Compress = false, false                     // which need not
			if want.Algorithm == format.ForceV1 {
				want.Algorithm = format.EncryptV1 // and writes the same
			}
			if !fixture.config.Composed && !want.Encrypt {
				want.Algorithm = alone.Algorithm
			}
			if diff := cmp.Diff(want, alone); diff != "" {
				t.Error("seen (-want +got):", diff)
			}
		})
	}
}

// TestWrongPassphraseIsNoticed reads encrypted fixtures with another one.
func TestWrongPassphraseIsNoticed(t *testing.T) {
	for _, fixture := range fixtures(t) {
		settings := fixture.codec(t).Settings()
		if !settings.Encrypt {
			continue
		}
		codec, err := format.NewCodec(format.Options{Settings: settings, Passphrase: "another passphrase", Salt: fixture.remote(t).Salt})
		if err != nil {
			t.Fatal(err)
		}
		shareKeys(codec, "another passphrase")
		refused := false
		for _, raw := range fixture.raw {
			if _, err := codec.Decode(raw); errors.Is(err, fault.PermissionDenied) {
				refused = true
				break
			}
		}
		if !refused {
			t.Errorf("%s: opens with a wrong passphrase", fixture.name)
		}
	}
}
