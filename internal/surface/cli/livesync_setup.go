package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/text/visible"
)

// SetupOptions are a setup link and how to test it.
type SetupOptions struct {
	Link       config.Secret
	Passphrase config.Secret // of the link
	Remote     string        // which of the link's remotes; "" for the one in use
	Report     func(doctor.Finding)
}

// setup is a run of livesync setup.
type setup struct {
	program        Program
	cmd            *cobra.Command
	passphraseFile string
	remote         string
	newDevice      bool
	deviceURL      string
	yes, dryRun    bool
	quiet          bool
}

func (p Program) setup() *cobra.Command {
	s := &setup{program: p}
	cmd := &cobra.Command{Use: "setup [LINK]", Args: cobra.MaximumNArgs(1),
		Short: "connect to the database that the plugin's setup link names, or print such a link for a new device",
		Long: "Takes the link that the command \"Copy settings as a new setup URI\" of Self-hosted LiveSync makes on a device, and the\n" +
			"passphrase of that link. Tests the connection, reports what it found, and writes the config file; each secret gets a\n" +
			"file of its own that only you can read. Nothing is written to the database.\n" +
			"The terminal asks for the link and its passphrase; a script gives them on standard input, the passphrase on the last\n" +
			"line, or the passphrase in a file.\n" +
			"With --new-device, prints a setup link for another device that is to join the database that is set up here."}
	cmd.Flags().StringVar(&s.passphraseFile, "passphrase-file", "", "a file that holds nothing but the passphrase of the link")
	cmd.Flags().StringVar(&s.remote, "remote", "", "the name of the remote to use, if the link has several")
	cmd.Flags().BoolVarP(&s.yes, "yes", "y", false, "change an existing config file without asking")
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "test the connection and write nothing")
	cmd.Flags().BoolVar(&s.newDevice, "new-device", false, "print a setup link for a new device instead")
	cmd.Flags().StringVar(&s.deviceURL, "device-url", "",
		"with --new-device: the address of CouchDB for devices, if it differs from the one that this program uses")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s.cmd = cmd
		s.quiet, _ = cmd.Flags().GetBool("quiet")
		var err error
		switch {
		case s.newDevice && (len(args) > 0 || s.remote != "" || s.dryRun || s.yes):
			err = &usage{errors.New("--new-device makes a link; it takes none")}
		case !s.newDevice && s.deviceURL != "":
			err = &usage{errors.New("--device-url belongs to --new-device")}
		case s.newDevice:
			err = s.printLink()
		default:
			err = s.connect(args)
		}
		if errors.Is(err, context.Canceled) {
			s.message("interrupted; nothing was changed")
			return &exit{130}
		}
		return terminalSafe(err)
	}
	return cmd
}

// connect sets up the database that a link names.
func (s *setup) connect(args []string) error {
	file, settings, err := s.configFile()
	if err != nil {
		return err
	}
	link, passphrase, err := s.read(args)
	if err != nil {
		return err
	}
	p := s.program
	found, err := p.LiveSync.Setup(s.cmd.Context(), settings, SetupOptions{
		Link: link, Passphrase: passphrase, Remote: s.remote,
		Report: func(found doctor.Finding) { p.printFinding(p.Out, found, s.quiet) },
	})
	if err != nil {
		return err
	}
	plan, err := install.PlanDatabase(file, found)
	if err == nil {
		err = plan.CheckWritable()
	}
	if err != nil {
		return err
	}
	return s.write(plan, file, found)
}

// configFile returns the config file to write, and the settings in force before.
func (s *setup) configFile() (file string, settings config.Config, err error) {
	source := s.program.source(s.cmd)
	if file = source.File; file == "" {
		if file, err = config.OwnFile(); err != nil {
			return "", settings, err
		}
	} else if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		source.File = os.DevNull // it will be created
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", settings, err
	}
	settings, err = config.Load(source)
	return file, settings, err
}

// read reads the link and its passphrase.
func (s *setup) read(args []string) (link, passphrase config.Secret, err error) {
	p := s.program
	if len(args) == 1 && args[0] != "-" {
		link = config.Secret(args[0])
	}
	if s.passphraseFile != "" {
		if passphrase, err = config.ReadSecret(s.passphraseFile, "--passphrase-file"); err != nil {
			return "", "", err
		}
	}
	if p.IsTerminal() {
		if link == "" {
			link, err = s.ask("Setup link (paste it; it is not shown): ")
		}
		if passphrase == "" && err == nil {
			passphrase, err = s.ask("Passphrase of the link: ")
		}
		return link, passphrase, err
	}
	if link != "" && passphrase != "" {
		return link, passphrase, nil
	}
	input, err := io.ReadAll(io.LimitReader(p.In, mostHidden))
	if err != nil {
		return "", "", err
	}
	return split(pasted(string(input)), link, passphrase)
}

