package config

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Each row of the table has what its fields promise, and contradicts neither itself nor another row.
func TestEveryRowIsComplete(t *testing.T) {
	owner := map[string]string{}
	for _, s := range Settings() {
		for _, name := range append([]string{s.Name, s.Flag(), s.fileKey()}, s.names()...) {
			if other, twice := owner[name]; twice && other != s.Name {
				t.Errorf("%s and %s are both called %s", other, s.Name, name)
			}
			owner[name] = s.Name
		}
		isPath := s.Kind == KindFolder || s.Kind == KindFile
		for rule, broken := range map[string]bool{
			"its name is not lower case with underscores": !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(s.Name),
			"it has no variable":                          len(s.Variables) == 0,
			"its help line is empty":                      s.About == "",
			"its help line does not fit one table row":    strings.Contains(s.About, "\n"),
			"a path has `path`, everything else `set`":    isPath != (s.path != nil) || isPath == (s.set != nil),
			"only a path can be switched off":             s.mayBeOff && !isPath,
			"a bare flag needs a bool":                    s.Switch && s.Kind != KindBool,
			"it has two ways to find its default":         s.deferred && s.computed != nil,
			"a deferred default is not described":         s.deferred && s.Default == "",
			"a secret must not have a default":            s.Secret && s.Default != "",
			"a fixed set of values needs plain text":      len(s.Valid) > 0 && s.Kind != KindText,
			"it is about a vault, and for HTTP only":      s.Vault != NoVaultRole && s.HTTPOnly,
			"a path of this program is never generic":     s.Generic && isPath,
		} {
			if broken {
				t.Errorf("%s: %s", s.Name, rule)
			}
		}
	}
}

// TestEveryDefaultIsValid applies each default that is a value and not a description.
func TestEveryDefaultIsValid(t *testing.T) {
	for _, s := range Settings() {
		if s.deferred || s.path != nil && s.computed != nil {
			continue
		}
		if err := s.apply(&Config{}, s.Default, s.Name); err != nil {
			t.Errorf("%s: the default is refused: %v", s.Name, err)
		}
	}
}

func TestRowsAcceptValuesOfTheirKind(t *testing.T) {
	for _, s := range Settings() {
		accepts := func(value string) bool { return s.apply(&Config{}, value, s.Name) == nil }
		isBool := s.Kind == KindBool || s.Kind == KindBoolOrAuto
		if isBool != (accepts("true") && accepts("off") && !accepts("perhaps")) {
			t.Errorf("%s: its kind does not match the values it accepts", s.Name)
		}
		if s.Kind == KindBoolOrAuto != (isBool && accepts("auto")) {
			t.Errorf("%s: its kind does not say whether it accepts 'auto'", s.Name)
		}
	}
}

// A value of each row reaches Config, and no other row changes the same field.
func TestEveryRowSetsAFieldOfItsOwn(t *testing.T) {
	changed := map[string]string{}
	show := func(c Config) string {
		if c.LiveSync.Obfuscated != nil {
			c.Style = fmt.Sprint("obfuscated ", *c.LiveSync.Obfuscated)
			c.LiveSync.Obfuscated = nil
		}
		return fmt.Sprintf("%+v %q %q %q", c, c.HTTP.Token.Reveal(), c.LiveSync.Password.Reveal(), c.LiveSync.Passphrase.Reveal())
	}
	for _, s := range Settings() {
		var c Config
		for _, value := range append([]string{"true", "7", "7s", "https://example.com", "Asia/Kathmandu"}, s.Valid...) {
			if s.apply(&c, value, s.Name) == nil {
				break
			}
		}
		if show(c) == show(Config{}) {
			t.Errorf("%s changes nothing", s.Name)
		}
		if other, twice := changed[show(c)]; twice {
			t.Errorf("%s and %s set the same field", s.Name, other)
		}
		changed[show(c)] = s.Name
	}
}

func TestMessagesOmitSecrets(t *testing.T) {
	for _, s := range Settings() {
		if !s.Secret && !s.hidden {
			continue
		}
		var c Config
		if err := s.apply(&c, "ftp://hunter2:\x00", s.Name); err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", s.Name, err)
		}
		if s.Secret && strings.Contains(fmt.Sprintf("%+v %#v", c, c), "hunter2") {
			t.Errorf("%s is printed", s.Name)
		}
	}
}

// Outside this package, no list, switch or comparison picks settings by name. What is special about a setting belongs in
// its row.
func TestNothingElseListsSettings(t *testing.T) {
	files := 0
	for _, root := range []string{"../../internal", "../../cmd"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "config"):
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files++
			for _, found := range settingNames(t, path, nil) {
				t.Error(found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files were read", files)
	}
}

// TestListsOfSettingsAreNoticed shows what TestNothingElseListsSettings finds.
func TestListsOfSettingsAreNoticed(t *testing.T) {
	for code, want := range map[string]int{
		`var x = []string{"state_dir", "cache_dir"}`:                       2,
		`var x = map[string]bool{"read_only": true}`:                       1,
		`func f() { switch x { case "use_path_obfuscation": } }`:           1,
		`func f() bool { return setting.Name == "host" }`:                  1,
		`func f() bool { return given.Setting.Name != "token" }`:           1,
		`func f() { settings.Blame("oauth_issuer", err) }`:                 0,
		`var x = map[string]string{"vault": "a word with other meanings"}`: 0,
	} {
		if got := settingNames(t, "x.go", "package x\n"+code); len(got) != want {
			t.Errorf("%s: %q, want %d", code, got, want)
		}
	}
}

// settingNames finds the names of settings in lists, cases and comparisons of a file. A name of one
// word may mean something else, so it counts only beside a setting's Name.
func settingNames(t *testing.T, path string, source any) (found []string) {
	t.Helper()
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	check := func(node ast.Expr, anyName bool) {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return
		}
		name, _ := strconv.Unquote(literal.Value)
		isSetting := slices.ContainsFunc(Settings(), func(s Setting) bool { return s.Name == name })
		if isSetting && (anyName || strings.Contains(name, "_")) {
			found = append(found, fmt.Sprintf("%s: %q is picked by its name; make it a field of the row", positions.Position(literal.Pos()), name))
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CompositeLit:
			for _, element := range node.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					element = pair.Key
				}
				check(element, false)
			}
		case *ast.CaseClause:
			for _, value := range node.List {
				check(value, false)
			}
		case *ast.BinaryExpr:
			check(node.X, isSettingName(node.Y))
			check(node.Y, isSettingName(node.X))
		}
		return true
	})
	return found
}

// isSettingName reports whether an expression is setting.Name or x.Setting.Name.
func isSettingName(node ast.Expr) bool {
	name, ok := node.(*ast.SelectorExpr)
	if !ok || name.Sel.Name != "Name" {
		return false
	}
	switch expr := name.X.(type) {
	case *ast.Ident:
		return expr.Name == "setting"
	case *ast.SelectorExpr:
		return expr.Sel.Name == "Setting"
	}
	return false
}
