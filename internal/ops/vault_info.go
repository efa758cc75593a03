package ops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/tool"
)

// VaultInfo has no parameters.
type VaultInfo struct{}

// VaultFacts is the result of vault_info.
type VaultFacts struct {
	tool.Meta `json:"-"`

	Vault      string          `json:"vault"`
	Today      string          `json:"today"`
	Timezone   string          `json:"timezone"`
	Notes      int             `json:"notes"`
	Folders    []FolderNotes   `json:"folders"`
	Daily      PeriodicNotes   `json:"daily"`
	Periods    tool.Object     `json:"periods"`
	Templates  []string        `json:"templates"`
	Properties []VaultProperty `json:"properties"`
	Tags       VaultTags       `json:"tags"`
	NewNotes   string          `json:"new_note_folder"`
	Attached   string          `json:"attachment_folder"`
	LinkStyle  string          `json:"link_style"`
	Plugins    []string        `json:"plugins"`
}

// FolderNotes is a folder with the number of notes in it and below.
type FolderNotes struct {
	Path  string `json:"path"`
	Notes int    `json:"notes"`
}

// PeriodicNotes say where the notes of a period are.
type PeriodicNotes struct {
	Folder   string `json:"folder"`
	Format   string `json:"format"`
	Template string `json:"template"`
	Path     string `json:"path_today"`
	Exists   bool   `json:"exists"`
}

// VaultProperty is a property with the number of notes that have it and its most frequent values.
type VaultProperty struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Notes  int      `json:"notes"`
	Values []string `json:"values"`
}

// VaultTags are the number of tags, and those that most notes have.
type VaultTags struct {
	Count int        `json:"count"`
	Top   []TagNotes `json:"top"`
}

// TagNotes is a tag with the number of notes that have it.
type TagNotes struct {
	Tag   string `json:"tag"`
	Notes int    `json:"notes"`
}

var vaultInfo = tool.New(tool.Spec{
	Name: "vault_info", Toolset: "vault", Title: "About the vault", Effect: tool.Reads,
	About: "Shows how the vault is organised: date, folders, today's daily note, templates, properties and types, tags, settings, plugins. " +
		"Call it first in a vault you do not know. Use list_notes or find_notes for the notes.",
}, (*Ops).VaultInfo)

// VaultInfo describes the vault.
func (o *Ops) VaultInfo(ctx context.Context, _ VaultInfo) (VaultFacts, error) {
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return VaultFacts{}, err
	}
	now := o.clock.now()
	survey := &vaultSurvey{
		view: o.vault, s: s, layout: o.vault.Layout(ctx),
		today: moment.Date{Year: now.Year(), Month: int(now.Month()), Day: now.Day()},
	}
	survey.take()
	facts := survey.facts
	facts.Vault, facts.Today, facts.Timezone = cutText(o.vaultID), now.Format(time.DateOnly), zoneName(now)
	facts, cut := survey.fitted(facts)
	survey.sources = append(survey.sources, "time zone: "+o.clock.source)
	facts.Meta = tool.Meta{"sources": survey.sources}
	if len(cut) > 0 {
		tool.AddHint(ctx, tool.HintCut, "Not all are listed: %s. find_notes and list_notes find the others.", strings.Join(cut, ", "))
	}
	if len(survey.problems) > 0 {
		tool.AddHint(ctx, tool.HintSuggest, "Tell the user: %s.", strings.Join(survey.problems, "; "))
	}
	tool.AddHint(ctx, tool.HintSuggest, "Settings come from: %s.", strings.Join(survey.sources, "; "))
	return facts, nil
}

// zoneName returns the name of a time's zone, or its offset if only the system knows the name.
func zoneName(now time.Time) string {
	if name := now.Location().String(); name != "Local" {
		return name
	}
	return now.Format("UTC-07:00")
}

// maxVaultInfo is how many bytes the answer may have.
const maxVaultInfo = 8 << 10

// fitted adds the lists to an answer, cut so that it is not too long, and says what was cut.
func (v *vaultSurvey) fitted(facts VaultFacts) (_ VaultFacts, cut []string) {
	facts.Periods = tool.Object("{}")
	facts.Folders, facts.Templates, facts.Properties = []FolderNotes{}, []string{}, []VaultProperty{}
	facts.Tags.Top, facts.Plugins = []TagNotes{}, []string{}
	lists := []struct {
		name  string
		total int
		sizes []int
	}{
		{"periods", len(v.periods), sizesOf(v.periods)},
		{"folders", len(v.folders), sizesOf(v.folders)},
		{"templates", len(v.templates), sizesOf(v.templates)},
		{"properties", len(v.properties), sizesOf(v.properties)},
		{"tags", len(v.tags), sizesOf(v.tags)},
		{"plugins", len(v.layout.Plugins), sizesOf(v.layout.Plugins)},
	}
	var sizes [][]int
	for _, list := range lists {
		sizes = append(sizes, list.sizes)
	}
	kept := fairShares(maxVaultInfo-sizeOf(facts), sizes)
	for i, list := range lists {
		if kept[i] < list.total {
			cut = append(cut, fmt.Sprintf("%d of %d %s", kept[i], list.total, list.name))
		}
	}
	facts.Periods = periodsObject(v.periods[:kept[0]])
	facts.Folders = append(facts.Folders, byPath(v.folders[:kept[1]])...)
	facts.Templates = append(facts.Templates, v.templates[:kept[2]]...)
	facts.Properties = append(facts.Properties, v.properties[:kept[3]]...)
	facts.Tags.Top = append(facts.Tags.Top, v.tags[:kept[4]]...)
	facts.Plugins = append(facts.Plugins, v.layout.Plugins[:kept[5]]...)
	return facts, cut
}
