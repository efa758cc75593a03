// Command gowriters writes PDF documents with libraries for Go: gowriters FOLDER, started where the texts are.
package main

import (
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-pdf/fpdf"
	"github.com/signintech/gopdf"
)

const sans = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

var scripts = []string{
	"Καλημέρα κόσμε, πώς είστε σήμερα;", "Съешь же ещё этих мягких французских булок.", "Příliš žluťoučký kůň úpěl ďábelské ódy.",
}

func main() {
	article, err := os.ReadFile("article.txt")
	if err != nil {
		log.Fatal(err)
	}
	if err := writeFPDF(filepath.Join(os.Args[1], "fpdf.pdf"), string(article)); err != nil {
		log.Fatal(err)
	}
	if err := writeGoPDF(filepath.Join(os.Args[1], "gopdf.pdf"), string(article)); err != nil {
		log.Fatal(err)
	}
}

func writeFPDF(path, article string) error {
	font, err := os.ReadFile(sans)
	if err != nil {
		return err
	}
	document := fpdf.New("P", "mm", "A4", "")
	document.AddUTF8FontFromBytes("sans", "", font)
	document.AddPage()
	document.SetFont("Times", "", 12)
	document.MultiCell(170, 6, document.UnicodeTranslatorFromDescriptor("")(article), "", "J", false)
	for _, row := range [][]string{{"Harbour", "Ships", "Tons"}, {"Hamburg", "128", "4500"}} {
		for _, cell := range row {
			document.CellFormat(40, 7, cell, "1", 0, "L", false, 0, "")
		}
		document.Ln(-1)
	}
	document.AddPage()
	document.SetFont("sans", "", 12)
	document.MultiCell(170, 6, strings.Join(scripts, "\n"), "", "L", false)
	return document.OutputFileAndClose(path)
}

func writeGoPDF(path, article string) error {
	document := gopdf.GoPdf{}
	document.Start(gopdf.Config{PageSize: *gopdf.PageSizeA4})
	document.AddPage()
	if err := document.AddTTFFont("sans", sans); err != nil {
		return err
	}
	if err := document.SetFont("sans", "", 9); err != nil {
		return err
	}
	y := 40.0
	for _, line := range append(strings.Split(strings.TrimSpace(article), "\n"), scripts...) {
		document.SetXY(30, y)
		if err := document.Cell(nil, line); err != nil {
			return err
		}
		y += 16
	}
	return document.WritePdf(path)
}
