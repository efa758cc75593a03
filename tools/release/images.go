package main

import (
	"fmt"
	"path/filepath"
)

// makeImages packs the root of the container image, built with the Dockerfile's commands but without a container engine.
// A registry gets the image that an engine builds from the same Dockerfile.
func (r *release) makeImages() error {
	for _, p := range r.of("linux") {
		root := filepath.Join(r.work, "image_"+p.processor)
		environment := append(r.stamp(p), "TARGETOS="+p.system, "TARGETARCH="+p.processor, "GOOS=", "GOARCH=")
		if err := run(environment, "tools/image", "build", root); err != nil {
			return err
		}
		files, err := readFolder(root)
		if err != nil {
			return err
		}
		content, err := tarGz(withoutParents(files), r.date)
		if err != nil {
			return err
		}
		if err := r.write(fmt.Sprintf("obsidian-mcp_%s_image_%s.tar.gz", r.number, p.processor), p, content); err != nil {
			return err
		}
	}
	return nil
}
