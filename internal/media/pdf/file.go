package pdf

import (
	"bytes"
	"math"
	"slices"
)

// file finds the objects of a document.
type file struct {
	data     []byte
	spent    *budget
	entries  map[int]entry
	trailer  dict
	objects  map[int]any // those read so far
	opening  map[int]bool
	groups   map[int][]any // objects of object streams
	fonts    map[int]*font
	crypt    *crypt
	isLocked bool
	repaired bool
}

// entry says where an object is: at an offset, or in an object stream at an index.
type entry struct {
	offset     int
	generation int
	group      int // the number of the object stream, or 0
	index      int
}

func newFile(data []byte, spent *budget) *file {
	return &file{
		data: data, spent: spent, entries: map[int]entry{}, trailer: dict{}, objects: map[int]any{}, opening: map[int]bool{},
		groups: map[int][]any{}, fonts: map[int]*font{},
	}
}

// renew gives the file the budget of another call. What was kept for the last one is dropped, so that memory is counted
// once.
func (f *file) renew(spent *budget) {
	f.spent = spent
	f.objects, f.groups, f.fonts, f.opening = map[int]any{}, map[int][]any{}, map[int]*font{}, map[int]bool{}
}

// load reads the tables of objects, or searches for objects if the tables do not lead to a page.
func (f *file) load() {
	f.readTables()
	f.unlock()
	if f.isLocked {
		return
	}
	root := f.dict(f.trailer["Root"])
	if f.dict(root["Pages"])["Kids"] == nil {
		f.repair()
	}
}

func (f *file) readTables() {
	at := bytes.LastIndex(f.data, []byte("startxref"))
	if at < 0 {
		return
	}
	lexer := f.lexerAt(at + len("startxref"))
	offset, _ := lexer.object(0).(float64)
	seen := map[int]bool{}
	for next := []int{int(offset)}; len(next) > 0; {
		at := next[0]
		next = next[1:]
		if at <= 0 || at >= len(f.data) || seen[at] {
			continue
		}
		seen[at] = true
		found := f.readTable(at)
		for key, value := range found {
			if _, ok := f.trailer[key]; !ok {
				f.trailer[key] = value
			}
		}
		for _, key := range []name{"XRefStm", "Prev"} {
			if offset, ok := found[key].(float64); ok {
				next = append(next, int(offset))
			}
		}
	}
}

func (f *file) lexerAt(at int) *lexer { return &lexer{f.data, min(max(at, 0), len(f.data)), f.spent} }

// readTable reads one table of objects in either form, and returns its trailer.
func (f *file) readTable(at int) dict {
	lexer := f.lexerAt(at)
	if lexer.object(0) != operator("xref") {
		found, _ := f.objectAt(at, -1).(*stream)
		if found == nil || found.dict["Type"] != name("XRef") {
			return nil
		}
		f.readTableStream(found)
		return found.dict
	}
	for {
		switch first := lexer.object(0).(type) {
		case float64:
			count, _ := lexer.object(0).(float64)
			if !f.readSection(lexer, int(first), int(count)) {
				return nil
			}
		case operator:
			trailer, _ := lexer.object(0).(dict)
			return trailer
		default:
			return nil
		}
	}
}

func (f *file) readSection(lexer *lexer, first, count int) bool {
	for number := first; number < first+count; number++ {
		offset, isNumber := lexer.object(0).(float64)
		generation, _ := lexer.object(0).(float64)
		kind, _ := lexer.object(0).(operator)
		if !isNumber || kind != "n" && kind != "f" {
			return false
		}
		if kind == "n" {
			f.add(number, entry{offset: int(offset), generation: int(generation)})
		}
	}
	return true
}

// add records where an object is, unless a newer table has said so already.
func (f *file) add(number int, where entry) {
	if _, ok := f.entries[number]; !ok && number >= 0 && number <= maxObjectNumber && f.spent.keep(64) {
		f.entries[number] = where
	}
}

func (f *file) readTableStream(found *stream) {
	widths := [3]int{}
	for i, width := range f.array(found.dict["W"]) {
		if number, ok := width.(float64); ok && i < 3 && number >= 0 && number <= 8 {
			widths[i] = int(number)
		}
	}
	size := widths[0] + widths[1] + widths[2]
	data := f.decode(found)
	sections := f.array(found.dict["Index"])
	if len(sections) == 0 {
		sections = array{0.0, found.dict["Size"]}
	}
	for i := 0; i+1 < len(sections) && size > 0; i += 2 {
		first, _ := sections[i].(float64)
		count, _ := sections[i+1].(float64)
		for number := int(first); number < int(first)+int(count) && len(data) >= size && f.spent.step(); number++ {
			f.addRow(number, data[:size], widths)
			data = data[size:]
		}
	}
}

