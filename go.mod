module obsidian-mcp

go 1.26.5

require (
	github.com/google/go-cmp v0.7.0
	github.com/yuin/goldmark v1.8.7
	go.abhg.dev/goldmark/frontmatter v0.2.0
	go.abhg.dev/goldmark/wikilink v0.6.0
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/sys v0.48.0
	golang.org/x/text v0.43.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/BurntSushi/toml v1.2.1 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
