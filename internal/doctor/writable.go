package doctor

import (
	"errors"
	"os"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/store/patient"
)

// state tries to write where journals and keys are kept.
func (r *Report) state(settings config.Config) {
	if err := tryWritingInto(settings.StateDir); err != nil {
		r.fail("set OBSIDIAN_MCP_STATE_DIR to a folder that can be written", "state: %s", err)
		return
	}
	r.ok("state: kept in %s", settings.StateDir)
}

// tryWritingInto tries to write into a folder, and creates it if necessary.
func tryWritingInto(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return tryWriting(dir)
}

func tryWriting(dir string) error {
	_, err := inTime(func() (struct{}, error) {
		file, err := os.CreateTemp(dir, ".obsidian-mcp-*.tmp")
		if err != nil {
			return struct{}{}, err
		}
		defer os.Remove(file.Name())
		return struct{}{}, file.Close()
	})
	return err
}

// inTime asks the system about a folder that may be on a drive which never answers.
func inTime[T any](ask func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		value, err := ask()
		answered <- answer{value, err}
	}()
	select {
	case a := <-answered:
		return a.value, a.err
	case <-time.After(patient.Limit):
		var zero T
		return zero, errors.New("the folder does not answer; is it on a network drive or an unplugged disk?")
	}
}
