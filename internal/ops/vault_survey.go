package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/periodic"
	"obsidian-mcp/internal/wire"
)

// vaultSurvey collects what vault_info says about the part of a vault that a caller may see.
type vaultSurvey struct {
	view   *vault.View
	s      *index.Snapshot
	layout vault.Layout
	today  moment.Date

	facts VaultFacts // without the lists

	// The lists, the most important items first.
	periods    []namedPeriod
	folders    []FolderNotes
	templates  []string
	properties []VaultProperty
	tags       []TagNotes

	sources  []string // whose settings the values are
	problems []string // that the user should know about
}

// namedPeriod is a period, and where its notes are.
type namedPeriod struct {
	Period periodic.Period `json:"period"`
	Notes  PeriodicNotes   `json:"notes"`
}

func (v *vaultSurvey) take() {
	overview := v.s.Overview()
	v.facts = VaultFacts{
		Notes: overview.Notes, Tags: VaultTags{Count: len(overview.Tags)}, LinkStyle: linkStyle(v.layout.Settings.Links),
		NewNotes: v.folder(string(v.layout.Settings.NewNotes)), Attached: v.folder(v.layout.Attachments.Folder),
	}
	v.takePeriods()
	for _, count := range overview.Folders {
		v.folders = append(v.folders, FolderNotes{string(count.Folder), count.Notes})
	}
	for _, count := range overview.Properties {
		kind := cmp.Or(v.layout.Types.Of(count.Name), front.BuiltInType(count.Name), count.Type, front.TypeText)
		v.properties = append(v.properties, VaultProperty{count.Name, string(kind), count.Notes, append([]string{}, count.Values...)})
	}
	for _, count := range overview.Tags {
		v.tags = append(v.tags, TagNotes(count))
	}
	v.takeTemplates()
	v.sources = append(v.sources, "attachments: "+string(v.layout.Attachments.Source))
	if files := v.layout.Unreadable; len(files) > 0 {
		v.problems = append(v.problems, fmt.Sprintf("Obsidian's settings in %s cannot be read", strings.Join(files, ", ")))
	}
}

func (v *vaultSurvey) limited() bool { return v.view.Key() != "" }

// folder returns a folder of the settings, or "" if it is closed to the caller.
func (v *vaultSurvey) folder(folder string) string {
	if !strings.HasPrefix(folder, "./") && !v.view.MayRead(vpath.Path(folder).Join("note.md")) {
		return ""
	}
	return cutText(folder)
}

func (v *vaultSurvey) takePeriods() {
	for _, period := range periodic.Periods() {
		settings := v.layout.Periods.Of(period)
		if !settings.Enabled && period != periodic.Daily {
			continue
		}
		notes, open := v.period(period, settings)
		switch {
		case period == periodic.Daily:
			v.facts.Daily = notes
		case open:
			v.periods = append(v.periods, namedPeriod{period, notes})
		}
		if open {
			v.sources = append(v.sources, string(period)+": "+periodSource(settings))
		}
	}
}

// maxShownPath is the length of the longest path that is shown.
const maxShownPath = 500

// period describes the notes of a period. It says nothing about them, and false, if they are closed to the caller.
func (v *vaultSurvey) period(period periodic.Period, settings periodic.Notes) (PeriodicNotes, bool) {
	path, err := v.layout.Periods.Path(period, v.today)
	if v.limited() && (err != nil || !v.view.MayRead(path)) {
		return PeriodicNotes{}, false
	}
	notes := PeriodicNotes{
		Folder: cutText(periodic.Tidy(settings.Folder)), Format: cutText(settings.Format),
		Template: v.template(period, periodic.Tidy(settings.Template)),
	}
	if err != nil || len(path) > maxShownPath {
		v.problems = append(v.problems, fmt.Sprintf("the settings of %s notes give no usable path", period))
		return notes, true
	}
	found, exists := v.s.Paths.Find(path)
	if !exists {
		found, _ = v.s.AdoptSpelling(path)
	}
	notes.Path, notes.Exists = string(found), exists
	return notes, true
}

// periodSource says whose settings those of a period are.
func periodSource(notes periodic.Notes) string {
	source := string(notes.Source)
	if !notes.Enabled {
		source += " (off)"
	}
	if len(notes.Given) > 0 {
		source += ", but the " + strings.Join(notes.Given, " and ") + " from the " + string(periodic.ConfigFile)
	}
	return source
}

// template returns the path of the template that a setting names, or "" if the caller must not know it.
func (v *vaultSurvey) template(period periodic.Period, setting string) string {
	if setting == "" {
		return ""
	}
	resolver := v.s.Paths.From("")
	if path, found := resolver.Resolve(setting); found {
		return cutText(string(path))
	}
	if v.limited() {
		return ""
	}
	v.problems = append(v.problems, fmt.Sprintf("the template of %s notes, '%s', does not exist", period, cutText(setting)))
	return cutText(setting)
}

// takeTemplates lists the notes in the folders of templates.
func (v *vaultSurvey) takeTemplates() {
	for _, from := range v.layout.Templates {
		v.sources = append(v.sources, "templates: "+string(from.Source))
	}
	for _, path := range v.layout.TemplatesIn(v.s) {
		v.templates = append(v.templates, string(path))
	}
}

// linkStyle says how new links are written.
func linkStyle(style edit.LinkStyle) string {
	kind, path := "wikilinks", "shortest path"
	if style.Markdown {
		kind = "Markdown links"
	}
	switch style.Format {
	case edit.Relative:
		path = "relative path"
	case edit.Absolute:
		path = "path from the root"
	}
	return kind + ", " + path
}

// cutText shortens a text of the settings that is longer than any of use.
func cutText(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// periodsObject makes an object with the periods as keys, in their order.
func periodsObject(periods []namedPeriod) tool.Object {
	object := []byte("{")
	for i, period := range periods {
		if i > 0 {
			object = append(object, ',')
		}
		encoded, _ := wire.Encode(period.Notes) // strings always can be
		object = append(append(object, `"`+string(period.Period)+`":`...), encoded...)
	}
	return tool.Object(append(object, '}'))
}

// byPath sorts folders by path.
func byPath(folders []FolderNotes) []FolderNotes {
	sorted := slices.Clone(folders)
	order.By(sorted, func(a, b FolderNotes) int { return cmp.Compare(a.Path, b.Path) })
	return sorted
}

// listedItems bounds how many items of a list are measured: more never fit.
const listedItems = 400

// sizesOf returns how many bytes each item of a list takes.
func sizesOf[T any](list []T) []int {
	var sizes []int
	for _, item := range list[:min(listedItems, len(list))] {
		sizes = append(sizes, sizeOf(item)+1)
	}
	return sizes
}

func sizeOf(value any) int {
	encoded, err := wire.Encode(value)
	if err != nil {
		return maxVaultInfo
	}
	return len(encoded)
}

// fairShares returns how many items of each list to keep so that all fit into some bytes. The list that takes the most
// room loses its last item until they do.
func fairShares(room int, lists [][]int) []int {
	kept, used := make([]int, len(lists)), make([]int, len(lists))
	total := 0
	for i, sizes := range lists {
		kept[i] = len(sizes)
		for _, size := range sizes {
			used[i] += size
		}
		total += used[i]
	}
	for total > room {
		largest := slices.Index(used, slices.Max(used))
		if kept[largest] == 0 {
			break
		}
		kept[largest]--
		size := lists[largest][kept[largest]]
		used[largest], total = used[largest]-size, total-size
	}
	return kept
}
