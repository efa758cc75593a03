package dataview

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/query/value"
)

// Source is a note as the importer gets it.
type Source struct {
	Path              string
	Note              *md.Note
	Size              int64
	Created, Modified time.Time
}

// Import reads the fields of a note. It copies what it keeps.
func Import(source Source, clock Clock) *Page {
	i := importer{
		Page:  &Page{Path: source.Path, Size: source.Size, Created: source.Created, Modified: source.Modified, Front: value.NewObject()},
		note:  source.Note,
		text:  string(source.Note.Source),
		clock: clock,
	}
	i.lines = strings.Split(i.text, "\n")
	i.front = front.Fields(source.Note)
	i.frontmatter()
	i.findTags()
	i.findLinks()
	i.findItems()
	i.findFields()
	i.Day = i.day()
	i.fields, i.linked = finished(i.gathered)
	return i.Page
}

// importer reads one note.
type importer struct {
	*Page
	note     *md.Note
	front    []front.Field
	text     string
	lines    []string
	clock    Clock
	gathered gathered
	byLine   map[int][]value.Link // the links of the body by their lines
}

// gathered are the values of fields, in the order in which they were found.
type gathered struct {
	keys   []string
	values map[string][]value.Value
}

func (g *gathered) add(key string, values ...value.Value) {
	if g.values == nil {
		g.values = map[string][]value.Value{}
	}
	if _, exists := g.values[key]; !exists {
		key = strings.Clone(key) // it may be a part of the note's text, which is not kept
		g.keys = append(g.keys, key)
	}
	g.values[key] = append(g.values[key], values...)
}

func (g *gathered) merge(other gathered) {
	for _, key := range other.keys {
		g.add(key, other.values[key]...)
	}
}

// finished joins the values of each field, and adds the plain names of fields under which no other field is found.
func finished(g gathered) (fields *value.Object, linked map[string]bool) {
	var plain gathered
	for _, key := range g.keys {
		name := plainName(key)
		if _, taken := g.values[name]; name != "" && !taken {
			plain.add(name, g.values[key]...)
		}
	}
	g.merge(plain)
	return joinedFields(g)
}

// joinedFields makes lists of the fields that have several values, and tells which fields have links.
func joinedFields(g gathered) (fields *value.Object, linked map[string]bool) {
	fields, linked = value.NewObject(), map[string]bool{}
	for _, key := range g.keys {
		if key == "file" {
			continue
		}
		var v value.Value = value.List(g.values[key])
		if len(g.values[key]) == 1 {
			v = g.values[key][0]
		}
		fields.Set(key, v)
		if hasLinks(v) {
			linked[key] = true
		}
	}
	return fields, linked
}

func hasLinks(v value.Value) bool {
	switch v := v.(type) {
	case value.Link:
		return true
	case value.List:
		return slices.ContainsFunc(v, hasLinks)
	case *value.Object:
		return slices.ContainsFunc(v.Keys(), func(key string) bool {
			field, _ := v.Get(key)
			return hasLinks(field)
		})
	}
	return false
}

// plainName is the name of a field in expressions: small letters, - for blanks, and no marks.
func plainName(key string) string {
	var out strings.Builder
	for i := 0; i < len(key); {
		r, size := utf8.DecodeRuneInString(key[i:])
		emoji := emojiAt(key[i:])
		switch {
		case emoji > 0:
			out.WriteString(key[i : i+emoji])
			size = emoji
		case unicode.IsLetter(r), r >= '0' && r <= '9', r == '_', r == '-':
			out.WriteString(strings.ToLower(string(r)))
		case unicode.IsSpace(r):
			out.WriteByte('-')
			for size < len(key)-i {
				next, width := utf8.DecodeRuneInString(key[i+size:])
				if !unicode.IsSpace(next) {
					break
				}
				size += width
			}
		}
		i += size
	}
	return out.String()
}

// --- frontmatter

func (i *importer) frontmatter() {
	for _, field := range i.front {
		i.Front.Set(field.Key, rawValue(field.Value))
		if field.Key != "position" {
			i.gathered.add(field.Key, i.frontValue(field.Value))
		}
		switch strings.ToLower(field.Key) {
		case "alias", "aliases":
			i.aliases = append(i.aliases, aliasesOf(field.Value)...)
		}
	}
	i.aliases = distinct(i.aliases)
}

