package couch_test

import (
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/couch"
)

// BenchmarkFetch reads 2,000 documents of the size of chunks.
func BenchmarkFetch(b *testing.B) {
	ids := manyIDs(2000)
	rows := make([]string, len(ids))
	for i, id := range ids {
		rows[i] = fmt.Sprintf(`{"id":%[1]q,"key":%[1]q,"value":{"rev":"1-0123456789abcdef"},"doc":{"_id":%[1]q,"_rev":"1-0123456789abcdef","type":"leaf","data":%[2]q,"e_":true}}`, id, strings.Repeat("0123456789", 60))
	}
	answer := `{"total_rows":2000,"offset":0,"rows":[` + strings.Join(rows, ",\n") + `]}`
	client, err := couch.New(couch.Options{URL: "http://couch.example", Database: "db", Transport: &script{steps: steps(says(200, answer))}})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(answer)))
	for b.Loop() {
		if _, err := client.Fetch(b.Context(), ids); err != nil {
			b.Fatal(err)
		}
	}
}