// split takes apart what is on standard input: the link, of which a paste may have made several lines, and on the last
// line its passphrase. What was given in another way is not there.
func split(input string, link, passphrase config.Secret) (config.Secret, config.Secret, error) {
	at := strings.LastIndex(input, "\n")
	last := strings.TrimSuffix(input[at+1:], "\r")
	missing := fault.InvalidArgument.Errorf("the link's passphrase is missing").
		WithHint("give it on the last line of standard input, or in a file with --passphrase-file")
	switch {
	case link == "" && strings.TrimSpace(input) == "":
		return "", "", fault.InvalidArgument.Errorf("the setup link is missing").
			WithHint("give it as an argument, in quotation marks, or on standard input")
	case passphrase != "":
		return config.Secret(input), passphrase, nil
	case link != "" && (at >= 0 || last == ""):
		return "", "", missing.WithHint("give it on one line of standard input, or in a file with --passphrase-file")
	case link != "":
		return link, config.Secret(last), nil
	case at < 0 || strings.Contains(last, "setuplivesync"):
		return "", "", missing
	}
	return config.Secret(input[:at]), config.Secret(last), nil
}

// ask asks for a text that is not shown.
func (s *setup) ask(question string) (config.Secret, error) {
	text, err := s.program.Hidden(s.cmd.Context(), question)
	if errors.Is(err, io.EOF) {
		err = fault.InvalidArgument.Errorf("no answer was given").WithHint("nothing was changed")
	}
	return config.Secret(pasted(text)), err
}

// write shows what changes in an existing file, asks, and writes.
func (s *setup) write(plan install.DatabasePlan, file string, found config.LiveSync) error {
	if !plan.Changes() {
		s.say("already set up in %s", visible.Name(file))
		return s.next(found)
	}
	replaced := plan.Replaces()
	if len(replaced) > 0 && !(s.quiet && s.yes && !s.dryRun) {
		if err := s.program.printDiff(plan.Diff()); err != nil {
			return err
		}
		for _, name := range replaced {
			if name != file {
				s.message(visible.Name(name) + " is replaced too")
			}
		}
	}
	if s.dryRun {
		s.message("nothing was written (--dry-run)")
		return nil
	}
	if len(replaced) > 0 {
		asking := &installer{program: s.program, cmd: s.cmd, yes: s.yes, answers: bufio.NewReader(s.program.In)}
		if err := asking.confirm(); err != nil {
			return err
		}
	}
	written, err := plan.Write(time.Now())
	if err != nil {
		return err
	}
	for _, one := range written {
		s.say("written: %s", visible.Name(one.File))
		if one.Backup != "" {
			s.say("  backup: %s", visible.Name(one.Backup))
		}
	}
	return s.next(found)
}

// next says what to do next, and what keeps the config file from being used.
func (s *setup) next(found config.LiveSync) error {
	source := s.program.source(s.cmd)
	settings, err := config.Load(source)
	if err == nil {
		err = settings.CheckVault()
	}
	if err == nil && !sameDatabase(settings.LiveSync, found) {
		err = fault.InvalidArgument.Errorf("the settings in this shell name another database or login than the config file").
			WithHint("unset COUCHDB_BASE_URL and its companions; obsidian-mcp doctor --verbose shows where each setting comes from")
	}
	if err != nil {
		s.message("the config file is written, but: " + visible.Line(err.Error()))
		if hint := fault.HintOf(err); hint != "" {
			s.message(visible.Line(hint))
		}
	}
	with := ""
	if source.File != "" {
		with = " --config " + visible.Name(source.File)
	}
	s.say("next: obsidian-mcp%s install puts this server into your AI clients; obsidian-mcp%s http serves it over HTTP", with, with)
	return nil
}

func sameDatabase(a, b config.LiveSync) bool {
	return a.URL == b.URL && a.Database == b.Database && a.User == b.User && a.Password == b.Password && a.Passphrase == b.Passphrase
}

// say prints a result.
func (s *setup) say(format string, args ...any) {
	if !s.quiet {
		fmt.Fprintf(s.program.Out, format+"\n", args...)
	}
}

// message prints something about the run, apart from its result.
func (s *setup) message(text string) { fmt.Fprintln(s.program.Err, "obsidian-mcp: "+text) }
