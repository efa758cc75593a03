package format

import (
	"encoding/base64"
	"encoding/json"
)

// NewVersion returns the version document for a new database.
func NewVersion() []byte {
	body, _ := marshal(map[string]any{"_id": VersionID, "type": typeVersion, "version": newestVersion})
	return body
}

// NewMilestone returns the milestone of a new database, which makes all devices share the settings s. Settings that do
// not concern this package get the plugin's defaults.
func NewMilestone(s Settings, now int64) []byte {
	body, _ := marshal(map[string]any{
		"_id": MilestoneID, "type": "milestoneinfo", "created": now, "locked": false,
		"accepted_nodes": []string{}, "node_chunk_info": struct{}{}, "node_info": struct{}{},
		"tweak_values": map[string]any{preferredTweaks: s.shared()},
	})
	return body
}

// NewParameters returns the sync parameters document for a database that has no salt yet; old is its existing
// document, or nil. The plugin writes it in two steps, first without a salt and then with one. An existing salt is
// never replaced: everything encrypted with it would be lost.
func NewParameters(old, salt []byte) ([]byte, error) {
	body := fields{}
	if old != nil {
		var err error
		if body, err = parseFields(old); err != nil {
			return nil, about(SyncParametersID, err)
		}
		var kept string
		if err := body.read("pbkdf2salt", &kept); err != nil {
			return nil, about(SyncParametersID, err)
		}
		if kept != "" {
			return nil, refuse("the database already has a salt, which must not be replaced")
		}
	}
	for key, value := range map[string]any{
		"_id": SyncParametersID, "type": "sync-parameters", "protocolVersion": protocol,
		"pbkdf2salt": base64.StdEncoding.EncodeToString(salt),
	} {
		if err := body.set(key, value); err != nil {
			return nil, err
		}
	}
	return marshal(body)
}

// Shared returns the settings that every device of the database must have, by the plugin's names: as the milestone
// states them, and as s does if it does not.
func (r Remote) Shared(s Settings) map[string]any {
	all := s.shared()
	var preferred map[string]json.RawMessage
	if json.Unmarshal(r.milestone.Tweaks[preferredTweaks], &preferred) != nil {
		return all
	}
	for key := range all {
		if stated, ok := preferred[key]; ok && string(stated) != "null" {
			all[key] = stated
		}
	}
	return all
}

// shared returns all settings that devices compare.
func (s Settings) shared() map[string]any {
	return map[string]any{
		"encrypt":                     s.Encrypt,
		"E2EEAlgorithm":               s.Algorithm,
		"usePathObfuscation":          s.ObfuscatePaths,
		"enableCompression":           s.Compress,
		"useDynamicIterationCount":    s.DynamicIterations,
		"handleFilenameCaseSensitive": s.CaseSensitive,
		"hashAlg":                     s.HashAlg,
		"customChunkSize":             s.Split.CustomChunkSize,
		"minimumChunkSize":            s.Split.MinimumChunkSize,
		"chunkSplitterVersion":        "v3-rabin-karp",
		"enableChunkSplitterV2":       false,
		"useSegmenter":                false,
		"longLineThreshold":           250,
		"usePluginSyncV2":             true,
		"useEden":                     false,
		"maxChunksInEden":             10,
		"maxTotalLengthInEden":        1024,
		"maxAgeInEden":                10,
	}
}
