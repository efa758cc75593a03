package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/bench/internal/rawmcp"
)

// largeNote is the size of the note that is edited.
const largeNote = 300_000

// largeEdit changes a line of a large note, and counts what is uploaded. A second program edits the note, since
// what the first one knows from writing it must not count.
func (b *bench) largeEdit(ctx context.Context, found *results) error {
	say("an edit of a large note")
	text := b.prose(largeNote)
	line := strings.Split(text[largeNote/2:], "\n")[1]
	for _, step := range []struct {
		tool  string
		given arguments
	}{
		{"create_note", arguments{"name": "Large", "content": text}},
		{"replace_text", arguments{"name": "Large", "old_text": line, "new_text": line + " edited"}},
	} {
		err := b.with("edits", b.database.at(b.proxy.url), func(client *rawmcp.Client) error {
			b.proxy.take()
			_, err := call(client, step.tool, step.given)
			return err
		})
		if err != nil {
			return err
		}
	}
	passed := b.proxy.take()
	file, err := b.database.file(ctx, "Large.md")
	if err != nil {
		return err
	}
	found.edit = edit{chunks: passed.chunks, of: len(file.Children), bytes: passed.chunkUp, all: passed.up, requests: passed.requests}
	return nil
}

// edit is what an edit uploads.
type edit struct {
	chunks, of int
	bytes, all int64
	requests   int
}

// prose returns text of the vault, of some size, in lines that differ.
func (b *bench) prose(size int) string {
	var text strings.Builder
	full := errors.New("enough")
	_ = b.vault.each(func(_, note string) error {
		for i, line := range strings.Split(note, "\n") {
			if len(line) > 40 {
				fmt.Fprintf(&text, "%d %s\n", i, line)
			}
		}
		if text.Len() >= size {
			return full
		}
		return nil
	})
	return strings.ToValidUTF8(text.String()[:size], "")
}

// otherDevice measures how long it takes until an edit by another device is found.
func (b *bench) otherDevice(ctx context.Context, found *results) error {
	say("edits by another device")
	return b.with("edits", b.database.at(b.database.address), func(client *rawmcp.Client) error {
		for i := range b.edits {
			word := fmt.Sprintf("zebra%dxylophone", i)
			path := b.vault.paths[rand.IntN(len(b.vault.paths))]
			began := time.Now()
			if err := b.database.edit(ctx, path, []byte("# Edited elsewhere\n\nThere is a "+word+" in it.\n")); err != nil {
				return err
			}
			written := time.Now()
			if err := awaitWord(client, word); err != nil {
				return err
			}
			found.seen = append(found.seen, time.Since(written))
			found.sent = append(found.sent, time.Since(began))
		}
		return nil
	})
}

// awaitWord searches until a word is found.
func awaitWord(client *rawmcp.Client, word string) error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if there, err := finds(client, word); there || err != nil {
			return err
		}
	}
	return fmt.Errorf("%s was not found in time", word)
}

// latencies measures calls on the database and on the folder.
func (b *bench) latencies(_ context.Context, found *results) error {
	paths := slices.Clone(b.vault.paths)
	rand.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	paths = paths[:min(b.calls, len(paths))]
	for _, place := range []struct {
		name  string
		given settings
	}{{"LiveSync", b.database.at(b.database.address)}, {"folder", inFolder(b.vault.dir)}} {
		say("calls: %s", place.name)
		err := b.with("calls", place.given, func(client *rawmcp.Client) error {
			for _, series := range []calls{{tool: "read_note"}, {tool: "read_note", about: " again"}, {tool: "append_note", text: "One line more."}} {
				series.place = place.name
				if err := series.make(client, paths); err != nil {
					return err
				}
				found.calls = append(found.calls, series)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// calls are calls of a tool, one for each of some notes, and how long they took.
type calls struct {
	place, tool, about string
	text               string // to append
	took               []time.Duration
}

func (c *calls) make(client *rawmcp.Client, paths []string) error {
	for _, path := range paths {
		given := arguments{"name": path}
		if c.text != "" {
			given["text"] = c.text
		}
		began := time.Now()
		if _, err := call(client, c.tool, given); err != nil {
			return err
		}
		c.took = append(c.took, time.Since(began))
	}
	return nil
}

// with runs the program while something is done with it.
func (b *bench) with(home string, given settings, do func(*rawmcp.Client) error) error {
	if err := os.RemoveAll(filepath.Join(b.work, home)); err != nil {
		return err
	}
	server, err := b.start(home, given)
	if err != nil {
		return err
	}
	client, err := connect(server)
	if err != nil {
		return errors.Join(err, server.Stop())
	}
	defer client.Conn.Close()
	return errors.Join(do(client), server.Stop())
}