func (f *file) addRow(number int, row []byte, widths [3]int) {
	fields := [3]int{1}
	for i, width := range widths {
		if width == 0 {
			continue
		}
		value := uint64(0)
		for _, b := range row[:width] {
			value = value<<8 | uint64(b)
		}
		fields[i], row = int(min(value, math.MaxInt32)), row[width:]
	}
	switch fields[0] {
	case 1:
		f.add(number, entry{offset: fields[1], generation: fields[2]})
	case 2:
		f.add(number, entry{group: fields[1], index: fields[2]})
	}
}

// repair searches the whole file for objects and trailers. The last object of a number counts.
func (f *file) repair() {
	if f.repaired {
		return
	}
	f.repaired = true
	f.entries, f.objects, f.groups = map[int]entry{}, map[int]any{}, map[int][]any{}
	var groups []int
	for at := 0; f.spent.step(); {
		next := bytes.Index(f.data[at:], []byte("obj"))
		trailer := bytes.Index(f.data[at:min(len(f.data), at+max(next, 0))], []byte("trailer"))
		if next < 0 {
			trailer = bytes.Index(f.data[at:], []byte("trailer"))
		}
		if trailer >= 0 {
			at += trailer + len("trailer")
			found, _ := f.lexerAt(at).object(0).(dict)
			f.addTrailer(found)
			continue
		}
		if next < 0 {
			break
		}
		end := at + next
		at = end + len("obj")
		number, generation, start, ok := headerBefore(f.data, end)
		if !ok || !f.spent.keep(64) {
			continue
		}
		f.entries[number] = entry{offset: start, generation: generation}
		lexer := f.lexerAt(at)
		if lexer.skipSpace(); !bytes.HasPrefix(f.data[lexer.at:], []byte("<<")) {
			continue
		}
		found, _ := lexer.object(0).(dict)
		switch found["Type"] {
		case name("XRef"):
			f.addTrailer(found)
		case name("ObjStm"):
			groups = append(groups, number)
		case name("Catalog"):
			if f.trailer["Root"] == nil {
				f.trailer["Root"] = reference{number, generation}
			}
		}
		at = max(at, min(lexer.at, len(f.data)))
	}
	f.unlock()
	for _, group := range groups {
		for index, number := range f.groupNumbers(group) {
			f.add(number, entry{group: group, index: index})
		}
	}
	if f.dict(f.trailer["Root"])["Pages"] == nil {
		f.findRoot()
	}
}

// findRoot takes any catalogue, when no trailer names one.
func (f *file) findRoot() {
	for _, number := range f.numbers() {
		ref := reference{number: number}
		if found := f.dict(ref); found["Type"] == name("Catalog") {
			f.trailer["Root"] = ref
			return
		}
	}
}

func (f *file) addTrailer(found dict) {
	for _, key := range []name{"Root", "Encrypt", "ID"} {
		if value, ok := found[key]; ok {
			f.trailer[key] = value
		}
	}
}

// headerBefore reads "12 0 " backwards from where "obj" begins.
func headerBefore(data []byte, end int) (number, generation, start int, ok bool) {
	back := func(at int) (value, from int, ok bool) {
		for at > 0 && isSpace(data[at-1]) {
			at--
		}
		from = at
		for from > 0 && at-from < 10 && data[from-1] >= '0' && data[from-1] <= '9' {
			from--
		}
		parsed, ok := parseNumber(data[from:at])
		return int(parsed), from, ok
	}
	generation, at, ok := back(end)
	if !ok || at == end || generation > 65535 {
		return 0, 0, 0, false
	}
	number, start, ok = back(at)
	return number, generation, start, ok && start < at && number <= maxObjectNumber
}

