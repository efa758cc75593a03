package md

// Lookahead scans src and returns how many bytes the scan examined ahead of its position.
func Lookahead(src []byte) int {
	var scanner Scanner
	scanner.Scan(src)
	return scanner.lookahead
}
