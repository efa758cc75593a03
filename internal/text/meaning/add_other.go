//go:build !amd64

package meaning

// addRow adds a row, multiplied by its scale, to a vector.
func addRow(row string, scale float32, into Vector) { addEach(row, scale, into) }
