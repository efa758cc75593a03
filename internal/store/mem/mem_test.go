package mem_test

import (
	"testing"

	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Subject {
		s := mem.New(nil)
		return storetest.Subject{Store: s, Outside: s.Outside, Diverge: s.Diverge}
	})
}
