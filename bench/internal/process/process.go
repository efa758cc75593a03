// Package process runs servers as processes of their own and observes them from outside: processor time, memory,
// descriptors, and what they report at /metrics. It needs Linux.
package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"obsidian-mcp/bench/internal/rawmcp"
	"obsidian-mcp/bench/measure"
)

// Server is a running server.
type Server struct {
	Addr    string
	command *exec.Cmd
	ended   chan error
}

// longestStart is how long a server may take until it is ready.
const longestStart = time.Minute

// FreeAddr returns an unused loopback address.
func FreeAddr() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// Start starts a command that will listen at an address, and waits until /readyz reports that it is ready.
func Start(command *exec.Cmd, addr string) (*Server, error) {
	if command.Stderr == nil {
		command.Stderr = os.Stderr
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	s := &Server{Addr: addr, command: command, ended: make(chan error, 1)}
	go func() { s.ended <- command.Wait() }()
	if err := s.awaitReady(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", command, err), s.Stop())
	}
	return s, nil
}

func (s *Server) awaitReady() error {
	for end := time.Now().Add(longestStart); time.Now().Before(end); {
		if answer, err := s.get("/readyz"); err == nil && answer.Status == 200 {
			return nil
		}
		select {
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("ended before it was ready: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.New("not ready in time")
}

func (s *Server) get(path string) (rawmcp.Answer, error) {
	conn, err := rawmcp.Dial(s.Addr)
	if err != nil {
		return rawmcp.Answer{}, err
	}
	defer conn.Close()
	return conn.Do(rawmcp.Request{Method: "GET", Path: path, Header: "Connection: close\r\n"})
}

// Stop asks the server to end, and waits. Being ended by the signal counts as success.
func (s *Server) Stop() error {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-s.ended:
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM {
			return nil
		}
		return err
	case <-time.After(longestStart):
		return errors.Join(errors.New("did not end when asked to"), s.command.Process.Kill())
	}
}

// PID returns the process ID.
func (s *Server) PID() int { return s.command.Process.Pid }

// CPU returns the processor time that the server has used so far, from the kernel's clock for the process, which is
// finer than the ticks of /proc.
func (s *Server) CPU() (time.Duration, error) {
	const scheduled = 2 // the clock of the time that the scheduler granted
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^s.PID()<<3|scheduled), &now); err != nil {
		return measure.CPUOf(s.PID())
	}
	return time.Duration(now.Nano()), nil
}

// Memory returns what the server holds.
func (s *Server) Memory() (measure.Memory, error) { return measure.MemoryOf(s.PID()) }

// Settle waits until the server is idle.
func (s *Server) Settle(longest time.Duration) error { return measure.Settle(s.PID(), longest) }

// Descriptors counts the files and connections that are open.
func (s *Server) Descriptors() (int, error) {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.PID()))
	return len(open), err
}

// Metrics returns the figures without labels that the server reports.
func (s *Server) Metrics() (map[string]float64, error) {
	answer, err := s.get("/metrics")
	if err != nil {
		return nil, err
	}
	if answer.Status != 200 {
		return nil, fmt.Errorf("/metrics: status %d", answer.Status)
	}
	return parseMetrics(string(answer.Body)), nil
}

func parseMetrics(text string) map[string]float64 {
	figures := map[string]float64{}
	for line := range strings.Lines(text) {
		name, value, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found || name == "#" || strings.Contains(name, "{") {
			continue
		}
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			figures[name] = number
		}
	}
	return figures
}
