package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a file in an archive, or a folder.
type file struct {
	name    string // with slashes
	mode    fs.FileMode
	content []byte
}

// inside puts files into a folder.
func inside(folder string, files []file) []file {
	moved := slices.Clone(files)
	for i := range moved {
		moved[i].name = path.Join(folder, moved[i].name)
	}
	return moved
}

func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
}

// folders returns the folders of files, each before those in it.
func folders(files []file) (names []string) {
	for _, f := range files {
		for folder := path.Dir(f.name); folder != "." && folder != "/"; folder = path.Dir(folder) {
			names = append(names, folder)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// tarGz packs files in the order of their names. Its header holds neither a time nor an owner of this machine.
func tarGz(files []file, date time.Time) ([]byte, error) {
	var buffer bytes.Buffer
	packed := gzip.NewWriter(&buffer)
	out := tar.NewWriter(packed)
	for _, folder := range folders(files) {
		files = append(files, file{folder, fs.ModeDir | 0o755, nil})
	}
	for _, f := range sorted(files) {
		header := tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.content)), ModTime: date, Format: tar.FormatUSTAR}
		if f.mode.IsDir() {
			header.Typeflag, header.Name = tar.TypeDir, f.name+"/"
		}
		if f.mode&fs.ModeSticky != 0 {
			header.Mode |= 0o1000
		}
		if err := out.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := out.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	err := packed.Close()
	return buffer.Bytes(), err
}

// zipped packs files in the order of their names.
func zipped(files []file, date time.Time) ([]byte, error) {
	var buffer bytes.Buffer
	out := zip.NewWriter(&buffer)
	for _, f := range sorted(files) {
		header := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(f.mode)
		entry, err := out.CreateHeader(&header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := out.Close()
	return buffer.Bytes(), err
}

// compressed returns a file as gzip packs it.
func compressed(content []byte) ([]byte, error) {
	var buffer bytes.Buffer
	packed := gzip.NewWriter(&buffer)
	if _, err := packed.Write(content); err != nil {
		return nil, err
	}
	err := packed.Close()
	return buffer.Bytes(), err
}
