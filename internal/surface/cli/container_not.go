//go:build !container

package cli

// InContainer says whether this is the program of the container image. That one leaves out the commands that set up, or
// look into, AI clients, and livesync setup: the files that they write are outside of the container.
const InContainer = false
