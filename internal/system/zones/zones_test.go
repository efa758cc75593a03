package zones

import (
	"testing"
	"time"
)

func TestSystemWithoutZones(t *testing.T) {
	for name, want := range map[string]string{"Europe/Berlin": "CEST", "America/New_York": "EDT", "Asia/Kolkata": "IST", "UTC": "UTC"} {
		data, known := all()[name]
		if !known {
			t.Fatalf("%s is missing", name)
		}
		location, err := time.LoadLocationFromTZData(name, data)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := time.Date(2026, 7, 1, 12, 0, 0, 0, location).Zone(); got != want {
			t.Errorf("%s is %s in summer, want %s", name, got, want)
		}
	}
	for name, data := range all() {
		if _, err := time.LoadLocationFromTZData(name, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(all()) < 400 {
		t.Errorf("only %d zones", len(all()))
	}
}

func TestLoad(t *testing.T) {
	t.Setenv("ZONEINFO", "")
	for _, name := range []string{"Europe/Berlin", "UTC", "Local", ""} {
		if _, err := Load(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"Europe/Atlantis", "../etc/passwd", "/etc/localtime"} {
		if _, err := Load(name); err == nil {
			t.Errorf("%q is a time zone", name)
		}
	}
}
