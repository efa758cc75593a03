package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// confirm asks whether to write what was shown.
func (i *installer) confirm() error {
	switch {
	case i.yes:
		return nil
	case !i.IsTerminal():
		fmt.Fprintln(i.Err, "obsidian-mcp: nothing was written; the same command with --yes writes this")
		return &exit{2}
	}
	agreed := false
	err := i.askFor("Write this? [y/N] ", func(answer string) error {
		answer = strings.ToLower(answer)
		agreed = answer == "y" || answer == "yes"
		if !agreed && !slices.Contains([]string{"", "n", "no"}, answer) {
			return errors.New("answer with y or n")
		}
		return nil
	})
	if err == nil && !agreed {
		err = i.left()
	}
	return err
}

// mostTries is how often a question is asked: who has misread it once reads it
// again, and what is not a person ends.
const mostTries = 3

// askFor asks until the answer is one that is taken.
func (i *installer) askFor(question string, take func(answer string) error) error {
	for try := 1; ; try++ {
		answer, err := i.ask(question)
		if err != nil {
			return err
		}
		err = take(answer)
		switch {
		case err == nil:
			return nil
		case try == mostTries:
			return fault.InvalidArgument.Errorf("%w", err).WithHint("nothing was changed")
		}
		fmt.Fprintln(i.Err, err)
	}
}

// ask reads a person's answer. The end of input is no answer; q and an
// interruption end the program, before anything was changed.
func (i *installer) ask(question string) (string, error) {
	fmt.Fprint(i.Err, question)
	answered := make(chan string, 1)
	go func() { // reading from a terminal cannot be called off: it ends with the process
		defer close(answered)
		if line, err := i.answers.ReadString('\n'); err == nil || line != "" {
			answered <- strings.TrimSpace(line)
		}
	}()
	var answer string
	var isAnswer bool
	select {
	case <-i.cmd.Context().Done():
	case answer, isAnswer = <-answered:
	}
	switch {
	case i.cmd.Context().Err() != nil: // whatever was typed after Ctrl-C
		fmt.Fprintln(i.Err)
		return "", i.interrupted()
	case !isAnswer:
		fmt.Fprintln(i.Err)
		return "", fault.InvalidArgument.Errorf("no answer was given").WithHint("nothing was changed")
	case strings.EqualFold(answer, "q") || strings.EqualFold(answer, "quit"):
		return "", i.left()
	}
	return answer, nil
}

// left ends what a person did not want after all.
func (i *installer) left() error {
	fmt.Fprintln(i.Err, "obsidian-mcp: nothing was changed")
	return &exit{1}
}

// interrupted ends as programs do that a signal ends.
func (i *installer) interrupted() error {
	fmt.Fprintln(i.Err, "obsidian-mcp: interrupted; nothing was changed")
	return &exit{130}
}
