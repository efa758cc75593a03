package cli

import (
	"context"
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
	case !i.program.IsTerminal():
		i.message("nothing was written; the same command with --yes writes this")
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

// mostTries is how often a question is asked. A person who misread it gets another try; a script that answers
// nonsense does not loop.
const mostTries = 3

// askFor asks until take accepts the answer.
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
		fmt.Fprintln(i.program.Err, err)
	}
}

// ask reads a person's answer. The end of input is not an answer; q and an interruption end the program before
// anything is changed.
func (i *installer) ask(question string) (string, error) {
	fmt.Fprint(i.program.Err, question)
	answered := make(chan string, 1)
	go func() { // reading from a terminal cannot be cancelled: it ends with the process
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
	case i.cmd.Context().Err() != nil: // even if an answer was typed after Ctrl-C
		fmt.Fprintln(i.program.Err)
		return "", context.Canceled
	case !isAnswer:
		fmt.Fprintln(i.program.Err)
		return "", fault.InvalidArgument.Errorf("no answer was given").WithHint("nothing was changed")
	case strings.EqualFold(answer, "q") || strings.EqualFold(answer, "quit"):
		return "", i.left()
	}
	return answer, nil
}

// left ends a run that the person decided against.
func (i *installer) left() error {
	i.message("nothing was changed")
	return &exit{1}
}

// interrupted ends with the status of a program that a signal ended.
func (i *installer) interrupted() error {
	i.message("interrupted; nothing was changed")
	return &exit{130}
}
