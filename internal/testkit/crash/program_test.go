package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"testing"

	"obsidian-mcp/internal/testkit/program"
)

// skipShort skips a test that crashes the program.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("crashes the program many times")
	}
}

func TestMain(m *testing.M) {
	status := m.Run()
	program.Remove()
	os.Exit(status)
}

// command runs the program on a world.
func (w *world) command(args ...string) *exec.Cmd {
	w.t.Helper()
	name, err := program.Path()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Env = []string{
		"OBSIDIAN_VAULT_PATH=" + w.vault(), "OBSIDIAN_MCP_STATE_DIR=" + w.state(), "HOME=" + w.dir,
		"OBSIDIAN_MCP_CONFIRM_OVER=0", "LOG_LEVEL=warn", "PATH=" + os.Getenv("PATH"),
	}
	return cmd
}

// callArgs is the command line that calls a tool.
func callArgs(tool string, arguments map[string]any) []string {
	args := []string{"call", tool}
	for name, value := range arguments {
		if kind := reflect.ValueOf(value).Kind(); kind == reflect.Map || kind == reflect.Slice {
			encoded, _ := json.Marshal(value) // it is made of texts and truths
			value = string(encoded)
		}
		args = append(args, fmt.Sprintf("--%s=%v", name, value))
	}
	slices.Sort(args[2:])
	return args
}

// call runs the program for one call, which must succeed.
func (w *world) call(tool string, arguments map[string]any) {
	w.t.Helper()
	if _, err := w.ask(tool, arguments); err != nil {
		w.t.Fatal(err)
	}
}

// ask runs the program for the answer of a tool.
func (w *world) ask(tool string, arguments map[string]any) (json.RawMessage, error) {
	cmd := w.command(callArgs(tool, arguments)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w\n%s", tool, arguments, err, stderr.Bytes())
	}
	return output, nil
}
