package format

import "strings"

// Kind says what a document of the database describes.
type Kind uint8

// The kinds of document.
const (
	Other         Kind = iota // not part of the vault
	Note                      // a file of the vault
	Chunk                     // a piece of a file
	Hidden                    // a file of a hidden folder, such as Obsidian's settings
	Customisation             // a setting that devices share through the plugin's own mechanism
	About                     // the database's version, or its sync info
)

// Prefixes of ids, and of the paths of special files.
const (
	chunkPrefix     = "h:"
	sealedPrefix    = "h:+" // a chunk whose data is encrypted
	hiddenPrefix    = "i:"
	obfuscated      = "f:"
	customPrefix    = "ix:"
	oldPluginPrefix = "ps:"
)

// Values of the field "type".
const (
	typeText    = "plain"
	typeBinary  = "newnote"
	typeLegacy  = "notes"
	typeChunk   = "leaf"
	typeVersion = "versioninfo"
)

// KindOf returns a document's kind, given its id and type. File documents of the oldest plugins have no type.
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