// rawValue is a property as YAML has it.
func rawValue(v front.Value) value.Value {
	switch v.Kind {
	case front.Bool:
		return v.True()
	case front.Number:
		return v.Float()
	case front.Text:
		return v.Text
	case front.List:
		list := make(value.List, len(v.Items))
		for i, item := range v.Items {
			list[i] = rawValue(item)
		}
		return list
	case front.Map:
		object := value.NewObject()
		for _, field := range v.Fields {
			object.Set(field.Key, rawValue(field.Value))
		}
		return object
	}
	return nil
}

// frontValue is a property whose texts may be dates, durations or links.
func (i *importer) frontValue(v front.Value) value.Value {
	switch v.Kind {
	case front.Text:
		return i.textValue(v.Text)
	case front.List:
		list := make(value.List, len(v.Items))
		for n, item := range v.Items {
			list[n] = i.frontValue(item)
		}
		return list
	case front.Map:
		object := value.NewObject()
		for _, field := range v.Fields {
			object.Set(field.Key, i.frontValue(field.Value))
		}
		return object
	}
	return rawValue(v)
}

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
			aliases = append(aliases, strings.TrimSpace(Text(rawValue(item))))
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

// --- links

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

// --- items

var itemPattern = regexp.MustCompile(`^[\s>]*(\d+\.|\d+\)|\*|-|\+)\s*(\[.?\])?\s*(.*)$`)

func (i *importer) findItems() {
	byLine := map[int]*Item{}
	for n, found := range i.note.Items {
		first := found.Line - 1
		end := i.itemEnd(n)
		match := itemPattern.FindStringSubmatch(strings.TrimSuffix(i.lines[first], "\r"))
		if match == nil {
			continue
		}
		parts := []string{strings.TrimSpace(match[3])}
		for line := first + 1; line <= end; line++ {
			parts = append(parts, strings.TrimSpace(i.lines[line]))
		}
		item := &Item{
			Symbol: strings.Clone(match[1]), Text: strings.Clone(strings.Join(parts, "\n")), Line: first, LineCount: end - first + 1,
			List: i.listOf(first), Parent: -1, IsTask: found.IsTask(),
		}
		if item.IsTask {
			item.Status = string(found.Task.Of(i.note.Source))
			item.isFullyCompleted = item.isCompleted()
		}
		if found.Parent >= 0 {
			item.Parent = i.note.Items[found.Parent].Line - 1
		}
		item.section = i.sectionAt(first)
		item.link = item.section
		if item.blockID = i.blockIDOf(first, end); item.blockID != "" {
			item.link = value.Link{Path: i.Path, Kind: value.ToBlock, Subpath: item.blockID}
		}
		for line := first; line <= end; line++ {
			item.links = append(item.links, i.byLine[line]...)
		}
		oneLine := strings.Join(parts, " ")
		item.tags = tagsIn(oneLine)
		own := i.itemFields(item, oneLine)
		item.isAnnotated = len(own.keys) > 0
		item.fields, _ = joinedFields(own)
		i.addDates(item, own)
		if !item.IsTask {
			i.gathered.merge(own)
		}
		byLine[first] = item
		i.items = append(i.items, item)
	}
	for _, item := range i.items {
		if parent := byLine[item.Parent]; parent != nil {
			parent.children = append(parent.children, item.Line)
		}
		for above := item; item.IsTask && above != nil; above = byLine[above.Parent] {
			above.isFullyCompleted = above.isFullyCompleted && item.isCompleted()
		}
	}
}

// itemEnd returns the last line of an item's own text: up to the first item nested in it, without blank lines.
func (i *importer) itemEnd(n int) int {
	found := i.note.Items[n]
	end := found.End
	if n+1 < len(i.note.Items) && i.note.Items[n+1].Parent == n {
		end = md.LineStart(i.note.Source, i.note.Items[n+1].Start)
	}
	last := max(found.Line, i.note.LineOf(max(found.Start, end-1))) - 1
	for last > found.Line-1 && strings.Trim(i.lines[last], " \t\r>") == "" {
		last--
	}
	return last
}

// listOf returns the line where the list at the top level begins that a line is in, or -1.
func (i *importer) listOf(line int) int {
	for _, block := range i.note.Blocks {
		if block.Kind == md.List && block.Line-1 <= line && line < block.Line-1+strings.Count(i.text[block.Start:block.End], "\n")+1 {
			return i.startOfList(line, block.Line-1)
		}
	}
	return -1
}

// startOfList returns where the list of a line begins. Lists with different markers follow each other in a block.
func (i *importer) startOfList(line, block int) int {
	for _, item := range i.note.Items {
		if item.Line-1 > line {
			break
		}
		if item.Parent < 0 {
			block = max(block, i.note.Items[item.First].Line-1)
		}
	}
	return block
}

