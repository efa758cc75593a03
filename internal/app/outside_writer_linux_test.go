package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// asOutsider makes the test binary run as another program. It changes the notes of the vault below the folder that the
// variable names, until its input is closed.
const asOutsider = "OBSIDIAN_MCP_TEST_AS_OUTSIDER"

func init() {
	base := os.Getenv(asOutsider)
	if base == "" {
		return
	}
	if err := newOutsider(base).run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// contested is the number of notes that both the tools and the outsider change.
const contested = 8

// contestedPath is one of the two paths of a note.
func contestedPath(note int, moved bool) string {
	name := fmt.Sprintf("Note %02d.md", note)
	if moved {
		return filepath.Join("Moved", name)
	}
	return name
}

// contestedNote is a note with a token. Appended text stays; the section "Status" is replaced by each update.
func contestedNote(note int, token string) string {
	return fmt.Sprintf("---\ntitle: Note %02d\n---\n# Note %02d\n\n## Status\n\nnone\n\n## Here\n\nmarker\n\n## Log\n\n%s\n", note, note, token)
}

// tokenPattern matches the token that a write leaves. Each write has a different one.
var tokenPattern = regexp.MustCompile(`tok-[a-z]+-\d+-\d+\b`)

// outsideAct is the outsider's report of an act. It knows exactly which tokens it removed, because it always reads the file
// that it has replaced.
type outsideAct struct {
	Act    string
	Wrote  string   // its own token, which must be somewhere from now on
	Took   []string // tokens that its write removed
	Beside []string // tokens of a note that was created beside an iCloud placeholder
	Since  int64    // a time at which that placeholder was already there
}

// outsider acts like Obsidian, Syncthing and iCloud on one machine. It does one thing at a time, so a token that is lost
// without being in its account was lost by our program.
type outsider struct {
	vault, cloud string
	random       *rand.Rand
	tokens       int
	evicted      map[int]eviction
}

// eviction is a note that iCloud has moved off the disk for now.
type eviction struct {
	path, placeholder string
	since             time.Time
}

func newOutsider(base string) *outsider {
	return &outsider{
		vault: filepath.Join(base, "vault"), cloud: filepath.Join(base, "cloud"),
		random: rand.New(rand.NewPCG(7, 7)), evicted: map[int]eviction{},
	}
}

// run acts until in ends, and then downloads all evicted notes. It writes its account as JSON lines.
func (o *outsider) run(in io.Reader, out io.Writer) error {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(ended)
	}()
	account := json.NewEncoder(out)
	report := func(act outsideAct) error {
		if act.Act == "" {
			return nil
		}
		return account.Encode(act)
	}
	for {
		select {
		case <-ended:
			for note := range o.evicted {
				if err := report(o.download(note)); err != nil {
					return err
				}
			}
			return nil
		case <-time.After(time.Duration(o.random.IntN(3000)) * time.Microsecond):
		}
		if err := report(o.act(o.random.IntN(contested))); err != nil {
			return err
		}
	}
}

// act changes a note in a random way.
func (o *outsider) act(note int) outsideAct {
	if _, gone := o.evicted[note]; gone {
		return o.download(note)
	}
	path := o.where(note)
	if path == "" {
		path = filepath.Join(o.vault, contestedPath(note, o.random.IntN(2) == 0))
		token := o.token()
		return o.put("create", path, ".obsidian-new", contestedNote(note, token), token)
	}
	switch o.random.IntN(40) {
	case 0:
		return o.remove(path)
	case 1, 2, 3:
		return o.rename(path, filepath.Join(o.vault, contestedPath(note, o.random.IntN(2) == 0)))
	case 4, 5, 6, 7:
		return o.evict(note, path)
	case 8, 9:
		return o.conflictCopy(path)
	case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24:
		return o.saveInPlace(path)
	case 25, 26, 27, 28, 29, 30:
		return o.save("syncthing", path, ".syncthing."+filepath.Base(path)+".tmp")
	}
	return o.save("obsidian", path, ".~"+filepath.Base(path))
}