func (f *file) numbers() []int {
	numbers := make([]int, 0, len(f.entries))
	for number := range f.entries {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	return numbers
}

// resolve follows references.
func (f *file) resolve(object any) any {
	for range 16 {
		ref, ok := object.(reference)
		if !ok {
			return object
		}
		object = f.read(ref.number)
	}
	return nil
}

func (f *file) dict(object any) dict {
	switch object := f.resolve(object).(type) {
	case dict:
		return object
	case *stream:
		return object.dict
	}
	return nil
}

func (f *file) array(object any) array {
	found, _ := f.resolve(object).(array)
	return found
}

func (f *file) number(object any, otherwise float64) float64 {
	if found, ok := f.resolve(object).(float64); ok {
		return found
	}
	return otherwise
}

// read returns the object of a number.
func (f *file) read(number int) any {
	if object, ok := f.objects[number]; ok {
		return object
	}
	where, ok := f.entries[number]
	if !ok || f.opening[number] {
		return nil
	}
	f.opening[number] = true
	defer delete(f.opening, number)
	var object any
	if where.group > 0 {
		if group := f.group(where.group); where.index < len(group) {
			object = group[where.index]
		}
	} else {
		steps := f.spent.steps
		object = f.objectAt(where.offset, number)
		f.spent.keep(int(steps-f.spent.steps) * 64)
	}
	f.objects[number] = object
	return object
}

// objectAt reads the object at an offset. If it has another number than the one wanted, the table is wrong.
func (f *file) objectAt(at, wanted int) any {
	lexer := f.lexerAt(at)
	number, _ := lexer.object(0).(float64)
	generation, _ := lexer.object(0).(float64)
	if keyword := lexer.object(0); keyword != operator("obj") || wanted >= 0 && int(number) != wanted {
		if wanted < 0 || f.repaired {
			return nil
		}
		f.repair()
		if where, ok := f.entries[wanted]; ok && where.group == 0 {
			return f.objectAt(where.offset, wanted)
		}
		return nil
	}
	object := lexer.object(0)
	header, isDict := object.(dict)
	if !isDict {
		switch object.(type) {
		case operator, closing, endOfInput:
			return nil
		}
		return object
	}
	lexer.skipSpace()
	if !bytes.HasPrefix(f.data[lexer.at:], []byte("stream")) {
		return header
	}
	return &stream{header, f.streamBytes(lexer.at+len("stream"), header), reference{int(number), int(generation)}}
}

// streamBytes finds where a stream ends: where its length says, if that is true, or before the next "endstream".
func (f *file) streamBytes(start int, header dict) []byte {
	if bytes.HasPrefix(f.data[start:], []byte("\r\n")) {
		start += 2
	} else if start < len(f.data) && (f.data[start] == '\n' || f.data[start] == '\r') {
		start++
	}
	length := f.number(header["Length"], -1)
	if end := start + int(length); length >= 0 && length < float64(len(f.data)) && end <= len(f.data) {
		lexer := f.lexerAt(end)
		if lexer.skipSpace(); bytes.HasPrefix(f.data[lexer.at:], []byte("endstream")) {
			return f.data[start:end]
		}
	}
	end := bytes.Index(f.data[start:], []byte("endstream"))
	if end < 0 {
		return f.data[start:]
	}
	return bytes.TrimRight(f.data[start:start+end], "\r\n")
}

// group returns the objects of an object stream.
func (f *file) group(number int) []any {
	if objects, ok := f.groups[number]; ok {
		return objects
	}
	f.groups[number] = nil // in case it asks for itself
	found, _ := f.read(number).(*stream)
	if found == nil || f.entries[number].group > 0 {
		return nil
	}
	data := f.decode(found)
	first := int(f.number(found.dict["First"], 0))
	lexer := &lexer{data, 0, f.spent}
	var objects []any
	steps := f.spent.steps
	for range int(f.number(found.dict["N"], 0)) {
		_, isNumber := lexer.object(0).(float64)
		offset, _ := lexer.object(0).(float64)
		if !isNumber || offset < 0 || first+int(offset) > len(data) || first < 0 {
			break
		}
		objects = append(objects, f.objectIn(data, first+int(offset)))
	}
	f.spent.keep(int(steps-f.spent.steps) * 64)
	f.groups[number] = objects
	return objects
}

func (f *file) objectIn(data []byte, at int) any { return (&lexer{data, at, f.spent}).object(0) }

// groupNumbers returns the numbers of the objects in an object stream.
func (f *file) groupNumbers(number int) []int {
	found, _ := f.read(number).(*stream)
	if found == nil {
		return nil
	}
	lexer := &lexer{f.decode(found), 0, f.spent}
	var numbers []int
	for range int(f.number(found.dict["N"], 0)) {
		object, ok := lexer.object(0).(float64)
		if !ok {
			break
		}
		lexer.object(0)
		numbers = append(numbers, int(object))
	}
	return numbers
}
