package cli

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// choose finds out which clients are meant: those that were named, all that are
// here, or those that a person picks from a list. Where there is one only, or
// nothing will be written, there is nothing to ask.
func (i *installer) choose(args []string) ([]clients.Client, error) {
	if len(args) > 0 {
		return i.named(args)
	}
	found := i.candidates()
	switch {
	case len(found) == 0 && i.machine.Home == "":
		return nil, fault.InvalidArgument.Errorf("the user's folder is not known, and so no client is found").WithHint("set %s", i.machine.HomeVariable())
	case len(found) == 0 && i.removes:
		i.say("nothing to take out: no client here has an entry '%s' of this server", i.name)
		return nil, nil
	case len(found) == 0:
		return nil, fault.NotFound.Errorf("no AI client was found on this machine").
			WithHint("name one to set it up nevertheless: obsidian-mcp install CLIENT, of %s", strings.Join(clientIDs(), ", "))
	case i.all, i.dryRun, len(found) == 1:
		chosen, leftOut := i.editable(found)
		i.leftOut = leftOut
		return chosen, nil
	}
	i.list(found)
	if !i.IsTerminal() {
		fmt.Fprintf(i.Err, "obsidian-mcp: which? obsidian-mcp %s %s, or --all\n", i.pick("install", "uninstall"), found[0].ID)
		return nil, &exit{2}
	}
	return i.pickClients(found)
}

// named are the clients of some ids, each once.
func (i *installer) named(ids []string) ([]clients.Client, error) {
	var all []clients.Client
	for n, id := range ids {
		client, err := clients.Find(id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids[:n], id) {
			all = append(all, client)
		}
	}
	return all, nil
}

// candidates are the clients on this machine that can take the server, or that
// have it.
func (i *installer) candidates() []clients.Client {
	return slices.DeleteFunc(clients.All(), func(client clients.Client) bool {
		switch {
		case !client.Present(i.machine):
			return true
		case i.removes:
			return !i.mayHave(client)
		}
		return !client.Takes(clients.Server{URL: i.url})
	})
}

// mayHave reports whether a client has an entry to take out. Of a configuration
// that cannot be read nobody knows.
func (i *installer) mayHave(client clients.Client) bool {
	known, err := i.lookUp(client)
	if known.State == clients.Foreign {
		return i.force
	}
	return err != nil || known.State != clients.Absent
}

// lookUp finds out what a client has under the entry's name, and whether it can
// be changed.
func (i *installer) lookUp(client clients.Client) (clients.Plan, error) {
	server := clients.Server{Name: i.name, URL: i.url, Command: Executable()}
	if i.removes {
		return i.unlessClosed(client.Uninstall(i.file(client), server, clients.Options{}))
	}
	return i.unlessClosed(client.Install(i.file(client), server, clients.Options{}))
}

// editable are the clients of several whose configuration can be changed: one
// that is broken must not keep the others from being set up. Of the rest it says
// why not, and gives the first reason. If there are no others, that is for whoever
// tries the change to tell.
func (i *installer) editable(found []clients.Client) (chosen []clients.Client, leftOut error) {
	reasons := map[string]error{}
	for _, client := range found {
		known, err := i.lookUp(client)
		if err == nil || i.force && known.State == clients.Foreign {
			chosen = append(chosen, client)
			continue
		}
		reasons[client.Name] = err
		leftOut = cmp.Or(leftOut, err)
	}
	if len(chosen) == 0 {
		return found, nil
	}
	for _, client := range found {
		if err := reasons[client.Name]; err != nil {
			i.tellLeftOut(client, err)
		}
	}
	return chosen, leftOut
}

// tellLeftOut says why one client of several is not set up. What the hint says
// of changes holds for that one alone, and goes without saying.
func (i *installer) tellLeftOut(client clients.Client, err error) {
	text := visible.Name(err.Error())
	if hint := strings.TrimPrefix(strings.TrimPrefix(fault.HintOf(err), "nothing was changed"), "; "); hint != "" {
		text += "; " + visible.Name(hint)
	}
	fmt.Fprintf(i.Err, "obsidian-mcp: %s is left out: %s\n", client.Name, text)
}

