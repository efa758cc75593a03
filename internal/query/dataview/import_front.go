package dataview

import (
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/query/value"
)

func (i *importer) frontmatter() {
	for _, field := range i.front {
		i.Front.Set(field.Key, asWritten(field.Value))
		if field.Key != "position" {
			i.gathered.add(field.Key, value.OfProperty(field.Value, i.textValue))
		}
		switch strings.ToLower(field.Key) {
		case "alias", "aliases":
			i.aliases = append(i.aliases, aliasesOf(field.Value)...)
		}
	}
	i.aliases = distinct(i.aliases)
}

// asWritten is a property whose texts are just texts.
func asWritten(v front.Value) value.Value {
	return value.OfProperty(v, func(text string) value.Value { return text })
}

// textValue is the value of a text of a property: a date, a duration, a link or just text.
func (i *importer) textValue(text string) value.Value {
	if date, ok := whole(text, i.clock, (*parser).date); ok {
		return date
	}
	if length, ok := whole(text, i.clock, (*parser).duration); ok {
		return length
	}
	if link, ok := whole(text, i.clock, (*parser).embed); ok {
		return i.own(link)
	}
	return text
}

// own gives a link into its own note the note's path.
func (i *importer) own(link value.Link) value.Link {
	if link.Path == "" {
		link.Path = i.Path
	}
	return link
}

var betweenTags = regexp.MustCompile(`[,\s]+`)

// tagsOf splits the tags of a property.
func tagsOf(v front.Value) []string {
	if v.Kind == front.List {
		var tags []string
		for _, item := range v.Items {
			tags = append(tags, tagsOf(item)...)
		}
		return tags
	}
	if v.Kind == front.Null || v.Kind == front.Map {
		return nil
	}
	return slices.DeleteFunc(betweenTags.Split(v.Text, -1), func(tag string) bool { return tag == "" })
}

func aliasesOf(v front.Value) []string {
	var aliases []string
	switch v.Kind {
	case front.List:
		for _, item := range v.Items {
			aliases = append(aliases, strings.TrimSpace(Text(asWritten(item))))
		}
	case front.Text, front.Number:
		for alias := range strings.SplitSeq(v.Text, ",") {
			if alias = strings.TrimSpace(alias); alias != "" {
				aliases = append(aliases, alias)
			}
		}
	}
	return aliases
}

func distinct(texts []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(texts, func(text string) bool {
		isKnown := seen[text]
		seen[text] = true
		return isKnown
	})
}

// findTags finds the tags of the body, then those of the properties.
func (i *importer) findTags() {
	for _, tag := range i.note.Tags {
		i.tags = append(i.tags, string(tag.Of(i.note.Source)))
	}
	for _, field := range i.front {
		switch strings.ToLower(field.Key) {
		case "tag", "tags":
			for _, tag := range tagsOf(field.Value) {
				i.tags = append(i.tags, "#"+strings.TrimPrefix(tag, "#"))
			}
		}
	}
	i.tags = distinct(i.tags)
}

// findLinks finds the links of the properties, then those of the body, then its embeds.
func (i *importer) findLinks() {
	i.byLine = map[int][]value.Link{}
	for _, field := range i.front {
		i.frontLinks(field.Value)
	}
	for _, embeds := range []bool{false, true} {
		for _, found := range i.note.Links {
			if found.Embed != embeds || found.Start < i.note.Body {
				continue
			}
			link := i.own(LinkTo(found.Target(i.note.Source)))
			link.Display, link.Embed = found.Display(i.note.Source), embeds
			i.links = append(i.links, link)
			line := i.note.LineOf(found.Start) - 1
			i.byLine[line] = append(i.byLine[line], link)
		}
	}
}

// frontLinks finds the links of a property. A text is a link only as a whole.
func (i *importer) frontLinks(v front.Value) {
	for _, item := range v.Items {
		i.frontLinks(item)
	}
	for _, field := range v.Fields {
		i.frontLinks(field.Value)
	}
	if v.Kind != front.Text || strings.Contains(v.Text, `\`) || !strings.HasPrefix(v.Text, "[[") {
		return
	}
	if link, ok := whole(v.Text, i.clock, (*parser).embed); ok {
		if link.Display == "" {
			link.Display = md.DisplayTarget(strings.TrimSuffix(strings.TrimPrefix(v.Text, "[["), "]]"))
		}
		i.links = append(i.links, i.own(link))
	}
}
