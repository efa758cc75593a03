package main

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// sizes are the sizes of a program's parts in bytes.
type sizes struct {
	stripped         int64            // the whole program, without the names of functions
	modules          map[string]int64 // by the path of the module
	standard, own    int64
	unattributed     int64
	tableOfFunctions int64 // part of the others, in proportion to their code
}

func (s sizes) ofModules() (sum int64) {
	for size := range maps.Values(s.modules) {
		sum += size
	}
	return sum
}

// wordTable is the table of words, which is part of the program as it is.
const wordTable = "internal/text/meaning/rows-256x74k.i4"

// measure adds up the symbols of each module: its functions with their part of the table of functions, its data and types.
func measure(program string) (sizes, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return sizes{}, err
	}
	file, err := elf.Open(program)
	if err != nil {
		return sizes{}, err
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		return sizes{}, errors.Join(errors.New("build the program with SYMBOLS=1 tools/compile"), err)
	}
	s := sizes{modules: map[string]int64{}}
	var paths []string
	for _, dependency := range info.Deps {
		paths = append(paths, dependency.Path)
		s.modules[dependency.Path] = 0
	}
	var code int64
	for _, section := range file.Sections {
		if section.Type == elf.SHT_NOBITS || section.Name == ".symtab" || section.Name == ".strtab" {
			continue
		}
		s.stripped += int64(section.FileSize)
		if section.Name == ".gopclntab" {
			s.tableOfFunctions = int64(section.FileSize)
		}
		if section.Name == ".text" {
			code = int64(section.Size)
		}
	}
	for _, symbol := range symbols {
		index := int(symbol.Section)
		if index >= len(file.Sections) || file.Sections[index].Type == elf.SHT_NOBITS {
			continue
		}
		size := int64(symbol.Size)
		if file.Sections[index].Name == ".text" {
			size += size * s.tableOfFunctions / code
		}
		switch owner := ownerOf(symbol.Name, paths); owner {
		case "":
			s.unattributed += size
		case "std":
			s.standard += size
		case "obsidian-mcp":
			s.own += size
		default:
			s.modules[owner] += size
		}
	}
	return s, nil
}

var (
	typeOrTable = regexp.MustCompile(`^(type:|go:itab\.|go:)(\.eq\.|\.hash\.)?\**`)
	packagePath = regexp.MustCompile(`^[A-Za-z0-9_.~%/-]+`)
)

// ownerOf returns the module of a symbol, "obsidian-mcp", "std", or "" if its name does not say.
func ownerOf(name string, modules []string) string {
	name = typeOrTable.ReplaceAllString(name, "")
	path := packagePath.FindString(strings.TrimLeft(name, "*[]("))
	path = strings.ReplaceAll(path, "%2e", ".")
	if strings.HasPrefix(path, "obsidian-mcp/") {
		return "obsidian-mcp"
	}
	best := ""
	for _, module := range modules {
		rest, ok := strings.CutPrefix(path, module)
		if ok && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, ".")) && len(module) > len(best) {
			best = module
		}
	}
	switch first, _, _ := strings.Cut(path, "/"); {
	case best != "":
		return best
	case path != "" && !strings.Contains(first, ".") || strings.Contains(path, ".") && !strings.Contains(path, "/"):
		return "std"
	}
	return ""
}

func sortedBySize(modules map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(modules), func(a, b string) int {
		rounded := func(module string) int64 { return (modules[module] + rounding/2) / rounding }
		return cmp.Or(cmp.Compare(rounded(b), rounded(a)), strings.Compare(a, b))
	})
}
