package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/wire"
)

// maxLine is the longest line of a batch.
const maxLine = 16 << 20

// errLongLine refuses one line; the lines after it are still read.
var errLongLine = fault.InvalidArgument.Errorf("the line is longer than %d bytes", maxLine)

const batchInput = "batch reads one call per line from a file, or from stdin"

// batch runs one call per line.
func (p Program) batch() *cobra.Command {
	cmd := &cobra.Command{
		Use: "batch [FILE]", Short: `run JSON Lines of {"tool":…,"arguments":{…}}, one result per line`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usage{errors.New("batch takes at most one file")}
			}
			return nil
		},
	}
	stop := cmd.Flags().Bool("stop-on-error", false, "stop at the first call that fails")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		settings, err := p.settings(cmd)
		if err != nil {
			return err
		}
		in := p.In
		if len(args) == 1 && args[0] != "-" {
			file, err := os.Open(args[0])
			if err != nil {
				return fault.InvalidArgument.Errorf("FILE: %w", err).WithHint("%s", batchInput)
			}
			defer file.Close()
			in = file
		}
		tools, closer, err := p.Open(cmd.Context(), settings)
		if err != nil {
			return err
		}
		defer closer.Close()
		return p.runBatch(cmd, settings, tools, in, *stop)
	}
	return cmd
}

func (p Program) runBatch(
	cmd *cobra.Command, settings config.Config, tools *tool.Registry, in io.Reader, stop bool,
) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	bar := p.progress(cmd, "files")
	ctx := call.WithMemories(asShell(p.showing(cmd.Context(), bar)), new(call.Memory))
	var firstErr error
	for first := true; ; first = false {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, errLongLine) { // every later read would fail as well
			bar.clear()
			return fault.InvalidArgument.Errorf("FILE: %w", err).WithHint("%s", batchInput)
		}
		if first {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); err == nil && len(line) == 0 {
			continue
		}
		var answer tool.Answer
		if err == nil {
			answer, err = p.runLine(ctx, settings, tools, line)
		}
		bar.clear()
		if printErr := p.printResult(answer, err); printErr != nil {
			return printErr
		}
		if err != nil && firstErr == nil {
			firstErr = err
		}
		if err != nil && stop || cmd.Context().Err() != nil {
			break
		}
	}
	if firstErr != nil {
		return &exit{exitStatus(fault.KindOf(firstErr))}
	}
	return nil
}

// readLine reads one line. For a line that is too long it returns errLongLine; the next call reads the line after it.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := lines.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong:
			return nil, errLongLine
		case err != nil && len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		}
		return line, err
	}
}

func (p Program) runLine(
	ctx context.Context, settings config.Config, tools *tool.Registry, line []byte,
) (tool.Answer, error) {
	var request struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := wire.Check(line); err != nil {
		return tool.Answer{}, fault.InvalidArgument.Errorf("the line is not valid JSON: %s", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&request) != nil || request.Tool == "" {
		return tool.Answer{}, fault.InvalidArgument.Errorf(`a line must be {"tool": …, "arguments": {…}}`)
	}
	return p.run(ctx, settings, tools, request.Tool, request.Arguments)
}

// printResult prints the result of a call as one line of JSON, in the contract style.
func (p Program) printResult(answer tool.Answer, err error) error {
	type problem struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	}
	line := struct {
		Success bool            `json:"success"`
		Data    json.RawMessage `json:"data,omitempty"`
		Error   *problem        `json:"error,omitempty"`
		Hints   []string        `json:"hints,omitempty"`
	}{Success: err == nil, Hints: answer.HintLines()}
	switch {
	case err != nil:
		line.Error = &problem{fault.KindOf(err).Code(), err.Error(), fault.HintOf(err)}
	case answer.JSON == nil:
		line.Data, _ = wire.Encode(map[string]string{"text": answer.Text})
	default:
		line.Data = json.RawMessage(answer.Text)
	}
	encoded, encodeErr := wire.Encode(line)
	if encodeErr != nil {
		return errors.Join(err, encodeErr)
	}
	_, writeErr := p.Out.Write(append(encoded, '\n'))
	return writeErr
}
