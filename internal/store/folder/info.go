package folder

import (
	"encoding/binary"
	"io/fs"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system"
)

func infoOf(path vpath.Path, info fs.FileInfo) store.Info {
	created, _ := birthOf(info)
	return store.Info{Path: path, Size: info.Size(), Modified: info.ModTime(), Created: created, Mark: markOf(info)}
}

// markOf distinguishes states of a file without reading it: by size and modification time and, where the system has
// them, by inode and change time, which no program can set back.
func markOf(info fs.FileInfo) string {
	inode, touched := system.Identity(info)
	return string(appendMark(nil, info.Size(), info.ModTime().UnixNano(), inode, touched))
}

func appendMark(mark []byte, size, modified int64, inode uint64, touched int64) []byte {
	for _, number := range [...]uint64{uint64(size), uint64(modified), inode, uint64(touched)} {
		mark = binary.LittleEndian.AppendUint64(mark, number)
	}
	return mark
}

func revOf(data []byte) store.Rev { return store.Rev(store.Hash(data)) }
