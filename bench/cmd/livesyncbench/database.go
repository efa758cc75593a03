package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// The administrator of the stand-in, and the passphrase of the vault.
const (
	user       = "admin"
	password   = "of no importance"
	passphrase = "a passphrase of some length"
)

// standIn is a server that answers as CouchDB does.
type standIn struct {
	url     string
	input   io.Closer // the server ends when it is closed
	command *exec.Cmd
}

func startStandIn(script string) (*standIn, error) {
	command := exec.Command(script)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		return nil, errors.Join(errors.New("the database did not start"), command.Wait())
	}
	return &standIn{url: lines.Text(), input: input, command: command}, nil
}

func (s *standIn) stop() {
	s.input.Close()
	_ = s.command.Wait()
}

// database is a database of a vault that is encrypted and hides its paths.
type database struct {
	address string // of its server
	name    string
	client  *couch.Client
	codec   *format.Codec
	stored  stored
}

// stored is what was put into a database.
type stored struct {
	chunks int
	bytes  int64 // of all documents
}

// create makes a database as a device leaves it before its first file.
func (s *standIn) create(ctx context.Context, name string) (*database, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, s.url+"/"+name, nil)
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth(user, password)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		return nil, fmt.Errorf("creating the database %s failed: %s", name, answer.Status)
	}
	client, err := couch.New(couch.Options{URL: s.url, Database: name, User: user, Password: password})
	if err != nil {
		return nil, err
	}
	d := &database{address: s.url, name: name, client: client}
	return d, d.found(ctx)
}

// found writes the documents that describe a database.
func (d *database) found(ctx context.Context) error {
	settings := format.Configure(format.Remote{}, &format.Survey{}, passphrase)
	settings.Encrypt, settings.ObfuscatePaths = true, true
	salt := make([]byte, 32)
	rand.Read(salt)
	parameters, err := format.NewParameters(nil, salt)
	if err != nil {
		return err
	}
	for id, body := range map[string][]byte{
		format.MilestoneID: format.NewMilestone(settings, time.Now().UnixMilli()), format.SyncParametersID: parameters,
	} {
		if _, err := d.client.PutLocal(ctx, strings.TrimPrefix(id, "_local/"), body); err != nil {
			return err
		}
	}
	if err := d.write(ctx, []json.RawMessage{format.NewVersion()}); err != nil {
		return err
	}
	d.codec, err = format.NewCodec(format.Options{Settings: settings, Passphrase: passphrase, Salt: salt})
	return err
}

// write writes new documents.
func (d *database) write(ctx context.Context, documents []json.RawMessage) error {
	outcomes, err := d.client.BulkDocs(ctx, documents, couch.BulkOptions{})
	for _, outcome := range outcomes {
		err = errors.Join(err, outcome.Err)
	}
	return err
}

// batch is how many documents are written at once.
const batch = 500

// fill uploads a vault.
func (d *database) fill(ctx context.Context, v *vault) error {
	var waiting []json.RawMessage
	seen := map[string]bool{}
	add := func(body []byte) error {
		d.stored.bytes += int64(len(body))
		if waiting = append(waiting, body); len(waiting) < batch {
			return nil
		}
		defer func() { waiting = waiting[:0] }()
		return d.write(ctx, waiting)
	}
	err := v.each(func(path, text string) error {
		upload, err := d.codec.Write(nil, format.Change{Path: path, Content: []byte(text), Now: time.Now().UnixMilli()})
		if err != nil {
			return err
		}
		for _, leaf := range upload.Leaves {
			if seen[leaf.ID] {
				continue
			}
			seen[leaf.ID] = true
			if err := add(leaf.Body); err != nil {
				return err
			}
		}
		return add(upload.Body)
	})
	d.stored.chunks = len(seen)
	if err != nil || len(waiting) == 0 {
		return err
	}
	return d.write(ctx, waiting)
}

// edit changes a note as another device does: it reads the document, writes the new chunks, and then the document.
func (d *database) edit(ctx context.Context, path string, content []byte) error {
	old, err := d.file(ctx, path)
	if err != nil {
		return err
	}
	upload, err := d.codec.Write(old, format.Change{Path: path, Content: content, Now: time.Now().UnixMilli()})
	if err != nil {
		return err
	}
	var leaves []json.RawMessage
	for _, leaf := range upload.Leaves {
		leaves = append(leaves, leaf.Body)
	}
	if _, err := d.client.BulkDocs(ctx, leaves, couch.BulkOptions{Repeatable: true}); err != nil {
		return err
	}
	return d.write(ctx, []json.RawMessage{upload.Body})
}

// file reads the document of a note.
func (d *database) file(ctx context.Context, path string) (*format.Meta, error) {
	found, err := d.client.Get(ctx, d.codec.ID(path), couch.GetOptions{})
	if err != nil {
		return nil, err
	}
	read, err := d.codec.Decode(found.Body)
	return read.File, err
}
