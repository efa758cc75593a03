package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestServerOfARelease(t *testing.T) {
	r := example(t)
	r.repository = "alice/notes-server"
	if err := r.write(r.bundleName("macos"), platform{}, []byte("a bundle")); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../server.json")
	if err != nil {
		t.Fatal(err)
	}
	content, err := r.describeServer(source)
	if err != nil {
		t.Fatal(err)
	}
	var server struct {
		Name, Version string
		Repository    struct{ URL string }
		Packages      []struct{ RegistryType, Identifier, Version, FileSHA256 string }
	}
	if err := json.Unmarshal(content, &server); err != nil {
		t.Fatal(err)
	}
	if server.Name != "io.github.alice/obsidian-mcp" || server.Version != "1.2.3-rc.1" || server.Repository.URL != "https://github.com/alice/notes-server" {
		t.Errorf("the server is %+v", server)
	}
	if len(server.Packages) != 2 {
		t.Fatalf("the packages are %+v, want npm and the only bundle", server.Packages)
	}
	sum, err := r.sum(r.bundleName("macos"))
	if err != nil {
		t.Fatal(err)
	}
	bundle := server.Packages[1]
	if bundle.FileSHA256 != sum || bundle.Version != server.Version ||
		bundle.Identifier != "https://github.com/alice/notes-server/releases/download/v1.2.3-rc.1/obsidian-mcp-1.2.3-rc.1-macos.mcpb" {
		t.Errorf("the bundle is %+v", bundle)
	}
	if strings.Contains(string(content), "0.0.0") || server.Packages[0].Version != server.Version {
		t.Errorf("the source's version is left in\n%s", content)
	}
}