func (i *importer) sectionAt(line int) value.Link {
	link := value.FileLink(i.Path)
	for _, heading := range i.note.Headings {
		if heading.Line-1 > line {
			break
		}
		link = value.Link{Path: i.Path, Kind: value.ToHeader, Subpath: linkableHeading(string(heading.Text.Of(i.note.Source)))}
	}
	return link
}

func (i *importer) blockIDOf(first, end int) string {
	for _, id := range i.note.IDs {
		if id.Target == md.IDListItem && id.Line-1 >= first && id.Line-1 <= end {
			return string(id.Name.Of(i.note.Source))
		}
	}
	return ""
}

var possibleTag = regexp.MustCompile("#[^\\s,;.:!?'\"`()\\[\\]{}]+")

func tagsIn(text string) []string {
	tags := []string{}
	for _, found := range possibleTag.FindAllString(text, -1) {
		if tag, ok := whole(found, Clock{}, (*parser).tag); ok {
			tags = append(tags, strings.Clone(tag))
		}
	}
	return distinct(tags)
}

func (i *importer) itemFields(item *Item, text string) gathered {
	var own gathered
	for _, field := range inlineFields(text, true) {
		own.add(field.key, i.inlineValue(field.value))
	}
	if !item.IsTask && len(own.keys) == 0 {
		if field, ok := fullLineField(text); ok {
			own.add(field.key, i.inlineValue(field.value))
		}
	}
	return own
}

// addDates gives a task the dates that it has under other names.
func (i *importer) addDates(item *Item, own gathered) {
	if !item.IsTask {
		return
	}
	for _, date := range []struct {
		name   string
		fields []string
	}{
		{"created", []string{"created", "ctime", "cday"}},
		{"due", []string{"due", "duetime", "dueday"}},
		{"completion", []string{"completed", "completion", "comptime", "compday"}},
		{"start", []string{"start"}},
		{"scheduled", []string{"scheduled"}},
	} {
		for _, name := range date.fields {
			if values := own.values[name]; len(values) > 0 {
				if values[0] != nil {
					item.fields.Set(date.name, values[0])
				}
				break
			}
		}
	}
}

// --- inline fields

const longestLine = 32768

// findFields finds the fields in the lines outside of lists.
func (i *importer) findFields() {
	if !strings.Contains(i.text, "::") {
		return
	}
	skip := map[int]bool{}
	for _, item := range i.items {
		for line := range item.LineCount {
			skip[item.Line+line] = true
		}
	}
	for _, block := range i.note.Blocks {
		if block.Kind == md.List || block.Kind == md.Rule {
			for line := range strings.Count(strings.TrimSuffix(i.text[block.Start:block.End], "\n"), "\n") + 1 {
				skip[block.Line-1+line] = true
			}
		}
	}
	for number, line := range i.lines {
		if skip[number] || len(line) > longestLine || !strings.Contains(line, "::") {
			continue
		}
		line = strings.TrimSpace(line)
		fields := inlineFields(line, false)
		if field, ok := fullLineField(line); ok && len(fields) == 0 {
			fields = append(fields, field)
		}
		for _, field := range fields {
			i.gathered.add(field.key, i.inlineValue(field.value))
		}
	}
}

// inlineField is a field in a text.
type inlineField struct {
	key, value string
	start, end int
}

