package vault

import (
	"context"
	"regexp"
	"slices"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault/periodic"
)

// TemplateFolder is a folder of templates, and whose setting it is.
type TemplateFolder struct {
	Folder vpath.Path
	Source periodic.Source
}

// templates returns the folders that hold templates: that of the core plugin and that of Templater.
func (v *Vault) templates(decode periodic.Decoder, plugins []string) []TemplateFolder {
	if v.given.Templates != nil {
		return []TemplateFolder{{*v.given.Templates, periodic.ConfigFile}}
	}
	var core struct{ Folder string }
	decode(templatesFile, &core)
	var other struct {
		Folder string `json:"templates_folder"`
	}
	if slices.Contains(plugins, templaterID) {
		decode(templaterFile, &other)
	}
	var folders []TemplateFolder
	for _, set := range []struct {
		folder string
		source periodic.Source
	}{{core.Folder, coreTemplates}, {other.Folder, templater}} {
		folder, err := vpath.Parse(periodic.Tidy(set.folder))
		known := slices.ContainsFunc(folders, func(f TemplateFolder) bool { return f.Folder.Key() == folder.Key() })
		if err == nil && !known {
			folders = append(folders, TemplateFolder{folder, set.source})
		}
	}
	return folders
}

// TemplatesIn lists the notes in the folders of templates.
func (l Layout) TemplatesIn(s *index.Snapshot) []vpath.Path {
	var paths []vpath.Path
	for _, note := range s.Names() {
		if slices.ContainsFunc(l.Templates, func(from TemplateFolder) bool { return note.Path.In(from.Folder) }) {
			paths = append(paths, note.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// DateFormats are the formats of {{date}} and {{time}} in templates; "" for the defaults.
type DateFormats struct {
	Date string `json:"dateFormat"`
	Time string `json:"timeFormat"`
}

// UniqueNotes are the settings of the core plugin Unique note creator.
type UniqueNotes struct{ Folder, Format, Template string }

func uniqueNotes(decode periodic.Decoder) UniqueNotes {
	var unique UniqueNotes
	decode(uniqueFile, &unique)
	if unique.Format == "" {
		unique.Format = "YYYYMMDDHHmm"
	}
	return unique
}

const templaterID = "templater-obsidian"

// noteTemplates are the templates that Templater gives to new notes.
type noteTemplates struct {
	folders []folderTemplate
	paths   []pathTemplate
}

// folderTemplate is the template of the new notes in a folder.
type folderTemplate struct{ Folder, Template string }

// pathTemplate is the template of the new notes whose path matches a regular expression.
type pathTemplate struct{ Regex, Template string }

// newNoteTemplate returns the template of a new note as the settings name it, or "". Templater has two ways to choose one,
// of which one is on.
func (v *Vault) newNoteTemplate(ctx context.Context, path vpath.Path) string {
	files := v.readConfig(ctx, pluginsFile, templaterFile)
	var plugins []string
	files.decode(pluginsFile, &plugins)
	if !slices.Contains(plugins, templaterID) {
		return ""
	}
	var settings struct {
		On      bool             `json:"trigger_on_file_creation"`
		Mode    string           `json:"trigger_on_file_creation_mode"`
		ByPath  bool             `json:"enable_file_templates"`
		ByDir   bool             `json:"enable_folder_templates"`
		Folders []folderTemplate `json:"folder_templates"`
		Paths   []pathTemplate   `json:"file_templates"`
	}
	files.decode(templaterFile, &settings)
	var templates noteTemplates
	switch {
	case settings.Mode == "folder" || settings.Mode == "" && settings.On && settings.ByDir:
		templates.folders = settings.Folders
	case settings.Mode == "regex" || settings.Mode == "" && settings.On && settings.ByPath:
		templates.paths = settings.Paths
	}
	return templates.of(path)
}

// of returns the template of a note's folder or the nearest one above, or that of the first expression that matches its
// path.
func (n noteTemplates) of(path vpath.Path) string {
	for folder := path.Dir(); len(n.folders) > 0; folder = folder.Dir() {
		for _, of := range n.folders {
			isRoot := folder == "" && of.Folder == "/"
			if of.Template != "" && (isRoot || folder != "" && periodic.Tidy(of.Folder) == string(folder)) {
				return of.Template
			}
		}
		if folder == "" {
			break
		}
	}
	for _, of := range n.paths {
		if pattern, err := regexp.Compile(of.Regex); err == nil && pattern.MatchString(string(path)) {
			return of.Template
		}
	}
	return ""
}
