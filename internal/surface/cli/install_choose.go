package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// choose finds out which clients are meant: those that were named, all on this machine, or those that a person picks
// from a list. It asks only if there are several and something will be written.
func (i *installer) choose(ids []string) ([]clients.Client, error) {
	if len(ids) > 0 {
		return install.Named(ids)
	}
	found := i.plan.Candidates()
	switch {
	case len(found) == 0 && i.plan.Remove && i.plan.Machine.Home != "":
		i.say("nothing to remove: no client on this machine has an entry '%s' for this server", i.plan.Name)
		return nil, nil
	case len(found) == 0:
		return nil, i.plan.NoCandidates()
	case i.all, i.plan.DryRun, len(found) == 1:
		chosen, leftOut := i.editable(found)
		i.leftOut = leftOut
		return chosen, nil
	}
	i.list(found)
	if !i.program.IsTerminal() {
		i.message(fmt.Sprintf("which? obsidian-mcp %s %s, or --all", i.pick("install", "uninstall"), found[0].ID))
		return nil, &exit{2}
	}
	return i.pickClients(found)
}

// editable returns the clients whose configuration can be changed. It says why the others are left out, and returns
// the first reason.
func (i *installer) editable(found []clients.Client) (chosen []clients.Client, first error) {
	chosen, leftOut := i.plan.Editable(found)
	for _, left := range leftOut {
		i.reportLeftOut(left.Client, left.Err)
	}
	if len(leftOut) > 0 {
		first = leftOut[0].Err
	}
	return chosen, first
}

// reportLeftOut says why one client of several is not set up. The hint's "nothing was changed" is true of that
// client only, and is dropped.
func (i *installer) reportLeftOut(client clients.Client, err error) {
	text := visible.Name(err.Error())
	if hint := strings.TrimPrefix(strings.TrimPrefix(fault.HintOf(err), "nothing was changed"), "; "); hint != "" {
		text += "; " + visible.Name(hint)
	}
	i.message(client.Name + " is left out: " + text)
}

// list shows the clients, and what is set up in each.
func (i *installer) list(found []clients.Client) {
	for n, client := range found {
		fmt.Fprintf(i.program.Out, "%d  %-14s  %s\n   %s\n", n+1, client.ID, i.plan.State(i.cmd.Context(), client),
			i.program.paint(dim, visible.Name(i.plan.File(client))))
	}
}

// pickClients asks which clients of a list to use.
func (i *installer) pickClients(found []clients.Client) (picked []clients.Client, err error) {
	err = i.askFor("Which? Numbers such as 1 or 1-3, names, all, or q to leave [all]: ", func(answer string) (err error) {
		if slices.Contains([]string{"", "a", "all"}, strings.ToLower(answer)) {
			picked, _ = i.editable(found) // the list has shown which ones cannot be changed
			return nil
		}
		picked, err = numbered(found, answer)
		return err
	})
	return picked, err
}

// looseRange is a range of numbers with spaces, as some people write it.
var looseRange = regexp.MustCompile(`(\d) *- *(\d)`)

// numbered returns the clients that an answer names by id, number or range of numbers, each once.
func numbered(found []clients.Client, answer string) ([]clients.Client, error) {
	separates := func(r rune) bool { return r == ' ' || r == ',' }
	words := strings.FieldsFunc(looseRange.ReplaceAllString(answer, "$1-$2"), separates)
	var numbers []int
	for _, word := range words {
		first, last, ok := parseRange(found, word)
		if !ok {
			return nil, fmt.Errorf("'%s' is not in the list: answer with numbers from 1 to %d, or all",
				visible.Name(word), len(found))
		}
		for number := first; number <= last; number++ {
			if !slices.Contains(numbers, number) {
				numbers = append(numbers, number)
			}
		}
	}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("'%s' names no client: answer with numbers from 1 to %d, or all",
			visible.Name(answer), len(found))
	}
	var picked []clients.Client
	for _, number := range numbers {
		picked = append(picked, found[number-1])
	}
	return picked, nil
}

// parseRange reads an id, a number, or a range such as 1-3.
func parseRange(found []clients.Client, word string) (first, last int, ok bool) {
	hasID := func(client clients.Client) bool { return strings.EqualFold(client.ID, word) }
	if at := slices.IndexFunc(found, hasID); at >= 0 {
		return at + 1, at + 1, true
	}
	low, high, isRange := strings.Cut(word, "-")
	if !isRange {
		high = low
	}
	first, err := strconv.Atoi(low)
	last, errLast := strconv.Atoi(high)
	return first, last, err == nil && errLast == nil && first >= 1 && last >= first && last <= len(found)
}
