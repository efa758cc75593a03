package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"strings"
	"time"
)

// makeDebs makes packages for Debian and what comes from it. A package is an archive of three members, which ar(5)
// describes: its format, its description and its files.
func (r *release) makeDebs() error {
	for _, p := range r.of("linux") {
		files, err := r.linuxFiles(p, "usr/share/zsh/vendor-completions")
		if err != nil {
			return err
		}
		files = append(files, file{"usr/share/doc/obsidian-mcp/copyright", 0o644, r.copyright()})
		control, err := tarGz(r.control(p, files), r.date)
		if err != nil {
			return err
		}
		data, err := tarGz(inside(".", files), r.date)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("obsidian-mcp_%s_%s.deb", r.number, p.processor) // Debian says amd64 and arm64, as Go does
		content := arArchive(r.date, []file{{"debian-binary", 0o644, []byte("2.0\n")}, {"control.tar.gz", 0o644, control}, {"data.tar.gz", 0o644, data}})
		if err := r.write(name, p, content); err != nil {
			return err
		}
	}
	return nil
}

// copyright is the file that Debian wants to have; the texts are beside it.
func (r *release) copyright() []byte {
	return fmt.Appendf(nil, `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Source: %s

Files: *
Copyright: see LICENSE, and LICENSES.txt for the modules that are part of the program
License: MIT
 See LICENSE, NOTICES.md and LICENSES.txt in this folder.
`, r.repository.url())
}

func (r *release) control(p platform, files []file) []file {
	var sums, text strings.Builder
	size := 0
	for _, f := range sorted(files) {
		size += len(f.content)
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.content), f.name)
	}
	fmt.Fprintf(&text, "Package: obsidian-mcp\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\n",
		r.packageVersion(), p.processor, r.repository.maintainer(), (size+1023)/1024)
	fmt.Fprintf(&text, "Section: text\nPriority: optional\nHomepage: %s\nDescription: %s\n %s\n",
		r.repository.url(), summary, strings.ReplaceAll(description, "\n", "\n "))
	return []file{{"control", 0o644, []byte(text.String())}, {"md5sums", 0o644, []byte(sums.String())}}
}

func arArchive(date time.Time, members []file) []byte {
	out := bytes.NewBufferString("!<arch>\n")
	for _, m := range members {
		fmt.Fprintf(out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", m.name, date.Unix(), 0, 0, 0o100000|m.mode, len(m.content))
		out.Write(m.content)
		if len(m.content)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}
