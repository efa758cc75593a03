package folder

import (
	"math/rand/v2"

	"obsidian-mcp/internal/testkit/mode"
)

// survivals lists what may survive a power cut at one moment: everything, nothing, the changes of each folder alone, all
// but those, and random choices.
func survivals(m *model, random *rand.Rand) []survival {
	all := func(_ *node, of int) int { return of }
	none := func(*node, int) int { return 0 }
	list := []survival{{all, whole}, {all, empty}, {all, half}, {all, zeros}, {none, whole}, {none, empty}}
	open := m.open()
	for _, folder := range open {
		alone := func(n *node, of int) int {
			if n == folder {
				return of
			}
			return 0
		}
		list = append(list, survival{alone, empty}, survival{alone, whole},
			survival{func(n *node, of int) int { return of - alone(n, of) }, zeros})
	}
	if len(open) == 0 {
		return list
	}
	for range mode.Pick(2, 20, 100) {
		choices := map[*node]int{}
		for _, folder := range open {
			choices[folder] = random.IntN(len(folder.pending) + 1)
		}
		fate := []func(*node) []byte{whole, empty, half, zeros}[random.IntN(4)]
		list = append(list, survival{func(n *node, _ int) int { return choices[n] }, fate})
	}
	return list
}

func whole(n *node) []byte { return n.data }
func empty(*node) []byte   { return nil }
func half(n *node) []byte  { return n.data[:len(n.data)/2] }
func zeros(n *node) []byte { return make([]byte, len(n.data)) }
