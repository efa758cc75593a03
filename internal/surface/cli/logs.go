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

// logs shows where the server's stderr output is kept: the client that started the server decides that.
func (p Program) logs() *cobra.Command {
	cmd := &cobra.Command{Use: "logs [CLIENT]", ValidArgsFunction: completeClients,
		Short: "show where this server's logs are, or the end of the newest with --tail",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usage{errors.New("logs takes at most one client")}
			}
			return nil
		}}
	name := cmd.Flags().String("name", install.DefaultName, "the server's name in the clients")
	tail := cmd.Flags().Int("tail", 0, "print this many lines from the end of the newest log")
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
		for _, logs := range found {
			p.describeLogs(logs)
		}
		if len(args) == 0 {
			p.listOtherLogs(p.settings(cmd))
		}
		return nil
	}
	return cmd
}

// clientLogs are a client's logs of this server.
type clientLogs struct {
	client clients.Client
	paths  []string          // where the client keeps its logs
	files  []clients.LogFile // newest first
}

// findLogs finds the logs of the named client, or of all clients on this machine.
func findLogs(ids []string, server string) (all []clientLogs, err error) {
	machine := clients.UserMachine()
	chosen := clients.All()
	if len(ids) > 0 {
		named, err := clients.Find(ids[0])
		if err != nil {
			return nil, err
		}
		chosen = []clients.Client{named}
	}
	for _, client := range chosen {
		if len(ids) == 0 && !client.Present(machine) {
			continue
		}
		all = append(all, clientLogs{client, client.Logs(machine), client.LogFiles(machine, server)})
	}
	return all, nil
}

// newestLog returns the log that was written last, or a LogFile without a path if there are no logs.
func newestLog(all []clientLogs) (newest clients.LogFile) {
	for _, logs := range all {
		if len(logs.files) > 0 && logs.files[0].Written.After(newest.Written) {
			newest = logs.files[0]
		}
	}
	return newest
}

// mostLogs bounds how many logs of a client are listed: some clients keep one per run.
const mostLogs = 3

func (p Program) describeLogs(logs clientLogs) {
	fmt.Fprintln(p.Out, p.paint(bold, logs.client.Name))
	switch {
	case len(logs.paths) == 0:
		fmt.Fprintln(p.Out, "  keeps no logs")
	case len(logs.files) == 0:
		fmt.Fprintf(p.Out, "  no logs yet; they will be at %s\n", visible.Name(logs.paths[0]))
	}
	for _, log := range logs.files[:min(len(logs.files), mostLogs)] {
		fmt.Fprintf(p.Out, "  %s  %s, written %s\n", visible.Name(log.Path), formatSize(log.Size),
			log.Written.Local().Format(time.DateTime))
	}
	if more := len(logs.files) - mostLogs; more > 0 {
		fmt.Fprintf(p.Out, "  and %d older\n", more)
	}
}

func formatSize(size int64) string {
	switch {
	case size < 1000:
		return fmt.Sprintf("%d bytes", size)
	case size < 1_000_000:
		return fmt.Sprintf("%d KB", size/1000)
	}
	return fmt.Sprintf("%d MB", size/1_000_000)
}

// listOtherLogs says where to look when something other than a client started the server, and where the server keeps its
// own records. A mistake in the settings hides only the latter.
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
		audit = "unknown: " + visible.Name(mistake.Error())
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

// mostTail bounds how many bytes of a log are read: some logs grow without end.
const mostTail = 1 << 20

// printTail prints the last lines of a log.
func (p Program) printTail(log clients.LogFile, lines int) error {
	if log.Path == "" {
		return fault.NotFound.Errorf("no client has written a log yet").WithHint("use the server from a client, then try again")
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
