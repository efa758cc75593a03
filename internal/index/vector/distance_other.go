//go:build !amd64

package vector

// distances sets out to how many signs of each passage differ from the question's; at most 255.
func (q *Query) distances(signs []byte, out []uint8) { q.distancesEach(signs, out) }
