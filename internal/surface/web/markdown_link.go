package web

import (
	"net/url"
	"path"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// target is where a link of a note leads.
type target struct {
	Href    string // "" if nowhere
	Outside bool   // to another server or program
	Missing bool   // the caller can see no such file
	Image   bool   // a picture from the vault
	Host    string // of an address outside
}

// maxAddress is the longest address that leads anywhere. A note can use a single
// definition many times.
const maxAddress = 2000

// outside returns the target of an address that leads out of the vault, if its scheme is safe. Addresses that browsers
// might read differently are refused: what we write is what we parsed.
func outside(address string) (target, bool) {
	if len(address) > maxAddress {
		return target{}, false
	}
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return target{}, false
	}
	switch parsed.Scheme {
	case "http", "https":
		if parsed.Host == "" || parsed.Opaque != "" || strings.ContainsAny(parsed.Host, `\<>"'`) {
			return target{}, false
		}
		parsed.User = nil // "host@other" must not look like host
	case "mailto", "obsidian":
	default:
		return target{}, false
	}
	return target{Href: quotes.Replace(parsed.String()), Outside: true, Host: parsed.Hostname()}, true
}

// quotes encodes quotes and angle brackets in addresses.
var quotes = strings.NewReplacer(`"`, "%22", "<", "%3C", ">", "%3E", "`", "%60")

// inside returns the target of a link within the vault: a path, a heading, or both.
func (m markdown) inside(link string) target {
	if len(link) > maxAddress {
		return target{Missing: true}
	}
	file, sub := md.SplitTarget(link)
	file = strings.ReplaceAll(file, hash, "#")
	if m.isResult {
		file = strings.TrimSuffix(file, `\`) // Dataview escapes the bars of links in lists twice
	}
	fragment := fragmentOf(sub)
	if file == "" {
		return target{Href: fragment, Missing: sub == ""} // blocks have no address of their own
	}
	found := vpath.WithNoteExt(file)
	if m.resolve != nil {
		var ok bool
		if found, ok = m.resolve(file); !ok {
			return target{Missing: true}
		}
	}
	if !isReadable(found) {
		return target{Href: m.base + fileURL(found), Image: pictures[strings.ToLower(path.Ext(found))] != ""}
	}
	if m.resolve == nil {
		found = file // take the name literally
	}
	return target{Href: m.base + noteURL(found) + fragment}
}

// openURL returns the address of a file's page.
func openURL(file string) string {
	if isReadable(file) {
		return noteURL(file)
	}
	return fileURL(file)
}

// noteURL returns the address of a note's page.
func noteURL(file string) string { return "/note?" + url.Values{"path": {file}}.Encode() }

// fileURL returns the address of any other file.
func fileURL(file string) string { return "/file?" + url.Values{"path": {file}}.Encode() }

// searchURL returns the address of a search.
func searchURL(query string) string { return "/search?" + url.Values{"q": {query}}.Encode() }

// isReadable reports whether the note page can show a file.
func isReadable(file string) bool {
	p := vpath.Path(file)
	return p.IsNote() || p.IsCanvas() || strings.EqualFold(path.Ext(file), ".base")
}

// headingID returns the id of a heading's element. No other id on the page has its prefix.
func headingID(heading string) string {
	return "h-" + strings.ReplaceAll(strings.TrimSpace(md.FoldHeading(heading)), " ", "-")
}
