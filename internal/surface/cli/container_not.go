//go:build !container

package cli

// inContainer says whether this is the program of the container image. That one leaves out the commands that set up, or
// look into, AI clients: their files are outside of the container.
const inContainer = false
