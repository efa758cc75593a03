package search

// In reports whether a text contains the word, as Match decides it.
func (w *Word) In(text []byte) bool {
	var in place
	in.set(text, 0)
	return in.hasWord(w)
}

// In reports whether a text contains the phrase, as Match decides it.
func (p *Phrase) In(text []byte) bool {
	var in place
	in.set(text, 0)
	return in.hasPhrase(p)
}
