package cli

import (
	"encoding/base64"
	"io"
	"os"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// fileFlags are the flags of tools that take or give bytes: in a shell those are in files.
type fileFlags struct {
	data *string // the file with the content to write
	out  *string // the file that gets the picture or sound of the answer
}

// Tools with flags for files.
const (
	takesData = "write_file"
	givesData = "read_file"
)

func addFileFlags(cmd *cobra.Command, t tool.Tool) fileFlags {
	none := ""
	files := fileFlags{&none, &none}
	switch t.Name {
	case takesData:
		files.data = cmd.Flags().String("data-file", "", "file with the content, instead of --data; -: standard input")
		cmd.MarkFlagsMutuallyExclusive("data-file", "data", "text")
	case givesData:
		files.out = cmd.Flags().String("out", "", "save the picture or sound to this file")
	}
	return files
}

// load reads the content to write from its file.
func (f fileFlags) load(arguments map[string]string) error {
	if *f.data == "" {
		return nil
	}
	in := os.Stdin
	if *f.data != "-" {
		opened, err := os.Open(*f.data)
		if err != nil {
			return fault.InvalidArgument.Errorf("--data-file: %w", err)
		}
		defer opened.Close()
		in = opened
	}
	data, err := io.ReadAll(io.LimitReader(in, maxDataFile+1))
	if err != nil {
		return fault.InvalidArgument.Errorf("--data-file: %w", err)
	}
	if len(data) > maxDataFile {
		return fault.InvalidArgument.Errorf("'%s' has more than %d MB", *f.data, maxDataFile>>20)
	}
	arguments["data"] = base64.StdEncoding.EncodeToString(data)
	return nil
}

// maxDataFile bounds what is read into memory; the tool has its own limit.
const maxDataFile = 64 << 20

// save writes the picture or sound of an answer to the file that the user named.
func (f fileFlags) save(answer tool.Answer) error {
	if *f.out == "" {
		return nil
	}
	for _, media := range answer.Media {
		if media.Data != nil {
			return os.WriteFile(*f.out, media.Data, 0o644)
		}
	}
	return fault.InvalidArgument.Errorf("the answer holds no picture or sound to save")
}
