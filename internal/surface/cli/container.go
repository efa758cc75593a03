//go:build container

package cli

const inContainer = true
