//go:build ignore

// Command generate writes zones.gz from the time zones that come with the compiler.
package main

import (
	"archive/zip"
	"compress/gzip"
	"encoding/binary"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	check(err)
	in, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	check(err)
	out, err := os.Create("zones.gz")
	check(err)
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	check(err)
	for _, entry := range in.File {
		if strings.HasSuffix(entry.Name, "/") {
			continue
		}
		opened, err := entry.Open()
		check(err)
		data, err := io.ReadAll(opened)
		check(err)
		header := binary.BigEndian.AppendUint16([]byte{byte(len(entry.Name))}, uint16(len(data)))
		for _, part := range [][]byte{header, []byte(entry.Name), data} {
			_, err = packed.Write(part)
			check(err)
		}
	}
	check(packed.Close())
	check(out.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
