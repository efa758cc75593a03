package format

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"obsidian-mcp/internal/text/order"
)

// Device is a device that has registered with a database. Releases before 0.25.36 do not register.
type Device struct {
	Name   string `json:"device_name"`
	Plugin string `json:"plugin_version"`
	App    string `json:"app_version"` // of Obsidian
}

// Devices lists the devices that have registered, by name.
func (r Remote) Devices() []Device {
	var all []Device
	for _, id := range slices.Sorted(maps.Keys(r.milestone.Nodes)) {
		var device Device
		_ = json.Unmarshal(r.milestone.Nodes[id], &device) // nothing depends on it, so what cannot be read stays empty
		if device.Name = cmp.Or(device.Name, id); device.Plugin != "" {
			all = append(all, device)
		}
	}
	order.Stably(all, func(a, b Device) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
