package main

import (
	"bytes"
	"encoding/binary"
)

// forwarder returns a 64-bit Windows library without code that forwards one exported function to another library, such as
// "ADVAPI32.SystemFunction036".
//
// Older releases of wine lack bcryptprimitives.dll, whose only function Go's runtime calls before anything else.
func forwarder(library, function, target string) []byte {
	const (
		alignment  = 0x200  // of the file
		page       = 0x1000 // of the memory
		headerSize = 0x200
		sectionAt  = page // where the only section is loaded
	)
	exports, texts := new(bytes.Buffer), new(bytes.Buffer)
	const tables = 40 + 4 + 4 + 2 // the directory, and tables with one function, one name and one ordinal
	text := func(s string) uint32 {
		at := sectionAt + tables + texts.Len()
		texts.WriteString(s + "\x00")
		return uint32(at)
	}
	libraryAt, functionAt, targetAt := text(library), text(function), text(target)
	put(exports, struct {
		Characteristics, Time                uint32
		Major, Minor                         uint16
		Name, Base, Functions, Names         uint32
		FunctionTable, NameTable, OrdinalsAt uint32
	}{Name: libraryAt, Base: 1, Functions: 1, Names: 1, FunctionTable: sectionAt + 40, NameTable: sectionAt + 44, OrdinalsAt: sectionAt + 48})
	put(exports, targetAt) // an address inside of the export section means a forwarder
	put(exports, functionAt)
	put(exports, uint16(0))
	exports.Write(texts.Bytes())

	file := new(bytes.Buffer)
	dos := make([]byte, 64)
	copy(dos, "MZ")
	binary.LittleEndian.PutUint32(dos[60:], 64) // where the PE header is
	file.Write(dos)
	file.WriteString("PE\x00\x00")
	put(file, struct {
		Machine, Sections              uint16
		Time, Symbols, SymbolCount     uint32
		OptionalSize, Characteristics_ uint16
	}{Machine: 0x8664, Sections: 1, OptionalSize: 240, Characteristics_: 0x2022}) // executable, large addresses, DLL
	put(file, struct {
		Magic                                              uint16
		LinkerMajor, LinkerMinor                           uint8
		Code, Data, Zeroed, Entry, CodeAt                  uint32
		Base                                               uint64
		MemoryAlignment, FileAlignment                     uint32
		SystemMajor, SystemMinor, Major, Minor             uint16
		SubsystemMajor, SubsystemMinor                     uint16
		Reserved, MemorySize, HeaderSize, Checksum         uint32
		Subsystem, Traits                                  uint16
		StackReserve, StackCommit, HeapReserve, HeapCommit uint64
		LoaderFlags, Directories, ExportsAt, ExportsSize   uint32
		OtherDirectories                                   [15]uint64
	}{
		Magic: 0x20b, Base: 0x180000000, MemoryAlignment: page, FileAlignment: alignment, SystemMajor: 6, SubsystemMajor: 6,
		MemorySize: 2 * page, HeaderSize: headerSize, Subsystem: 2, Traits: 0x0100, Directories: 16,
		ExportsAt: sectionAt, ExportsSize: uint32(exports.Len()),
	})
	put(file, struct {
		Name                                       [8]byte
		Size, At, FileSize, FileAt, Moved, LinesAt uint32
		MovedCount, LineCount                      uint16
		Characteristics                            uint32
	}{
		Name: [8]byte{'.', 'e', 'd', 'a', 't', 'a'}, Size: uint32(exports.Len()), At: sectionAt, FileSize: alignment, FileAt: headerSize,
		Characteristics: 0x40000040, // readable data
	})
	file.Write(make([]byte, headerSize-file.Len()))
	file.Write(exports.Bytes())
	file.Write(make([]byte, headerSize+alignment-file.Len()))
	return file.Bytes()
}

func put(to *bytes.Buffer, value any) {
	_ = binary.Write(to, binary.LittleEndian, value) // a buffer and values of fixed size never fail
}
