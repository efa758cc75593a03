package main

import (
	"bytes"
	"fmt"

	"github.com/google/rpmpack"
)

var rpmProcessors = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// makeRPMs makes packages for Fedora, openSUSE and the like.
func (r *release) makeRPMs() error {
	for _, p := range r.of("linux") {
		files, err := r.linuxFiles(p, "usr/share/zsh/site-functions")
		if err != nil {
			return err
		}
		processor := rpmProcessors[p.processor]
		rpm, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
			Name: "obsidian-mcp", Epoch: rpmpack.NoEpoch, Version: r.packageVersion(), Release: "1", Arch: processor,
			Summary: summary, Description: description, Licence: "MIT", URL: r.repository.url(),
			Packager: r.repository.maintainer(), BuildTime: r.date, BuildHost: "localhost", Compressor: "gzip",
		})
		if err != nil {
			return err
		}
		for _, f := range sorted(files) {
			rpm.AddFile(rpmpack.RPMFile{
				Name: "/" + f.name, Body: f.content, Mode: uint(f.mode), Owner: "root", Group: "root", MTime: uint32(r.date.Unix()),
			})
		}
		var content bytes.Buffer
		if err := rpm.Write(&content); err != nil {
			return err
		}
		if err := r.write(fmt.Sprintf("obsidian-mcp-%s-1.%s.rpm", r.number, processor), p, content.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