// list shows what is set up where.
func (i *installer) list(found []clients.Client) {
	for n, client := range found {
		fmt.Fprintf(i.Out, "%d  %-14s  %s\n   %s\n", n+1, client.ID, i.state(client), i.paint(dim, visible.Name(i.file(client))))
	}
}

// state is what a client's configuration says about this server, in words.
// Which vault it should be may not be known yet.
func (i *installer) state(client clients.Client) string {
	known, err := i.lookUp(client)
	switch {
	case err != nil && known.State == clients.Foreign:
		return clients.Foreign.String()
	case err != nil:
		return "cannot be edited: " + visible.Name(err.Error())
	case known.State == clients.Absent || i.removes:
		return map[bool]string{true: clients.Absent.String(), false: clients.Same.String()}[known.State == clients.Absent]
	}
	silent := *i
	silent.IsTerminal, silent.Err = func() bool { return false }, io.Discard
	server, err := silent.server()
	if err != nil {
		return clients.Same.String()
	}
	plan, err := silent.planOne(client, server)
	if err != nil {
		return "cannot be edited: " + visible.Name(err.Error())
	}
	return plan.State.String()
}

// pickClients asks which clients of a list.
func (i *installer) pickClients(found []clients.Client) (picked []clients.Client, err error) {
	err = i.askFor("Which? Numbers such as 1 or 1-3, names, all, or q to leave [all]: ", func(answer string) (err error) {
		if slices.Contains([]string{"", "a", "all"}, strings.ToLower(answer)) {
			picked, _ = i.editable(found) // the list has told which cannot be
			return nil
		}
		picked, err = numbered(found, answer)
		return err
	})
	return picked, err
}

// looseRange is a range of numbers as some people write it.
var looseRange = regexp.MustCompile(`(\d) *- *(\d)`)

// numbered are the clients that an answer names by what the list shows, or by
// ranges of numbers, each once.
func numbered(found []clients.Client, answer string) ([]clients.Client, error) {
	words := strings.FieldsFunc(looseRange.ReplaceAllString(answer, "$1-$2"), func(r rune) bool { return r == ' ' || r == ',' })
	var numbers []int
	for _, word := range words {
		if at := slices.IndexFunc(found, func(client clients.Client) bool { return strings.EqualFold(client.ID, word) }); at >= 0 {
			word = strconv.Itoa(at + 1)
		}
		low, high, isRange := strings.Cut(word, "-")
		if !isRange {
			high = low
		}
		first, err := strconv.Atoi(low)
		last, errLast := strconv.Atoi(high)
		if err != nil || errLast != nil || first < 1 || last < first || last > len(found) {
			return nil, fmt.Errorf("'%s' is not in the list: answer with numbers from 1 to %d, or all", visible.Name(word), len(found))
		}
		for number := first; number <= last; number++ {
			if !slices.Contains(numbers, number) {
				numbers = append(numbers, number)
			}
		}
	}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("'%s' names none: answer with numbers from 1 to %d, or all", visible.Name(answer), len(found))
	}
	var picked []clients.Client
	for _, number := range numbers {
		picked = append(picked, found[number-1])
	}
	return picked, nil
}

// remark tells what to know about changes that are about to be shown.
func (i *installer) remark(changes []clients.Plan, server clients.Server) {
	if len(changes) > 0 && !i.removes {
		i.tellLost(changes, server)
	}
	if i.quiet || len(changes) == 0 {
		return
	}
	for _, plan := range changes {
		for _, remark := range plan.Remarks() {
			fmt.Fprintf(i.Err, "obsidian-mcp: %s is replaced: %s\n", visible.Name(plan.File), remark)
		}
	}
	if i.removes {
		return
	}
	if i.proposal != "" {
		fmt.Fprintln(i.Err, "obsidian-mcp: "+i.proposal)
	}
	if server.URL == "" && isTemporary(server.Command) {
		fmt.Fprintln(i.Err, "obsidian-mcp: this program is in a temporary folder ("+visible.Name(server.Command)+"): move it to where it can stay, and run install from there")
	}
	for _, plan := range changes {
		if i.configFile == "" && !plan.Client.Present(i.machine) {
			fmt.Fprintln(i.Err, "obsidian-mcp: "+plan.Client.Name+" was not found on this machine; its configuration is prepared nevertheless")
		}
	}
}
