// Package cachefile stores computed data in a file that the next process maps into memory.
//
// A file is a list of sections, a directory with their checksums, and a footer with the version of the format and
// the file's owner. It is written under another name, synced, and renamed: a reader sees either the complete file
// or the previous one. Open checks the footer and the directory; Verify reads everything. Any irregularity is an
// error: the caller then computes the data again.
//
// A small file beside it records which file was written or verified last. As long as the system says that nobody has
// touched that file since, a process may start with it at once and verify it meanwhile.
//
// Several processes may use the same file. Each keeps using the file that it opened, even after another process has
// replaced it.
package cachefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"obsidian-mcp/internal/system"
)

// Version is the version of everything that the sections hold. It changes whenever an older program would misread
// them, or when they are computed by different rules.
const Version = 7

const (
	magic      = "OBSIDX\r\n"
	footerSize = len(magic) + 4 + 4 + 4 + 8 // magic, version, checksum, length and offset of the directory
)

// ErrForeign reports a file that is damaged, of another version, or of another owner.
var ErrForeign = errors.New("not a cache file of this vault and version")

// IsNewer reports whether a file was written by a newer version of the program, which goes on using it. All versions end
// with a footer of the same shape.
func IsNewer(name string) bool {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false // opening a pipe would block
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false
	}
	foot := make([]byte, footerSize)
	_, err = file.ReadAt(foot, info.Size()-int64(footerSize))
	return err == nil && string(foot[:len(magic)]) == magic && binary.LittleEndian.Uint32(foot[len(magic):]) > Version
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// File is an open cache file.
type File struct {
	Sections [][]byte // valid while the File is reachable
	sums     []uint32
	mapped   []byte // begins with the sections
	size     int64
	name     string
	state    string // of the file when it was opened; "" if the system does not tell states apart
}

// Size is the size of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Unload releases the memory of a section that is not needed soon. The section stays readable.
func (f *File) Unload(section int) {
	start := 0
	for _, before := range f.Sections[:section] {
		start += len(before)
	}
	system.Unload(f.mapped, start, start+len(f.Sections[section]))
	runtime.KeepAlive(f)
}

// Open maps a file of an owner into memory.
func Open(name, owner string) (*File, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, ErrForeign // opening a pipe would block
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < int64(footerSize) || int64(int(info.Size())) != info.Size() {
		return nil, ErrForeign
	}
	if info.Mode().Perm()&0o077 != 0 {
		_ = file.Chmod(0o600) // it holds the notes' text
	}
	data, free, err := system.MapFile(file, int(info.Size()))
	if err != nil {
		return nil, err
	}
	f, err := read(data, owner)
	if err != nil {
		free()
		return nil, err
	}
	runtime.AddCleanup(f, func(free func()) { free() }, free)
	f.name, f.state = name, stateOf(info)
	return f, nil
}

// read finds the sections of a file.
func read(data []byte, owner string) (*File, error) {
	foot := data[len(data)-footerSize:]
	if string(foot[:len(magic)]) != magic || binary.LittleEndian.Uint32(foot[len(magic):]) != Version {
		return nil, ErrForeign
	}
	sum, length := binary.LittleEndian.Uint32(foot[12:]), uint64(binary.LittleEndian.Uint32(foot[16:]))
	start := binary.LittleEndian.Uint64(foot[20:])
	if end := uint64(len(data) - footerSize); start > end || length != end-start {
		return nil, ErrForeign
	}
	directory := data[start : start+length]
	if crc32.Checksum(directory, castagnoli) != sum {
		return nil, ErrForeign
	}
	f := &File{size: int64(len(data)), mapped: data}
	if len(directory) < 4 {
		return nil, ErrForeign
	}
	count := int(binary.LittleEndian.Uint32(directory))
	if len(directory) < 4+12*count || string(directory[4+12*count:]) != owner {
		return nil, ErrForeign
	}
	if !f.sections(data[:start], directory[4:4+12*count]) {
		return nil, ErrForeign
	}
	return f, nil
}

// sections locates the sections listed in the directory and reports whether all of them fit into data.
func (f *File) sections(data, directory []byte) bool {
	at := uint64(0)
	for record := range slices.Chunk(directory, 12) {
		end := binary.LittleEndian.Uint64(record)
		if end < at || end > uint64(len(data)) {
			return false
		}
		f.Sections = append(f.Sections, data[at:end:end])
		f.sums = append(f.sums, binary.LittleEndian.Uint32(record[8:]))
		at = end
	}
	return true
}

