// Package zones loads time zones, also on systems that know none, such as Windows and images from scratch. Package time/tzdata
// does the same, but adds 0.45 MB to the program; here the zones are compressed.
package zones

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"sync"
	"time"
)

//go:generate go run generate.go

//go:embed zones.gz
var compressed []byte

// Load returns the time zone with a name such as Europe/Berlin. The system's own data comes first, since it may be newer.
func Load(name string) (*time.Location, error) {
	location, err := time.LoadLocation(name)
	if err == nil {
		return location, nil
	}
	if data, known := all()[name]; known {
		return time.LoadLocationFromTZData(name, data)
	}
	return nil, err
}

// all returns the data of all zones by name.
var all = sync.OnceValue(func() map[string][]byte {
	found := map[string][]byte{}
	unpacked, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return found
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		return found
	}
	for len(data) > 0 { // for each zone the lengths of its name and its data, and then both
		name, size := int(data[0]), int(binary.BigEndian.Uint16(data[1:]))
		data = data[3:]
		found[string(data[:name])] = data[name : name+size]
		data = data[name+size:]
	}
	return found
})
