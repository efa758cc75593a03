package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// logs says where what the server writes to stderr ends up: whoever started it
// keeps that.
func (p Program) logs() *cobra.Command {
	cmd := &cobra.Command{Use: "logs [CLIENT]", Short: "where the logs of this server are; with --tail, the end of the newest instead", ValidArgsFunction: completeClients,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usage{errors.New("logs takes one client, or none for all of them")}
			}
			return nil
		}}
	name := cmd.Flags().String("name", install.DefaultName, "the server's name in the clients")
	tail := cmd.Flags().Int("tail", 0, "print the last lines of the newest log")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := install.CheckName(*name); err != nil {
			return err
		}
		if *tail < 0 {
			return fault.InvalidArgument.Errorf("--tail: must be a whole number from 0")
		}
		found, err := findLogs(args, *name)
		if err != nil {
			return err
		}
		if *tail > 0 {
			return p.printTail(newestLog(found), *tail)
		}
		for _, one := range found {
			p.describeLogs(one)
		}
		if len(args) == 0 {
			p.listOtherLogs(p.settings(cmd))
		}
		return nil
	}
	return cmd
}

// clientLogs are the logs that a client keeps of the server.
type clientLogs struct {
	client clients.Client
	places []string
	files  []clients.LogFile // the newest first
}

// findLogs finds the logs of the clients on this machine, or of one.
func findLogs(ids []string, server string) (all []clientLogs, err error) {
	machine := clients.UserMachine()
	chosen := clients.All()
	if len(ids) > 0 {
		one, err := clients.Find(ids[0])
		if err != nil {
			return nil, err
		}
		chosen = []clients.Client{one}
	}
	for _, client := range chosen {
		if len(ids) == 0 && !client.Present(machine) {
			continue
		}
		all = append(all, clientLogs{client, client.Logs(machine), client.LogFiles(machine, server)})
	}
	return all, nil
}

// newestLog is the log that was written last; it has no name if there is none.
func newestLog(all []clientLogs) (newest clients.LogFile) {
	for _, one := range all {
		if len(one.files) > 0 && one.files[0].Written.After(newest.Written) {
			newest = one.files[0]
		}
	}
	return newest
}

// mostLogs bounds how many logs of a client are listed: some keep one a run.
const mostLogs = 3

func (p Program) describeLogs(of clientLogs) {
	found := of.files
	fmt.Fprintln(p.Out, p.paint(bold, of.client.Name))
	switch {
	case len(of.places) == 0:
		fmt.Fprintln(p.Out, "  keeps none")
	case len(found) == 0:
		fmt.Fprintf(p.Out, "  none yet; they will be at %s\n", visible.Name(of.places[0]))
	}
	for _, log := range found[:min(len(found), mostLogs)] {
		fmt.Fprintf(p.Out, "  %s  %s, written %s\n", visible.Name(log.Path), bytesInWords(log.Size), log.Written.Local().Format(time.DateTime))
	}
	if more := len(found) - mostLogs; more > 0 {
		fmt.Fprintf(p.Out, "  and %d older\n", more)
	}
}

func bytesInWords(size int64) string {
	switch {
	case size < 1000:
		return fmt.Sprintf("%d bytes", size)
	case size < 1_000_000:
		return fmt.Sprintf("%d KB", size/1000)
	}
	return fmt.Sprintf("%d MB", size/1_000_000)
}

// listOtherLogs tells where to look when no client started the server, and what
// the server keeps itself. A mistake in the settings hides that alone.
func (p Program) listOtherLogs(settings config.Config, mistake error) {
	audit := "off; OBSIDIAN_MCP_AUDIT_LOG switches it on"
	if settings.AuditLog != "" {
		audit = visible.Name(settings.AuditLog)
	}
	history := "off; OBSIDIAN_MCP_HISTORY switches it on"
	if settings.History.Mode != config.HistoryOff {
		history = "in " + visible.Name(settings.StateDir) + "; obsidian-mcp history lists it"
	}
	if mistake != nil {
		audit = "not known: " + visible.Name(mistake.Error())
		history = audit
	}
	fmt.Fprintln(p.Out, p.paint(bold, "Elsewhere"))
	for _, line := range [][2]string{
		{"systemd", "journalctl -u 'obsidian-mcp@*', or journalctl --user -u obsidian-mcp"},
		{"Docker", "docker logs CONTAINER, or docker compose logs"},
		{"audit log", audit},
		{"history of changes", history},
	} {
		fmt.Fprintf(p.Out, "  %s: %s\n", line[0], line[1])
	}
}

// mostTail bounds how much of a log is read: some grow without end.
const mostTail = 1 << 20

// printTail prints the last lines of a log.
func (p Program) printTail(log clients.LogFile, lines int) error {
	if log.Path == "" {
		return fault.NotFound.Errorf("there is no log of a client yet").WithHint("use the server from a client, and look again")
	}
	file, err := os.Open(log.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(max(0, log.Size-mostTail), io.SeekStart); err != nil {
		return err
	}
	end, err := io.ReadAll(io.LimitReader(file, mostTail))
	if err != nil {
		return err
	}
	all := strings.Split(strings.TrimSuffix(string(end), "\n"), "\n")
	fmt.Fprintln(p.Out, p.paint(bold, visible.Name(log.Path)))
	for _, line := range all[max(0, len(all)-lines):] {
		if _, err := fmt.Fprintln(p.Out, visible.Line(strings.TrimSuffix(line, "\r"))); err != nil {
			return err
		}
	}
	return nil
}
