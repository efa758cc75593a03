package folder

import (
	"io/fs"
	"strconv"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

func infoOf(path vpath.Path, info fs.FileInfo) store.Info {
	created, _ := birthOf(info)
	return store.Info{Path: path, Size: info.Size(), Modified: info.ModTime(), Created: created, Mark: markOf(info)}
}

// markOf distinguishes states of a file without reading it: by size and modification time and, where the system has
// them, by inode and change time, which no program can set back.
func markOf(info fs.FileInfo) string {
	inode, touched := identity(info)
	return markFrom(info.Size(), info.ModTime().UnixNano(), inode, touched)
}

func markFrom(size, modified int64, inode uint64, touched int64) string {
	mark := make([]byte, 0, 64)
	mark = strconv.AppendInt(mark, size, 36)
	mark = strconv.AppendInt(append(mark, '.'), modified, 36)
	mark = strconv.AppendUint(append(mark, '.'), inode, 36)
	mark = strconv.AppendInt(append(mark, '.'), touched, 36)
	return string(mark)
}

func revOf(data []byte) store.Rev { return store.Rev(store.Hash(data)) }
