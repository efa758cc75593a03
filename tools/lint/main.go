// Lint runs the analyzers of staticcheck as a tool of go vet, which knows the types of imported packages from their
// compiled form and remembers the findings of packages that have not changed. Staticcheck on its own reads the sources of
// everything that the module imports, which takes several times as long.
//
//	go vet -vettool=bin/lint ./...
package main

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

func main() {
	analyzers := []*analysis.Analyzer{unusedCode}
	for _, set := range [][]*lint.Analyzer{simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers} {
		for _, a := range set {
			if !a.Doc.NonDefault { // as staticcheck does without a configuration
				analyzers = append(analyzers, a.Analyzer)
			}
		}
	}
	unitchecker.Main(analyzers...)
}

// unusedCode reports what the analyzer of unused code finds in one package, together with its tests. Staticcheck reports it
// itself, after it has compared a package with and without its tests; go vet sees them only together.
var unusedCode = &analysis.Analyzer{
	Name:     "unused",
	Doc:      "report unused code",
	Requires: []*analysis.Analyzer{unused.Analyzer.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, object := range pass.ResultOf[unused.Analyzer.Analyzer].(unused.Result).Unused {
			pass.Reportf(startOf(pass, object), "%s %s is unused", object.Kind, object.Name)
		}
		return nil, nil
	},
}

// startOf is the beginning of the line of an unused object.
func startOf(pass *analysis.Pass, object unused.Object) token.Pos {
	for _, f := range pass.Files {
		if file := pass.Fset.File(f.Package); file.Name() == object.Position.Filename {
			return file.LineStart(object.Position.Line)
		}
	}
	return token.NoPos
}
