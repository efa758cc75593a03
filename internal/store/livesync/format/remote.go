package format

import (
	"encoding/base64"
	"encoding/json"
	"slices"

	"obsidian-mcp/internal/fault"
)

// The versions of the database that this package can write. Raising a database's version would lock devices out, so an
// existing version document is never changed.
const (
	oldestVersion = 10
	newestVersion = 12
	protocol      = 2
)

// Remote is how a database describes itself.
type Remote struct {
	Version int   // 0 if not stated
	Created int64 // when it was created or rebuilt; a different time means a different database
	Tweaks  Tweaks
	Stated  bool // a milestone states the settings
	Salt    []byte

	wrongType bool
	protocol  int
	milestone milestone
}

type milestone struct {
	Created  number                     `json:"created"`
	Locked   bool                       `json:"locked"`
	Cleaned  bool                       `json:"cleaned"`
	Accepted []string                   `json:"accepted_nodes"`
	Chunks   map[string]chunkRange      `json:"node_chunk_info"`
	Tweaks   map[string]json.RawMessage `json:"tweak_values"`
	Nodes    nodes                      `json:"node_info"`
}

// nodes are the registered devices. Anything else there counts as none.
type nodes map[string]json.RawMessage

// UnmarshalJSON reads an object.
func (n *nodes) UnmarshalJSON(raw []byte) error {
	var found map[string]json.RawMessage
	_ = json.Unmarshal(raw, &found)
	*n = found
	return nil
}

type chunkRange struct {
	Min number `json:"min"`
	Max number `json:"max"`
}

// preferredTweaks is the key, in a milestone, of the settings that all devices share.
const preferredTweaks = "PREFERRED"

// ourChunks is the range of chunk versions that every release supports.
var ourChunks = chunkRange{Min: 0, Max: 2400}

// ParseRemote reads the documents VersionID, MilestoneID and SyncParametersID. A missing document is nil.
func ParseRemote(version, milestone, parameters []byte) (Remote, error) {
	var remote Remote
	if err := remote.readVersion(version); err != nil {
		return Remote{}, err
	}
	if err := remote.readMilestone(milestone); err != nil {
		return Remote{}, err
	}
	return remote, remote.readParameters(parameters)
}

// Writable returns nil, or why the database must not be written. node is the name under which a person accepted this
// writer, or "".
func (r Remote) Writable(node string) error {
	switch {
	case r.wrongType:
		return refuse("the database's version document has the wrong type").WithHint("is it a LiveSync database?")
	case r.Version > newestVersion:
		return refuse("the database has version %d, and this release supports at most %d", r.Version, newestVersion).
			WithHint("try a newer release of this program")
	case r.Version != 0 && r.Version < oldestVersion:
		return refuse("the database has version %d, which is too old to write to", r.Version).WithHint("update the plugin on a device")
	case r.protocol > protocol:
		return refuse("the database uses protocol %d, and this release supports at most %d", r.protocol, protocol).
			WithHint("try a newer release of this program")
	case r.milestone.Locked && (node == "" || !slices.Contains(r.milestone.Accepted, node)):
		return r.locked()
	}
	return r.chunksAgree()
}

func (r Remote) locked() error {
	if r.milestone.Cleaned {
		return refuse("the database is locked because its chunks were cleaned up").WithHint("unlock it on a device, in LiveSync's settings")
	}
	return refuse("the database is locked: a device has rebuilt it, or somebody locked it").WithHint("unlock it on a device, in LiveSync's settings")
}

// chunksAgree checks that the chunk versions of all accepted devices overlap with ours.
func (r Remote) chunksAgree() error {
	all := ourChunks
	for _, node := range r.milestone.Accepted {
		if theirs, ok := r.milestone.Chunks[node]; ok {
			all.Min, all.Max = max(all.Min, theirs.Min), min(all.Max, theirs.Max)
		}
	}
	if all.Min > all.Max {
		return refuse("a device of the database needs another version of chunks").WithHint("try a newer release of this program")
	}
	return nil
}

func refuse(format string, args ...any) *fault.Error {
	return fault.PermissionDenied.Errorf(format, args...)
}

func (r *Remote) readVersion(raw []byte) error {
	if raw == nil {
		return nil
	}
	from, err := parseFields(raw)
	if err != nil {
		return about(VersionID, err)
	}
	var version number
	var docType string
	if err := from.read("type", &docType); err != nil {
		return about(VersionID, err)
	}
	r.wrongType = docType != typeVersion
	err = from.read("version", &version)
	r.Version = int(version)
	return about(VersionID, err)
}

func (r *Remote) readMilestone(raw []byte) error {
	if raw == nil {
		return nil
	}
	if err := json.Unmarshal(raw, &r.milestone); err != nil {
		return about(MilestoneID, damaged("it cannot be parsed: %w", err))
	}
	r.Created = int64(r.milestone.Created)
	preferred, ok := r.milestone.Tweaks[preferredTweaks]
	if !ok {
		return nil
	}
	var err error
	r.Stated = true
	r.Tweaks, err = ParseTweaks(preferred)
	return about(MilestoneID, err)
}

func (r *Remote) readParameters(raw []byte) error {
	if raw == nil {
		return nil
	}
	from, err := parseFields(raw)
	if err != nil {
		return about(SyncParametersID, err)
	}
	var version number
	var salt string
	if err := from.readAll(field{"protocolVersion", &version}, field{"pbkdf2salt", &salt}); err != nil {
		return about(SyncParametersID, err)
	}
	r.protocol = int(version)
	if r.Salt, err = base64.StdEncoding.DecodeString(salt); err != nil {
		return about(SyncParametersID, damaged("its salt is not base64"))
	}
	return nil
}
