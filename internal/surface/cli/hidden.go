package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// A terminal passes on at most a few thousand bytes of a line (1,024 on macOS), and a setup link may be longer. So the
// line is read byte by byte. Terminals mark what is pasted, so that a line break in it does not end the line.
const (
	markPastes = "\x1b[?2004h"
	plainPaste = "\x1b[?2004l"
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// readTerminal asks for a text on the terminal without showing it.
func readTerminal(ctx context.Context, in *os.File, to io.Writer, question string) (string, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(in.Fd()), before)
	fmt.Fprint(to, markPastes+question)
	defer fmt.Fprint(to, plainPaste+"\r\n")
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() { // reading from a terminal cannot be cancelled: it ends with the process
		text, err := readHidden(in)
		answered <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case got := <-answered:
		return got.text, got.err
	}
}

// The keys that end or change a line.
const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	backspace = 0x08
	ctrlU     = 0x15
	escape    = 0x1b
	deleteKey = 0x7f
)

// readHidden reads a line from a terminal that passes on every key.
func readHidden(from io.Reader) (string, error) {
	var text, sequence []byte
	pasting := false
	for key := make([]byte, 1); ; {
		if _, err := io.ReadFull(from, key); err != nil {
			return "", err
		}
		switch c := key[0]; {
		case len(sequence) > 0:
			if sequence = append(sequence, c); len(sequence) > 2 && c >= '@' || len(sequence) == 2 && c != '[' {
				pasting = string(sequence) == pasteBegin || pasting && string(sequence) != pasteEnd
				sequence = nil // other keys that send sequences, such as arrows, do nothing
			}
		case c == escape:
			sequence = []byte{c}
		case pasting:
			text = append(text, c)
		case c == '\r' || c == '\n':
			return string(text), nil
		case c == ctrlC:
			return "", context.Canceled
		case c == ctrlD && len(text) == 0:
			return "", io.EOF
		case c == ctrlU:
			text = nil
		case c == backspace || c == deleteKey:
			_, size := utf8.DecodeLastRune(text)
			text = text[:len(text)-size]
		case c >= ' ':
			text = append(text, c)
		}
		if len(text) > mostHidden {
			return "", errors.New("the text is too long")
		}
	}
}

// mostHidden is the size in bytes of the longest text that is read.
const mostHidden = 1 << 20

// pasted is a text without the line breaks that a paste may end with.
func pasted(text string) string { return strings.TrimRight(text, "\r\n") }
