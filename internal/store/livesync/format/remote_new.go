package format

import "encoding/base64"

// NewVersion is the version document of a database that has none.
func NewVersion() []byte {
	body, _ := marshal(map[string]any{"_id": VersionID, "type": typeVersion, "version": newestVersion})
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
