package index

import (
	"maps"
	"time"

	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/bases"
	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/query/value"
)

// BaseSettings are the settings by which bases read properties.
type BaseSettings struct {
	Zone  *time.Location
	Types map[vpath.Key]front.Type
}

func (b BaseSettings) equal(other BaseSettings) bool {
	return b.Zone.String() == other.Zone.String() && maps.Equal(b.Types, other.Types)
}

// Bases returns the files of the vault as bases see them. They are read once; after a change, only the changed files are.
func (s *Snapshot) Bases(settings BaseSettings) *bases.Vault {
	pages := s.Pages(settings.Zone)
	return s.bases.get(s, settings, derivation[BaseSettings, *bases.Vault]{
		same: BaseSettings.equal,
		all: func() *bases.Vault {
			var files []*bases.File
			pool := value.NewPool()
			s.Files(func(path vpath.Path) bool {
				files = append(files, s.baseFile(path, pages, settings, pool))
				return true
			})
			return baseVault(files, pages)
		},
		update: func(vault *bases.Vault, changed map[vpath.Path]bool) *bases.Vault {
			var files []*bases.File
			for _, file := range vault.Files() {
				if !changed[vpath.Path(file.Path)] {
					files = append(files, file)
				}
			}
			for path := range changed {
				if s.Has(path) {
					files = append(files, s.baseFile(path, pages, settings, nil))
				}
			}
			return baseVault(files, pages)
		},
		through: func(whole *Snapshot) *bases.Vault {
			var files []*bases.File
			for _, file := range whole.Bases(settings).Files() {
				if s.Has(vpath.Path(file.Path)) {
					files = append(files, file)
				}
			}
			return baseVault(files, pages)
		},
	})
}

// baseVault makes a vault of files whose links lead where those of some pages do.
func baseVault(files []*bases.File, pages *dataview.Set) *bases.Vault {
	byPath := make(map[string]*bases.File, len(files))
	for _, file := range files {
		byPath[file.Path] = file
	}
	vault := &bases.Vault{
		Resolve: pages.Resolve, Backlinks: pages.LinkingTo,
		ByPath: func(path string) *bases.File { return byPath[path] },
	}
	vault.SetFiles(files)
	return vault
}

func (s *Snapshot) baseFile(path vpath.Path, pages *dataview.Set, settings BaseSettings, pool *value.Pool) *bases.File {
	entry := s.Entry(path)
	file := &bases.File{Path: string(path), Size: entry.Size, Created: entry.Created, Modified: entry.Modified}
	page := pages.Page(string(path))
	if page == nil {
		return file
	}
	file.Tags, file.Links = page.Tags(), page.Links()
	for _, link := range file.Links {
		if link.Embed {
			file.Embeds = append(file.Embeds, link)
		}
	}
	file.Properties = bases.Properties(entry.fields(), func(name string) front.Type { return settings.Types[vpath.FoldKey(name)] }, settings.Zone, pool)
	return file
}
