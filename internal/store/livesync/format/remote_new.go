package format

import "encoding/base64"

// NewVersion is the version document of a database that has none.
func NewVersion() []byte {
	body, _ := marshal(map[string]any{"_id": VersionID, "type": typeVersion, "version": newestVersion})
	return body
}

// NewMilestone is the milestone of a new database: that all devices are to
// share the settings by which it is written. What is nothing to us is as the
// plugin begins with it.
func NewMilestone(s Settings, now int64) []byte {
	body, _ := marshal(map[string]any{
		"_id": MilestoneID, "type": "milestoneinfo", "created": now, "locked": false,
		"accepted_nodes": []string{}, "node_chunk_info": struct{}{}, "node_info": struct{}{},
		"tweak_values": map[string]any{preferredTweaks: s.stated()},
	})
	return body
}

// NewParameters is the sync parameters document for a database that has none,
// or has one without a salt: old is that one, or nil. The plugin makes it in
// two steps, without a salt and then with one. A salt that is there is never
// replaced, since all that was encrypted with it would be lost.
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
			return nil, refuse("the database has a salt already, and it must stay")
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

// stated are all settings that devices compare.
func (s Settings) stated() map[string]any {
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
