package main

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// A list of what the program consists of, as CycloneDX 1.6 describes it.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     bomMetadata  `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	bomMetadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type     string       `json:"type"`
		Ref      string       `json:"bom-ref"`
		Name     string       `json:"name"`
		Version  string       `json:"version"`
		Licences []bomLicence `json:"licenses,omitempty"`
		Package  string       `json:"purl,omitempty"`
	}
	bomLicence struct {
		Expression string `json:"expression"`
	}
	dependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn,omitempty"`
	}
)

func (r *release) makeSBOM() error {
	own := component{"application", "obsidian-mcp", "obsidian-mcp", r.number, []bomLicence{{"MIT"}},
		"pkg:github/" + strings.ToLower(string(r.repository)) + "@" + r.version}
	list := bom{
		Format: "CycloneDX", SpecVersion: "1.6", Serial: r.serial(), Version: 1,
		Metadata: bomMetadata{r.date.Format(time.RFC3339), own},
	}
	all := dependency{Ref: own.Ref}
	for _, m := range r.modules {
		c := component{Type: "library", Name: m.path, Version: m.version, Package: "pkg:golang/" + packagePath(m.path) + "@" + url.PathEscape(m.version)}
		c.Ref = c.Package
		if m.licence != "" {
			c.Licences = []bomLicence{{m.licence}}
		}
		list.Components = append(list.Components, c)
		all.On = append(all.On, c.Ref)
	}
	list.Dependencies = []dependency{all}
	content, err := indented(list, "  ")
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("obsidian-mcp_%s.cdx.json", r.number), platform{}, content)
}

// serial returns a UUID that the commit and the version determine.
func (r *release) serial() string {
	sum := sha256.Sum256([]byte(r.version + " " + r.commit))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8: by a rule of our own
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// packagePath is a module's path in a package URL.
func packagePath(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.ToLower(strings.Join(parts, "/"))
}
