package main

import (
	"fmt"
	"strings"

	"obsidian-mcp/bench/internal/rawmcp"
)

// anyCall returns a random call of those that clients make, most of them reads.
func (v *visitor) anyCall() rawmcp.Message {
	switch v.random.IntN(20) {
	case 0, 1, 2, 3:
		return readCall
	case 4:
		return rawmcp.CallTool("get_headings", `{"name":"Hub"}`)
	case 5:
		return rawmcp.CallTool("get_links", `{"name":"Hub"}`)
	case 6, 7:
		return findCall
	case 8:
		return rawmcp.CallTool("search_notes", fmt.Sprintf(`{"query":"tag%d","mode":"tag"}`, v.random.IntN(200)))
	case 9:
		return v.slowCall()
	case 10:
		return rawmcp.CallTool("list_notes", fmt.Sprintf(`{"offset":%d}`, v.random.IntN(500)))
	case 11, 12, 13:
		return v.write(v.scratch())
	case 14:
		return rawmcp.Message{Method: "completion/complete", Params: fmt.Sprintf(`"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"note","value":"%c"}`, 'a'+rune(v.random.IntN(26)))}
	case 15:
		return rawmcp.Message{Method: "resources/list"}
	case 16:
		return rawmcp.Message{Method: "resources/read", Name: noteURI(sizedNote), Params: `"uri":"` + noteURI(sizedNote) + `"`}
	case 17:
		return rawmcp.Message{Method: "prompts/list"}
	case 18:
		return rawmcp.Message{Method: "prompts/get", Name: "review", Params: `"name":"review","arguments":{"note":"Hub"}`}
	}
	return listCall
}

// slowCall returns a call that takes long and can be stopped: an expression that is tried on every line.
func (v *visitor) slowCall() rawmcp.Message {
	return rawmcp.CallTool("vault_search", fmt.Sprintf(`{"query":"[a-z]+ [a-z]{%d} ","limit":20}`, 3+v.random.IntN(12)))
}

// scratch returns one of the notes that only this visitor writes to.
func (v *visitor) scratch() string {
	return fmt.Sprintf("Scratch/visitor %d-%d", v.number, v.random.IntN(4))
}

// write replaces a scratch note by another of about the same size; the vault does not grow.
func (v *visitor) write(note string) rawmcp.Message {
	text := strings.Repeat(fmt.Sprintf("Line %d of [[Hub]].\\n", v.random.IntN(1000)), 1+v.random.IntN(60))
	return rawmcp.CallTool("create_note", fmt.Sprintf(`{"name":%q,"content":"%s","overwrite":true}`, note, text))
}

// noteURI names a note as a resource.
func noteURI(note string) string {
	return "mcp-obsidian://bench/" + strings.ReplaceAll(note, " ", "%20") + ".md"
}
