package config

// Semantic says by what model notes are found by their meaning.
type Semantic struct {
	Mode      string
	Model     string // a folder or, for an endpoint, the model's name there
	URL       string
	Key       Secret
	SendNotes bool // the texts of notes may be sent to another machine
}

// The values of the setting semantic.
const (
	SemanticOff      = "off"
	SemanticBuiltin  = "builtin"
	SemanticModel    = "model"
	SemanticEndpoint = "endpoint"
)

// semanticSettings lists the settings of search by meaning.
func semanticSettings() []Setting {
	return []Setting{
		{
			Name: "semantic", Variables: []string{"OBSIDIAN_MCP_SEMANTIC"},
			Default: SemanticBuiltin, Valid: []string{SemanticOff, SemanticBuiltin, SemanticModel, SemanticEndpoint},
			About: "finding notes by what words mean: `builtin` (a table of words in many languages, part of the program), `model` (a folder), `endpoint` (a server), `off`",
			set:   text(func(c *Config) *string { return &c.Semantic.Mode }),
		},
		{
			Name: "semantic_model", Variables: []string{"OBSIDIAN_MCP_SEMANTIC_MODEL"},
			About: "for `model`: a Model2Vec folder (`obsidian-mcp model fetch` downloads one); for `endpoint`: the model's name there",
			set:   func(c *Config, value string) error { c.Semantic.Model = expandHome(value); return nil },
		},
		{
			Name: "semantic_url", Variables: []string{"OBSIDIAN_MCP_SEMANTIC_URL"},
			About: "for `endpoint`: a server with OpenAI's interface for embeddings, such as Ollama's `http://127.0.0.1:11434`",
			set:   checked(checkAddress, func(c *Config) *string { return &c.Semantic.URL }), hidden: true,
		},
		{
			Name: "semantic_key", Variables: []string{"OBSIDIAN_MCP_SEMANTIC_KEY"},
			Secret: true,
			About:  "for `endpoint`: the key of your account there",
			set:    oneLine(func(c *Config) *Secret { return &c.Semantic.Key }),
		},
		{
			Name: "semantic_send_notes", Variables: []string{"OBSIDIAN_MCP_SEMANTIC_SEND_NOTES"},
			Default: "false", Switch: true, Kind: KindBool,
			About: "for `endpoint`: notes may be sent to a server on another machine",
			set:   truth(func(c *Config) *bool { return &c.Semantic.SendNotes }),
		},
	}
}
