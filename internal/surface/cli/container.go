//go:build container

package cli

// InContainer says that this is the program of the container image.
const InContainer = true
