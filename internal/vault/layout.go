package vault

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault/periodic"
)

// Layout is how the owner of a vault has set it up: the settings of Obsidian and its plugins, and those that our own
// config file gives instead.
type Layout struct {
	Settings    Settings
	Periods     periodic.Settings
	Templates   []TemplateFolder
	Dates       DateFormats
	Unique      UniqueNotes
	Attachments Attachments
	Types       PropertyTypes
	Plugins     []string // the community plugins that are on, sorted

	// Unreadable are the files of settings that could not be read, or are not valid.
	Unreadable []string
}

// Sources of templates and attachments, besides those of periodic notes.
const (
	coreTemplates periodic.Source = "core plugin Templates"
	templater     periodic.Source = "plugin Templater"
	obsidian      periodic.Source = "Obsidian"
)

// Attachments say where new attachments go.
type Attachments struct {
	Folder string // "" is the root, "./" the folder of the note, "./x" a folder in that
	Source periodic.Source
}

// Given are settings that our own config file gives. They count instead of the vault's.
type Given struct {
	Locale      moment.Locale // counts unless the vault has its own
	Periods     map[periodic.Period]periodic.Override
	Templates   *vpath.Path
	Attachments *string
}

// PropertyTypes are the types of properties in types.json.
type PropertyTypes map[vpath.Key]front.Type

// Of returns the type of a property, whatever its letter case; "" if it has none.
func (t PropertyTypes) Of(name string) front.Type { return t[vpath.FoldKey(name)] }

// PropertyTypes reads the types of properties.
func (v *Vault) PropertyTypes(ctx context.Context) PropertyTypes {
	return readTypes(v.readConfig(ctx, typesFile).decode)
}

// bookmarks reads the bookmarks of the core plugin.
func (v *Vault) bookmarks(ctx context.Context) []byte {
	return v.readConfig(ctx, bookmarksFile).texts[bookmarksFile]
}

const bookmarksFile = "bookmarks.json"

// Layout reads how the vault is set up. Missing or unreadable settings get Obsidian's defaults.
func (v *Vault) Layout(ctx context.Context) Layout {
	files := v.readConfig(ctx, append(periodic.Files(), templatesFile, templaterFile, uniqueFile, typesFile)...)
	layout := Layout{
		Settings:    readSettings(files.decode),
		Periods:     periodic.Read(files.decode, v.given.Locale, v.given.Periods),
		Types:       readTypes(files.decode),
		Attachments: v.attachments(files.decode),
	}
	files.decode(pluginsFile, &layout.Plugins)
	slices.Sort(layout.Plugins)
	layout.Templates = v.templates(files.decode, layout.Plugins)
	files.decode(templatesFile, &layout.Dates)
	layout.Unique = uniqueNotes(files.decode)
	layout.Unreadable = files.unreadable()
	return layout
}

// TemplateFolders returns the folders that hold templates.
func (v *Vault) TemplateFolders(ctx context.Context) []vpath.Path {
	files := v.readConfig(ctx, pluginsFile, templatesFile, templaterFile)
	var plugins []string
	files.decode(pluginsFile, &plugins)
	var folders []vpath.Path
	for _, set := range v.templates(files.decode, plugins) {
		folders = append(folders, set.Folder)
	}
	return folders
}

const (
	typesFile     = "types.json"
	templatesFile = "templates.json"
	templaterFile = "plugins/templater-obsidian/data.json"
	uniqueFile    = "zk-prefixer.json"
)

func readTypes(decode periodic.Decoder) PropertyTypes {
	var file struct{ Types map[string]front.Type }
	decode(typesFile, &file)
	types := PropertyTypes{}
	for name, kind := range file.Types {
		types[vpath.FoldKey(name)] = kind
	}
	return types
}

// AttachmentFolder returns the folder for new attachments of a note; "" stands for a note in the root.
func (v *Vault) AttachmentFolder(ctx context.Context, note vpath.Path) vpath.Path {
	folder := v.attachments(v.readConfig(ctx, appFile).decode).Folder
	below, isRelative := strings.CutPrefix(folder, "./")
	path, err := vpath.Parse(below)
	switch {
	case isRelative && err != nil:
		return note.Dir()
	case isRelative:
		return note.Dir().Join(path)
	case err != nil:
		return "" // the root, or not a usable path
	}
	return path
}

func (v *Vault) attachments(decode periodic.Decoder) Attachments {
	if v.given.Attachments != nil {
		return Attachments{*v.given.Attachments, periodic.ConfigFile}
	}
	var app struct{ AttachmentFolderPath string }
	decode(appFile, &app)
	if app.AttachmentFolderPath == "" {
		return Attachments{"", periodic.Default}
	}
	folder := periodic.Tidy(app.AttachmentFolderPath)
	if strings.HasPrefix(strings.TrimSpace(app.AttachmentFolderPath), ".") {
		folder = "./" + folder
	}
	return Attachments{folder, obsidian}
}

// configFiles are files of Obsidian's settings.
type configFiles struct {
	texts map[string][]byte
	bad   map[string]bool
}

// readConfig reads files of Obsidian's settings, all at the same time: in a database each takes a round trip.
func (v *Vault) readConfig(ctx context.Context, names ...string) *configFiles {
	files := &configFiles{texts: map[string][]byte{}, bad: map[string]bool{}}
	var mu sync.Mutex // guards files
	var reading sync.WaitGroup
	for _, name := range names {
		reading.Go(func() {
			file, err := v.store.Config(ctx, name)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				files.texts[name] = file.Data
			} else if !errors.Is(err, fault.NotFound) {
				files.bad[name] = true
			}
		})
	}
	reading.Wait()
	return files
}

// decode decodes a file. Values of the wrong type are left out.
func (f *configFiles) decode(name string, into any) {
	text, ok := f.texts[name]
	if ok && json.Unmarshal(text, into) != nil {
		f.bad[name] = true
	}
}

// unreadable lists the files that could not be read or decoded.
func (f *configFiles) unreadable() []string {
	var names []string
	for name := range f.bad {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
