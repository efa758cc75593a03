package system

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLocalZone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "zoneinfo", "Asia", "Tokyo")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "localtime")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ tz, want string }{
		{"Europe/Berlin", "Europe/Berlin"}, {":Europe/Berlin", "Europe/Berlin"}, {"/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"},
		{"", "UTC"}, {"CET-1CEST", time.Local.String()}, {"/nowhere", time.Local.String()},
	} {
		t.Setenv("TZ", test.tz)
		if got := localZone(link).String(); got != test.want {
			t.Errorf("TZ=%q: %s, want %s", test.tz, got, test.want)
		}
	}
	os.Unsetenv("TZ") // t.Setenv restores it
	if got := localZone(link).String(); got != "Asia/Tokyo" {
		t.Errorf("from the link: %s", got)
	}
	for _, other := range []string{filepath.Join(dir, "none"), file + "/none", dir} {
		if got := localZone(other); got != time.Local {
			t.Errorf("%s: %s", other, got)
		}
	}
}
