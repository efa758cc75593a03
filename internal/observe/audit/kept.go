package audit

import "bytes"

// mostKept bounds the lines of calls that changed nothing which are kept while
// the file cannot be written. Changes are refused meanwhile, so that their lines
// are only those of the calls that were running.
const mostKept = 1 << 20 // bytes

// kept is a line that is not in the file yet.
type kept struct {
	text    []byte
	durable bool
}

// keep puts a line behind those that are to be written, or counts it.
func (l *Log) keep(line kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !line.durable && len(l.kept) > 0 && l.size+len(line.text) > mostKept {
		l.lost++
		return
	}
	l.kept = append(l.kept, line)
	l.size += len(line.text)
}

// behind reports whether something is still to be written.
func (l *Log) behind() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.kept) > 0 || l.lost > 0
}

// batch is what is to be written at once.
type batch struct {
	lines, lost int // how many of those kept and of those counted it is about
	text        []byte
	durable     bool
}

// pending is all that is to be written.
func (l *Log) pending() batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := batch{lines: len(l.kept), lost: l.lost}
	texts := make([][]byte, 0, len(l.kept)+1)
	for _, line := range l.kept {
		texts = append(texts, line.text)
		all.durable = all.durable || line.durable
	}
	if all.lost > 0 {
		told, _ := Line{Kind: lost, Lost: all.lost}.encode(l.now) // nothing in it can fail
		texts = append(texts, told)
	}
	all.text = bytes.Join(texts, nil)
	return all
}

// written forgets what is in the file now.
func (l *Log) written(done batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.kept[:done.lines] {
		l.size -= len(line.text)
	}
	l.kept = append([]kept(nil), l.kept[done.lines:]...)
	l.lost -= done.lost
}
