package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The vault has a note that links to the one that the session renames.
const (
	linking = "See [[Plan]] and [[Plan#Goals|goals]].\n"
	relinks = "See [[Grüße 2026]] and [[Grüße 2026#Goals|goals]].\n"
	content = "# Plan\n\nGrüße, 世界.\n"
)

// serve runs the session, and looks at the files that it leaves.
func (m machine) serve(ctx context.Context, program string) error {
	vault := filepath.Join(m.prefix, "drive_c", "Notes of mine")
	if err := os.Mkdir(vault, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(vault, "Index.md"), []byte(linking), 0o644); err != nil {
		return err
	}
	cmd := m.command(ctx, program, "stdio", "--vault-path", `C:\Notes of mine`)
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = talk(&session{in: in, out: bufio.NewReader(out)})
	if err != nil {
		_ = cmd.Process.Kill()
	}
	in.Close()
	if ended := cmd.Wait(); err == nil {
		err = ended
	}
	if err == nil {
		err = looksRight(vault)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, log.Bytes())
	}
	return nil
}

func talk(s *session) error {
	var server struct {
		ServerInfo struct{ Name string }
	}
	if err := s.call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "wine", "version": "1"},
	}, &server); err != nil {
		return err
	}
	if server.ServerInfo.Name != "obsidian-mcp" {
		return fmt.Errorf("initialize: the server's name is %q", server.ServerInfo.Name)
	}
	if err := s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return err
	}
	var list struct{ Tools []struct{ Name string } }
	if err := s.call("tools/list", map[string]any{}, &list); err != nil {
		return err
	}
	if len(list.Tools) < 40 {
		return fmt.Errorf("tools/list: %d tools", len(list.Tools))
	}
	for _, step := range []struct {
		tool      string
		arguments map[string]any
		want      string // is part of the answer
	}{
		{"create_note", map[string]any{"name": "Plan", "content": content}, `"path":"Plan.md"`},
		{"read_note", map[string]any{"name": "plan"}, content},
		{"rename_note", map[string]any{"old_name": "Plan", "new_name": "projects/Grüße 2026"}, "Index"},
		{"read_note", map[string]any{"name": "Grüße 2026"}, content},
		{"append_note", map[string]any{"name": "Grüße 2026", "text": "More."}, `"appended"`},
		{"delete_note", map[string]any{"name": "Index"}, "Index"},
		{"undo_change", map[string]any{"id": ""}, "Index"},
	} {
		if _, undoes := step.arguments["id"]; undoes {
			step.arguments["id"] = s.change
		}
		if err := s.use(step.tool, step.arguments, step.want); err != nil {
			return err
		}
	}
	return nil
}

// looksRight compares the vault with what the session did, byte for byte.
func looksRight(vault string) error {
	for name, want := range map[string]string{
		"Index.md": relinks, "projects/Grüße 2026.md": content + "\nMore.", "Plan.md": "",
	} {
		got, err := os.ReadFile(filepath.Join(vault, filepath.FromSlash(name)))
		if err != nil && want != "" {
			return err
		}
		if strings.TrimRight(string(got), "\n") != strings.TrimRight(want, "\n") {
			return fmt.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	return filepath.WalkDir(vault, func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".tmp") {
			return fmt.Errorf("the temporary file %s was left behind", entry.Name())
		}
		return err
	})
}

// session speaks JSON-RPC, one message a line.
type session struct {
	in   io.Writer
	out  *bufio.Reader
	last int

	change string // the id of the last change, as a hint names it
}

func (s *session) use(tool string, arguments map[string]any, want string) error {
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := s.call("tools/call", map[string]any{"name": tool, "arguments": arguments}, &result); err != nil {
		return err
	}
	if result.IsError || len(result.Content) == 0 || !strings.Contains(result.Content[0].Text, want) {
		return fmt.Errorf("%s answers %+v, without %q", tool, result, want)
	}
	for _, item := range result.Content[1:] {
		if id, found := strings.CutPrefix(item.Text, "Change "); found {
			s.change, _, _ = strings.Cut(id, ";")
		}
	}
	return nil
}

// call sends a request, and reads messages until its response.
func (s *session) call(method string, params, result any) error {
	s.last++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.last, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: no answer: %w", method, err)
		}
		var message struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &message); err != nil {
			return fmt.Errorf("%s: %q is not a message: %w", method, line, err)
		}
		switch {
		case message.ID == nil || *message.ID != s.last || message.Result == nil && message.Error == nil:
			continue
		case message.Error != nil:
			return fmt.Errorf("%s: %s", method, message.Error)
		}
		return json.Unmarshal(message.Result, result)
	}
}

func (s *session) send(message any) error {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = s.in.Write(append(line, '\n'))
	}
	return err
}
