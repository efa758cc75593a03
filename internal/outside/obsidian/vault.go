package obsidian

import (
	"net/url"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// Vault is the vault that the app is asked about.
type Vault struct {
	Folder string         // its real path; "" if it is not in a folder of this machine
	Name   string         // what Obsidian calls it, if its list of vaults does not say otherwise
	Known  func() []Known // Obsidian's list of vaults
}

// Known is a vault of Obsidian's list.
type Known struct {
	ID, Name, Folder string
}

// Selector returns what names the vault in a link: its name, or its id if another vault has the same name.
func (a *App) Selector() string {
	if selector, err := a.options.Vault.selector(); err == nil {
		return selector
	}
	return a.options.Vault.Name
}

// selector returns the name of the vault, or its id if another vault has the same name. It refuses a name that would
// lead to another vault.
func (v Vault) selector() (string, error) {
	known := v.known()
	own, isKnown := v.find(known)
	namesakes := slices.DeleteFunc(slices.Clone(known), func(other Known) bool { return other.Name != own.Name })
	switch {
	case isKnown && len(namesakes) > 1:
		return own.ID, nil
	case isKnown || len(namesakes) == 0:
		return own.Name, nil
	case v.Folder != "":
		return "", fault.VaultNotFound.Errorf("Obsidian's vault '%s' is in '%s', not in '%s'", own.Name, namesakes[0].Folder, v.Folder).
			WithHint("open '%s' as a vault in Obsidian", v.Folder)
	}
	return "", fault.VaultNotFound.Errorf("Obsidian knows several vaults called '%s'", own.Name).
		WithHint("set VAULT_ID to the id of one of them in Obsidian's list of vaults, obsidian.json")
}

// name returns what people call the vault.
func (v Vault) name() string {
	own, _ := v.find(v.known())
	return own.Name
}

func (v Vault) known() []Known {
	if v.Known == nil {
		return nil
	}
	return v.Known()
}

// find returns the vault as Obsidian's list has it. A vault that the list does not have is returned with its own name.
func (v Vault) find(known []Known) (own Known, isKnown bool) {
	isOurs := func(other Known) bool { return v.Folder != "" && other.Folder == v.Folder }
	at := slices.IndexFunc(known, isOurs)
	if at < 0 { // the list may hold another path to the same folder
		at = slices.IndexFunc(known, func(other Known) bool { return v.Folder != "" && system.SameFile(other.Folder, v.Folder) })
	}
	if at < 0 && v.Folder == "" {
		at = v.findByName(known)
	}
	if at < 0 {
		return Known{Name: v.Name}, false
	}
	return known[at], true
}

// findByName returns the index of the only vault with the name or id, or -1 if none or several have it.
func (v Vault) findByName(known []Known) int {
	isNamed := func(other Known) bool { return other.Name == v.Name || other.ID == v.Name }
	at := slices.IndexFunc(known, isNamed)
	if at >= 0 && slices.ContainsFunc(known[at+1:], isNamed) {
		return -1
	}
	return at
}

// Link returns the address that opens the file in Obsidian on any machine that has the vault.
func (f File) Link(vault string) string {
	file := strings.TrimSuffix(f.Path, ".md")
	if f.Part != "" {
		file += "#" + f.Part
	}
	link := "obsidian://open?vault=" + encoded(vault) + "&file=" + encoded(file)
	if f.NewTab {
		link += "&paneType=tab"
	}
	return link
}

// SearchLink returns the address that opens a search in Obsidian.
func SearchLink(vault, query string) string {
	return "obsidian://search?vault=" + encoded(vault) + "&query=" + encoded(query)
}

// encoded returns a value of a link as Obsidian wants it: also slashes are escaped, and a space is not a plus sign.
func encoded(value string) string { return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") }
