package format_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/formattest"
)

// TestFixtureCases reads every fixture completely. The chunks of one long note need a key each; those are read by
// `make verify` only.
func TestFixtureCases(t *testing.T) {
	t.Parallel()
	for _, fixture := range fixtures(t) {
		t.Run(fixture.name, func(t *testing.T) {
			t.Parallel()
			fixture.skipIfShort(t)
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

// TestSettingsAreFound finds the settings of each fixture with its milestone, and from its documents alone.
func TestSettingsAreFound(t *testing.T) {
	t.Parallel()
	for _, fixture := range fixtures(t) {
		t.Run(fixture.name, func(t *testing.T) {
			t.Parallel()
			fixture.skipIfShort(t)
			stated, err := format.ParseTweaks(fixture.config.Settings)
			if err != nil {
				t.Fatal(err)
			}
			remote := fixture.remote(t)
			want := stated.Over(format.Configure(remote, newSurvey(), fixture.pass))
			got := format.Configure(remote, fixture.survey(), fixture.pass)
			if remote.Stated {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error("stated (-want +got):", diff)
				}
			}
			alone := fixture.survey().Settings(fixture.pass, remote.Salt)
			want.Split, alone.Split = format.SplitRule{}, format.SplitRule{} // documents do not show it
			want.Compress, alone.Compress = false, false                     // documents may not show it
			if want.Algorithm == format.ForceV1 {
				want.Algorithm = format.EncryptV1 // both write the same
			}
			if !fixture.config.Composed && !want.Encrypt {
				want.Algorithm = alone.Algorithm
			}
			if diff := cmp.Diff(want, alone); diff != "" {
				t.Error("from documents alone (-want +got):", diff)
			}
		})
	}
}

// TestWrongPassphraseIsNoticed reads encrypted fixtures with a wrong passphrase.
func TestWrongPassphraseIsNoticed(t *testing.T) {
	t.Parallel()
	for _, fixture := range fixtures(t) {
		t.Run(fixture.name, func(t *testing.T) {
			t.Parallel()
			fixture.skipIfShort(t)
			settings := fixture.codec(t).Settings()
			if !settings.Encrypt {
				t.Skip("not encrypted")
			}
			codec, err := format.NewCodec(format.Options{
				Settings: settings, Passphrase: "another passphrase", Salt: fixture.remote(t).Salt, DeriveKey: formattest.DeriveKey,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range fixture.raw {
				if _, err := codec.Decode(raw); errors.Is(err, fault.PermissionDenied) {
					return
				}
			}
			t.Error("a wrong passphrase decrypts every document")
		})
	}
}
