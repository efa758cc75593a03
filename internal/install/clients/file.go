package clients

// PlanFile plans to change a file of this program, with the care that clients' files get. The file need not exist.
func PlanFile(file string, change func(before []byte) (after []byte, err error)) (Plan, error) {
	from, err := readSource(file)
	if err != nil {
		return Plan{}, err
	}
	after, err := change(from.text)
	return Plan{File: file, Before: from.text, After: after, source: from}, err
}

// IsNew reports whether the file does not exist yet.
func (p Plan) IsNew() bool { return p.source.info == nil }