// Verify reads the whole file and compares it with its checksums. The result is recorded for WasVerified.
func (f *File) Verify() error {
	defer runtime.KeepAlive(f)
	for i, section := range f.Sections {
		if crc32.Checksum(section, castagnoli) != f.sums[i] {
			os.Remove(recordOf(f.name))
			return ErrForeign
		}
	}
	if !f.WasVerified() {
		record(f.name, f.state)
	}
	return nil
}

// WasVerified reports whether the file was written or verified earlier, and nobody has touched it since.
func (f *File) WasVerified() bool {
	if f.state == "" {
		return false
	}
	recorded, err := os.ReadFile(recordOf(f.name))
	return err == nil && string(recorded) == f.state
}

// recordOf names the file that records the state of a verified file.
func recordOf(name string) string { return name + ".verified" }

// record notes that a file in this state is what was written. Without the record, the next process verifies the file.
func record(name, state string) {
	if state != "" {
		_ = os.WriteFile(recordOf(name), []byte(state), 0o600)
	}
}

// stateOf tells the states of a file apart.
func stateOf(info os.FileInfo) string {
	inode, changed := system.Identity(info)
	if changed == 0 {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d", inode, info.Size(), info.ModTime().UnixNano(), changed)
}

// Writer makes a cache file.
type Writer struct {
	name, owner string
	file        *os.File
	end         uint64
	directory   []byte
	count       uint32
}

// Create starts a file. It appears under its name only when it is published.
func Create(name, owner string) (*Writer, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp") // mode 0600
	if err != nil {
		return nil, err
	}
	return &Writer{name: name, owner: owner, file: file}, nil
}

// Add appends a section, which may come in parts.
func (w *Writer) Add(parts ...[]byte) error {
	sum := uint32(0)
	for _, part := range parts {
		if _, err := w.file.Write(part); err != nil {
			return err
		}
		w.end += uint64(len(part))
		sum = crc32.Update(sum, castagnoli, part)
	}
	w.count++
	w.directory = binary.LittleEndian.AppendUint64(w.directory, w.end)
	w.directory = binary.LittleEndian.AppendUint32(w.directory, sum)
	return nil
}

// Added maps the sections added so far.
func (w *Writer) Added() (*File, error) {
	f := &File{size: int64(w.end)}
	if w.end == 0 {
		f.Sections = make([][]byte, w.count)
		return f, nil
	}
	if uint64(int(w.end)) != w.end {
		return nil, errors.New("the index is larger than this system can map")
	}
	data, free, err := system.MapFile(w.file, int(w.end))
	if err != nil {
		return nil, err
	}
	runtime.AddCleanup(f, func(free func()) { free() }, free)
	f.mapped = data
	f.sections(data, w.directory)
	return f, nil
}

// Commit finishes the file and opens it. Publish then puts it in its place.
func (w *Writer) Commit() (*File, error) {
	directory := binary.LittleEndian.AppendUint32(nil, w.count)
	directory = append(append(directory, w.directory...), w.owner...)
	foot := binary.LittleEndian.AppendUint32([]byte(magic), Version)
	foot = binary.LittleEndian.AppendUint32(foot, crc32.Checksum(directory, castagnoli))
	foot = binary.LittleEndian.AppendUint32(foot, uint32(len(directory)))
	foot = binary.LittleEndian.AppendUint64(foot, w.end)
	if _, err := w.file.Write(append(directory, foot...)); err != nil {
		w.Abort()
		return nil, err
	}
	file, err := Open(w.file.Name(), w.owner)
	if err != nil {
		w.Abort()
	}
	return file, err
}

// Publish puts a finished file in its place, after syncing it to disk, which may take a while.
func (w *Writer) Publish() error {
	written, err := w.file.Stat()
	if err = errors.Join(err, w.file.Sync(), w.file.Close()); err == nil {
		err = system.Rename(w.file.Name(), w.name)
	}
	if err != nil {
		os.Remove(w.file.Name())
		return err
	}
	if now, err := os.Lstat(w.name); err == nil && os.SameFile(now, written) {
		record(w.name, stateOf(now))
	}
	return nil
}

// Abort removes the unpublished file. A File that Commit returned stays usable.
func (w *Writer) Abort() {
	w.file.Close()
	os.Remove(w.file.Name())
}

// Sweep removes the stale temporary files that killed processes left behind.
func Sweep(name string, stale func(os.FileInfo) bool) {
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(name), filepath.Base(name)+".*.tmp"))
	for _, temporary := range left {
		if info, err := os.Lstat(temporary); err == nil && info.Mode().IsRegular() && stale(info) {
			os.Remove(temporary)
		}
	}
}