// inlineFields finds [key:: value] and (key:: value), and the emoji of tasks.
func inlineFields(line string, withEmoji bool) []inlineField {
	var all []inlineField
	for _, bracket := range []string{"[]", "()"} {
		for at := strings.IndexByte(line, bracket[0]); at >= 0; {
			next := at + 1
			if field, ok := bracketField(line, at, bracket[0], bracket[1]); ok {
				all = append(all, field)
				next = field.end
			}
			found := strings.IndexByte(line[next:], bracket[0])
			if found < 0 {
				break
			}
			at = next + found
		}
	}
	if withEmoji {
		for _, date := range emojiDates {
			if at := date.pattern.FindStringSubmatchIndex(line); at != nil {
				all = append(all, inlineField{date.key, line[at[2]:at[3]], at[0], at[1]})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b inlineField) int { return a.start - b.start })
	var kept []inlineField
	for _, field := range all {
		if len(kept) == 0 || kept[len(kept)-1].end < field.start {
			kept = append(kept, field)
		}
	}
	return kept
}

var emojiDates = []struct {
	key     string
	pattern *regexp.Regexp
}{
	{"created", regexp.MustCompile(`\x{2795}\s*(\d{4}-\d{2}-\d{2})`)},
	{"start", regexp.MustCompile(`\x{1F6EB}\s*(\d{4}-\d{2}-\d{2})`)},
	{"scheduled", regexp.MustCompile(`[\x{23F3}\x{231B}]\s*(\d{4}-\d{2}-\d{2})`)},
	{"due", regexp.MustCompile(`(?:\x{1F4C5}|\x{1F4C6}|\x{1F5D3}\x{FE0F}?)\s*(\d{4}-\d{2}-\d{2})`)},
	{"completion", regexp.MustCompile(`\x{2705}\s*(\d{4}-\d{2}-\d{2})`)},
}

// bracketField reads a field that starts at a bracket.
func bracketField(line string, start int, open, end byte) (inlineField, bool) {
	key, _, ok := strings.Cut(line[start+1:], "::")
	if !ok || strings.ContainsAny(strings.TrimSpace(key), "[]()") {
		return inlineField{}, false
	}
	from := start + 1 + len(key) + len("::")
	nesting, isEscaped := 0, false
	for at := from; at < len(line); at++ {
		switch c := line[at]; {
		case c == '\\':
			isEscaped = !isEscaped
		case isEscaped:
			isEscaped = false
		case c == open:
			nesting++
		case c == end && nesting == 0:
			return inlineField{strings.TrimSpace(key), strings.TrimSpace(line[from:at]), start, at + 1}, true
		case c == end:
			nesting--
		}
	}
	return inlineField{}, false
}

var fullLineKey = regexp.MustCompile("^[^0-9A-Za-z_\\p{L}]*([0-9A-Za-z_\\p{L}\\s/-]*)[_*~`]*$")

// fullLineField reads a line that is a field as a whole: Key:: value.
func fullLineField(line string) (inlineField, bool) {
	key, rest, ok := strings.Cut(line, "::")
	if !ok {
		return inlineField{}, false
	}
	match := fullLineKey.FindStringSubmatch(strings.TrimSpace(key))
	if match == nil {
		return inlineField{}, false
	}
	return inlineField{key: match[1], value: strings.TrimSpace(rest), end: len(line)}, true
}

// inlineValue reads the value of an inline field.
func (i *importer) inlineValue(text string) value.Value {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	text = strings.Clone(text)
	if v, ok := whole(text, i.clock, (*parser).inline); ok {
		return i.ownLinks(v)
	}
	return text
}

func (i *importer) ownLinks(v value.Value) value.Value {
	switch v := v.(type) {
	case value.Link:
		return i.own(v)
	case value.List:
		for n := range v {
			v[n] = i.ownLinks(v[n])
		}
	}
	return v
}

// inline reads a value, or several with commas between them.
func (p *parser) inline() (value.Value, bool) {
	first, ok := p.inlineAtom()
	if !ok {
		return nil, false
	}
	if !p.around(",") {
		return first, true
	}
	list := value.List{first}
	p.separated(func() bool {
		v, ok := p.inlineAtom()
		if ok {
			list = append(list, v)
		}
		return ok
	})
	return list, true
}

func (p *parser) inlineAtom() (value.Value, bool) {
	if date, ok := p.date(); ok {
		return date, true
	}
	if length, ok := p.duration(); ok {
		return length.Normal(), true
	}
	if text, ok := p.quotedText(); ok {
		return text, true
	}
	if tag, ok := p.tag(); ok {
		return tag, true
	}
	if link, ok := p.embed(); ok {
		return link, true
	}
	if on, ok := p.truth(); ok {
		return on, true
	}
	if number, ok := p.number(); ok {
		return number, true
	}
	return "null", p.literally("null")
}

var (
	dashedDate = regexp.MustCompile(`(\d{4})-(\d{2})-(\d{2})`)
	plainDate  = regexp.MustCompile(`(\d{4})(\d{2})(\d{2})`)
)

// day returns the date of a note: from a field called date or day, or from its name.
func (i *importer) day() *value.Date {
	for _, key := range i.gathered.keys {
		if name := strings.ToLower(key); name != "date" && name != "day" {
			continue
		}
		if date, ok := i.gathered.values[key][0].(value.Date); ok {
			return &date
		}
	}
	for _, pattern := range []*regexp.Regexp{dashedDate, plainDate} {
		if match := pattern.FindStringSubmatch(title(i.Path)); match != nil {
			year, _ := strconv.Atoi(match[1])
			month, _ := strconv.Atoi(match[2])
			day, _ := strconv.Atoi(match[3])
			date := i.clock.date(year, month, day, 0, 0, 0, 0)
			if date.Time.Month() != time.Month(month) || date.Time.Day() != day {
				return nil // not a day of the calendar
			}
			return &date
		}
	}
	return nil
}
