package system

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"obsidian-mcp/internal/system/zones"
)

// LocalZone returns the system's time zone. Unlike time.Local, it has its own name where that can be found out.
func LocalZone() *time.Location { return localZone("/etc/localtime") }

// localZone looks where the package time does: at the variable TZ, then at a link to the zone's file.
func localZone(link string) *time.Location {
	name, isSet := os.LookupEnv("TZ")
	name = strings.TrimPrefix(name, ":")
	if !isSet {
		file, err := filepath.EvalSymlinks(link)
		if err != nil {
			return time.Local
		}
		name = filepath.ToSlash(file)
	}
	if _, below, found := strings.Cut(name, "zoneinfo/"); found {
		name = below
	}
	if zone, err := zones.Load(name); err == nil && !filepath.IsAbs(name) {
		return zone
	}
	return time.Local
}
