package format

import "strings"

// Kind is what a document of the database is about.
type Kind uint8

// The kinds of document.
const (
	Other         Kind = iota // nothing of ours: skip it
	Note                      // a file of the vault
	Chunk                     // a piece of a file
	Hidden                    // a file of a hidden folder, such as Obsidian's settings
	Customisation             // a setting that devices share in the plugin's own way
	About                     // the database's version, or its sync info
)

// prefixes of ids, and of the paths of what is no ordinary file.
const (
	chunkPrefix     = "h:"
	sealedPrefix    = "h:+" // a chunk whose data is encrypted
	hiddenPrefix    = "i:"
	obfuscated      = "f:"
	customPrefix    = "ix:"
	oldPluginPrefix = "ps:"
)

// types of documents.
const (
	typeText    = "plain"
	typeBinary  = "newnote"
	typeLegacy  = "notes"
	typeChunk   = "leaf"
	typeVersion = "versioninfo"
)

// KindOf tells a document's kind by its id and type. A file's document of the
// oldest plugins has no type.
func KindOf(id, docType string) Kind {
	switch {
	case id == "" || strings.HasPrefix(id, "_"):
		return Other
	case id == VersionID, id == syncInfoID:
		return About
	case docType == typeChunk, strings.HasPrefix(id, chunkPrefix):
		return Chunk
	case docType != typeText && docType != typeBinary && docType != typeLegacy && docType != "":
		return Other
	case strings.HasPrefix(id, hiddenPrefix):
		return Hidden
	case strings.HasPrefix(id, customPrefix), strings.HasPrefix(id, oldPluginPrefix):
		return Customisation
	}
	return Note
}
