// Heavy prints, for each folder named as an argument, a pattern of the tests that have a heavier form: those that mention
// internal/testkit/mode, themselves or through what they call. The others do the same in every run.
//
// It reads sources without their types and goes by names, so it rather names a test too many.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	module  = "obsidian-mcp/"
	testkit = "internal/testkit"
	asked   = testkit + "/mode"
)

// name is a function, method or variable of a folder. Methods of all types share their names.
type name struct{ folder, name string }

// source is what the module's functions, methods and variables mention, and its tests by folder.
type source struct {
	mentions map[name][]name
	tests    map[string][]string
}

func main() {
	s := source{mentions: map[name][]name{}, tests: map[string][]string{}}
	err := filepath.WalkDir("internal", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || !strings.HasPrefix(path, testkit) && !strings.HasSuffix(path, "_test.go") {
			return err
		}
		return s.read(path)
	})
	if err == nil {
		err = s.print(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "heavy:", err)
		os.Exit(1)
	}
}

// read notes what the declarations of a file mention.
func (s *source) read(path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder := filepath.ToSlash(filepath.Dir(path))
	imports := map[string]string{}
	for _, spec := range file.Imports {
		of, inside := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
		if !inside {
			continue
		}
		as := of[strings.LastIndexByte(of, '/')+1:]
		if spec.Name != nil {
			as = spec.Name.Name
		}
		imports[as] = of
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			s.note(name{folder, d.Name.Name}, d, imports)
			if d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test") && d.Name.Name != "TestMain" {
				s.tests[folder] = append(s.tests[folder], d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if value, ok := spec.(*ast.ValueSpec); ok {
					for _, variable := range value.Names {
						s.note(name{folder, variable.Name}, value, imports)
					}
				}
			}
		}
	}
	return nil
}

// note notes what a declaration mentions. A method of an unknown type may be one of this folder or of the test kit.
func (s *source) note(of name, in ast.Node, imports map[string]string) {
	local := localNames(in)
	ast.Inspect(in, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.KeyValueExpr: // the key is a field
			if _, isName := n.Key.(*ast.Ident); isName {
				local[n.Key] = true
			}
		case *ast.Ident:
			if !local[n] && !local[n.Name] {
				s.mentions[of] = append(s.mentions[of], name{of.folder, n.Name})
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] != "" {
				s.mentions[of] = append(s.mentions[of], name{imports[x.Name], n.Sel.Name})
				return false
			}
			s.mentions[of] = append(s.mentions[of], name{testkit, n.Sel.Name})
		}
		return true
	})
	if strings.HasPrefix(of.folder, testkit+"/") { // as a method, from anywhere
		s.mentions[name{testkit, of.name}] = append(s.mentions[name{testkit, of.name}], of)
	}
}

// localNames are the names that a declaration declares inside: parameters and variables.
func localNames(in ast.Node) map[any]bool {
	local := map[any]bool{}
	ast.Inspect(in, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.Field:
			for _, declared := range n.Names {
				local[declared.Name] = true
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if declared, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
					local[declared.Name] = true
				}
			}
		case *ast.RangeStmt:
			for _, left := range []ast.Expr{n.Key, n.Value} {
				if declared, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
					local[declared.Name] = true
				}
			}
		}
		return true
	})
	return local
}

// print prints the patterns of some folders.
func (s *source) print(folders []string) error {
	heavy := map[name]bool{{asked, "Full"}: true, {asked, "Long"}: true, {asked, "Pick"}: true}
	for changed := true; changed; {
		changed = false
		for of, mentioned := range s.mentions {
			for _, other := range mentioned {
				if heavy[other] && !heavy[of] {
					heavy[of], changed = true, true
				}
			}
		}
	}
	for _, folder := range folders {
		var tests []string
		path := filepath.ToSlash(filepath.Clean(folder))
		for _, test := range s.tests[path] {
			if heavy[name{path, test}] {
				tests = append(tests, test)
			}
		}
		if len(tests) == 0 {
			return fmt.Errorf("%s has no heavy test", folder)
		}
		fmt.Println(folder, "^("+strings.Join(tests, "|")+")$")
	}
	return nil
}
