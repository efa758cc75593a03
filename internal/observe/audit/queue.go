package audit

import "bytes"

// maxQueue bounds, in bytes, the lines of reading calls that are queued while the
// file cannot be written. Lines of changes are always queued: further changes are
// refused meanwhile, so there are only those of the calls that were running.
const maxQueue = 1 << 20

// queuedLine is a line that is not in the file yet.
type queuedLine struct {
	text    []byte
	durable bool
}

// enqueue queues a line, or counts it as lost if the queue is full.
func (l *Log) enqueue(line queuedLine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !line.durable && len(l.queue) > 0 && l.size+len(line.text) > maxQueue {
		l.lost++
		return
	}
	l.queue = append(l.queue, line)
	l.size += len(line.text)
}

// behind reports whether anything is still to be written.
func (l *Log) behind() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) > 0 || l.lost > 0
}

// batch is a group of lines that is written at once.
type batch struct {
	lines, lost int // how many queued and how many lost lines it covers
	text        []byte
	durable     bool
}

// pending returns everything that is still to be written.
func (l *Log) pending() batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := batch{lines: len(l.queue), lost: l.lost}
	texts := make([][]byte, 0, len(l.queue)+1)
	for _, line := range l.queue {
		texts = append(texts, line.text)
		all.durable = all.durable || line.durable
	}
	if all.lost > 0 {
		text, _ := Line{Kind: lost, Lost: all.lost}.encode(l.now) // no field of it can fail
		texts = append(texts, text)
	}
	all.text = bytes.Join(texts, nil)
	return all
}

// written removes a batch from the queue once it is in the file.
func (l *Log) written(done batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.queue[:done.lines] {
		l.size -= len(line.text)
	}
	l.queue = append([]queuedLine(nil), l.queue[done.lines:]...)
	l.lost -= done.lost
}
