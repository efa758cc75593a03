package install

import (
	"fmt"
	"testing"
)

func TestNamesVault(t *testing.T) {
	for variable, want := range map[string]bool{
		"VAULT_PATH": true, "COUCHDB_PASSWORD_FILE": true, "VAULT_ID": true, "OBSIDIAN_MCP_READ_ONLY": false, "HOME": false,
	} {
		if got := NamesVault(variable); got != want {
			t.Errorf("NamesVault(%q) = %v, want %v", variable, got, want)
		}
	}
}

func TestArgumentsTellOptionsFromTheRest(t *testing.T) {
	args := []string{"stdio", "--read-only", "--read_only=true", "--vault-path", "/x", "--config=/c", "-q", "--quiet", "--unknown", "--toolsets"}
	want := "[{ [stdio]} {read-only [--read-only]} {read-only true [--read_only=true]} {vault-path /x [--vault-path /x]} " +
		"{config /c [--config=/c]} { [-q]} {quiet [--quiet]} { [--unknown]} {toolsets [--toolsets]}]"
	var got []string
	for _, arg := range arguments(args) {
		text := "{" + arg.option
		if arg.value != "" {
			text += " " + arg.value
		}
		got = append(got, text+fmt.Sprintf(" %v}", arg.words))
	}
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}
