package cli

import "obsidian-mcp/internal/fault"

// exitStatus returns the exit status for a kind of error.
func exitStatus(kind fault.Kind) int {
	switch kind {
	case fault.Internal, fault.ObsidianNotRunning, fault.VaultNotFound:
		return 1
	case fault.InvalidArgument, fault.TagNotAllowed:
		return 2
	case fault.NotFound, fault.AmbiguousName:
		return 3
	case fault.PermissionDenied:
		return 4
	case fault.Timeout:
		return 5
	case fault.AlreadyExists, fault.Conflict:
		return 6
	case fault.StoreUnavailable, fault.RateLimited:
		return 7
	}
	return 0
}
