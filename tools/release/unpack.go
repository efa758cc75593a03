package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/cavaliergopher/cpio"
)

// unpack returns the files in an archive or package, without folders unless they are empty; none if a file is neither.
func unpack(name string, content []byte) ([]file, error) {
	switch {
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return untar(content)
	case strings.HasSuffix(name, ".zip"), strings.HasSuffix(name, ".mcpb"):
		return unzip(content)
	case strings.HasSuffix(name, ".deb"):
		return undeb(content)
	case strings.HasSuffix(name, ".rpm"):
		return unrpm(content)
	}
	return nil, nil
}

func untar(content []byte) (files []file, err error) {
	packed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	in := tar.NewReader(packed)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return withoutParents(files), nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		files = append(files, file{strings.TrimSuffix(header.Name, "/"), header.FileInfo().Mode(), content})
	}
}

// withoutParents leaves out the folders that contain something.
func withoutParents(files []file) (kept []file) {
	parents := map[string]bool{}
	for _, folder := range folders(files) {
		parents[folder] = true
	}
	for _, f := range files {
		if !f.mode.IsDir() || !parents[f.name] {
			kept = append(kept, f)
		}
	}
	return kept
}

func unzip(content []byte) (files []file, err error) {
	in, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	for _, entry := range in.File {
		opened, err := entry.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(opened)
		if err != nil {
			return nil, err
		}
		files = append(files, file{entry.Name, entry.Mode(), content})
	}
	return files, nil
}

// undeb returns the files that a package for Debian installs, without the leading "./".
func undeb(content []byte) ([]file, error) {
	rest, ok := bytes.CutPrefix(content, []byte("!<arch>\n"))
	if !ok {
		return nil, errors.New("not an ar archive")
	}
	const headerSize = 60
	for len(rest) >= headerSize {
		name := strings.TrimSpace(string(rest[:16]))
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size > len(rest)-headerSize {
			return nil, fmt.Errorf("the member %s is damaged", name)
		}
		if name == "data.tar.gz" {
			return untar(rest[headerSize : headerSize+size])
		}
		rest = rest[min(headerSize+size+size%2, len(rest)):]
	}
	return nil, errors.New("no data.tar.gz")
}

// unrpm returns the files that a package for Fedora installs. They are behind a lead of fixed size and two headers, of
// which the first is padded to a multiple of eight.
func unrpm(content []byte) (files []file, err error) {
	const leadSize = 96
	at := leadSize
	for header := range 2 {
		const introSize, entrySize = 16, 16
		if len(content) < at+introSize || !bytes.HasPrefix(content[at:], []byte{0x8e, 0xad, 0xe8, 1}) {
			return nil, errors.New("not an rpm")
		}
		entries, data := binary.BigEndian.Uint32(content[at+8:]), binary.BigEndian.Uint32(content[at+12:])
		at += introSize + int(entries)*entrySize + int(data)
		if header == 0 {
			at += (8 - at%8) % 8
		}
	}
	if at > len(content) {
		return nil, errors.New("the rpm is cut off")
	}
	packed, err := gzip.NewReader(bytes.NewReader(content[at:]))
	if err != nil {
		return nil, err
	}
	in := cpio.NewReader(packed)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		files = append(files, file{strings.TrimLeft(header.Name, "./"), fs.FileMode(header.Mode).Perm(), content})
	}
}