// where is a path at which a note exists, or "".
func (o *outsider) where(note int) string {
	first := o.random.IntN(2) == 0
	for _, moved := range []bool{first, !first} {
		path := filepath.Join(o.vault, contestedPath(note, moved))
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	return ""
}

func (o *outsider) token() string {
	o.tokens++
	return fmt.Sprintf("tok-out-0-%d", o.tokens)
}

// linger waits as long as programs may take between two system calls.
func (o *outsider) linger() {
	if o.random.IntN(2) == 0 {
		time.Sleep(time.Duration(o.random.IntN(2000)) * time.Microsecond)
	}
}

// save reads a note, appends a line, and replaces the note in one step.
func (o *outsider) save(by, path, temporary string) outsideAct {
	read, err := os.ReadFile(path)
	if err != nil {
		return outsideAct{}
	}
	o.linger()
	token := o.token()
	return o.put(by, path, temporary, string(read)+token+"\n", token)
}

// put replaces the file at a path, and finds the tokens that it removed with that.
func (o *outsider) put(act, path, temporary, text, token string) outsideAct {
	temporary = filepath.Join(filepath.Dir(path), temporary)
	if err := os.WriteFile(temporary, []byte(text), 0o644); err != nil {
		panic(err)
	}
	took := o.moveTo(temporary, path, text)
	return outsideAct{Act: act, Wrote: token, Took: took}
}

// moveTo moves a file with a text to a path, and returns the tokens of the file that was there before which the text does
// not have.
func (o *outsider) moveTo(temporary, path, text string) (took []string) {
	for {
		err := unix.Renameat2(unix.AT_FDCWD, temporary, unix.AT_FDCWD, path, unix.RENAME_NOREPLACE)
		if err == nil {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			panic(err)
		}
		if unix.Renameat2(unix.AT_FDCWD, temporary, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE) == nil {
			displaced, err := os.ReadFile(temporary)
			if err != nil {
				panic(err)
			}
			os.Remove(temporary)
			return missing(string(displaced), text)
		}
	}
}

// missing are the tokens of one text that another does not have.
func missing(from, text string) (tokens []string) {
	for _, token := range tokenPattern.FindAllString(from, -1) {
		if !strings.Contains(text, token+"\n") {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// saveInPlace truncates a note and writes it again, as many editors do.
func (o *outsider) saveInPlace(path string) outsideAct {
	read, err := os.ReadFile(path)
	if err != nil {
		return outsideAct{}
	}
	o.linger()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return outsideAct{}
	}
	defer file.Close()
	var now bytes.Buffer
	if _, err := now.ReadFrom(file); err != nil {
		panic(err)
	}
	token := o.token()
	text := string(read) + token + "\n"
	err = file.Truncate(0)
	o.linger()
	_, first := file.WriteAt([]byte(text[:len(text)/2]), 0)
	o.linger()
	_, second := file.WriteAt([]byte(text[len(text)/2:]), int64(len(text)/2))
	if err := errors.Join(err, first, second); err != nil {
		panic(err)
	}
	return outsideAct{Act: "in place", Wrote: token, Took: missing(now.String(), text)}
}

// rename moves a note, but never over another.
func (o *outsider) rename(from, to string) outsideAct {
	_ = os.MkdirAll(filepath.Dir(to), 0o755)
	if unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE) != nil {
		return outsideAct{}
	}
	return outsideAct{Act: "rename"}
}

// remove deletes a note, and finds the tokens that were in it.
func (o *outsider) remove(path string) outsideAct {
	aside := filepath.Join(o.cloud, "removed")
	if os.Rename(path, aside) != nil {
		return outsideAct{}
	}
	was, err := os.ReadFile(aside)
	if err != nil {
		panic(err)
	}
	return outsideAct{Act: "remove", Took: missing(string(was), "")}
}

// conflictCopy renames the note to the name that Syncthing gives the loser of a conflict, and writes its own version to the
// path.
func (o *outsider) conflictCopy(path string) outsideAct {
	read, err := os.ReadFile(path)
	if err != nil {
		return outsideAct{}
	}
	token := o.token()
	loser := fmt.Sprintf("%s.sync-conflict-20260102-%06d-ABCDEFG.md", strings.TrimSuffix(path, ".md"), o.tokens)
	if unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, loser, unix.RENAME_NOREPLACE) != nil {
		return outsideAct{}
	}
	o.linger()
	return o.put("conflict copy", path, ".syncthing."+filepath.Base(path)+".tmp", string(read)+token+"\n", token)
}

// evict replaces a note by a placeholder. At every moment at least one of them exists.
func (o *outsider) evict(note int, path string) outsideAct {
	gone := eviction{path: path, placeholder: filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".icloud")}
	if err := os.WriteFile(gone.placeholder, []byte("bplist00"), 0o644); err != nil {
		return outsideAct{}
	}
	gone.since = time.Now()
	if err := os.Rename(path, o.inCloud(note)); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
		os.Remove(gone.placeholder)
		return outsideAct{}
	}
	o.evicted[note] = gone
	return outsideAct{Act: "evict"}
}

func (o *outsider) inCloud(note int) string {
	return filepath.Join(o.cloud, filepath.Base(contestedPath(note, false)))
}

// download restores an evicted note, over any file that is at its path by now.
func (o *outsider) download(note int) outsideAct {
	gone := o.evicted[note]
	delete(o.evicted, note)
	text, err := os.ReadFile(o.inCloud(note))
	if err != nil {
		panic(err)
	}
	beside := o.moveTo(o.inCloud(note), gone.path, string(text))
	os.Remove(gone.placeholder)
	return outsideAct{Act: "download", Took: beside, Beside: beside, Since: gone.since.UnixNano()}
}
