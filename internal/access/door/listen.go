package door

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"obsidian-mcp/internal/fault"
)

// What Windows says in its own numbers.
const (
	wsaAddressInUse = syscall.Errno(10048)
	wsaAccessDenied = syscall.Errno(10013)
)

// Listen opens a port. What goes wrong is said in words that tell what to do.
func Listen(host string, port int) (net.Listener, error) {
	if port < 0 || port > 65535 {
		return nil, fault.InvalidArgument.Errorf("%d is no port", port).WithHint("a port is a number from 1 to 65535")
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	address := net.JoinHostPort(host, strconv.Itoa(port))
	network := "tcp"
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
		network = "tcp4" // 0.0.0.0 would be heard over IPv6 as well
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		return nil, explain(err, host, address, port)
	}
	// A name is looked up, and a hosts file or resolver can say anything. Who
	// asks for loopback relies on nobody else hearing us.
	if IsLoopback(host) && !isLoopbackAddress(listener.Addr()) {
		listener.Close()
		return nil, fault.InvalidArgument.Errorf("%s means %s on this machine, which is not loopback", host, listener.Addr()).
			WithHint("use 127.0.0.1")
	}
	return listener, nil
}

// IsLoopback reports whether a host to listen on is heard by this machine
// alone.
func IsLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && address.Unmap().IsLoopback()
}

func isLoopbackAddress(address net.Addr) bool {
	ip, ok := addressOf(address)
	return ok && ip.IsLoopback()
}

// addressOf is the IP address of one end of a connection, in its one form:
// without a port, a zone, or an IPv6 dress over IPv4.
func addressOf(end net.Addr) (netip.Addr, bool) {
	tcp, ok := end.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}, false
	}
	ip, ok := netip.AddrFromSlice(tcp.IP)
	return ip.Unmap().WithZone(""), ok
}

func explain(err error, host, address string, port int) error {
	_, unknown := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, wsaAddressInUse):
		return told(fault.Conflict, err, fmt.Sprintf("another server, perhaps obsidian-mcp itself, listens on %s", address),
			"choose another port with --port, or end the other server")
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM), errors.Is(err, wsaAccessDenied):
		return told(fault.PermissionDenied, err, fmt.Sprintf("the system does not let this user listen on port %d", port),
			"choose a port above 1023 with --port, and let a proxy serve the lower one")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return told(fault.InvalidArgument, err, fmt.Sprintf("this machine has no address %s to listen on", host),
			"choose one of its own with --host; 127.0.0.1 is for this machine alone, 0.0.0.0 is all of them")
	case unknown:
		return told(fault.InvalidArgument, err, fmt.Sprintf("the host %q to listen on is not known", host),
			"choose an address of this machine with --host, such as 127.0.0.1")
	default:
		return told(fault.Internal, err, fmt.Sprintf("cannot listen on %s: %v", address, err), "")
	}
}

func told(kind fault.Kind, cause error, message, hint string) error {
	return &fault.Error{Kind: kind, Message: message, Hint: hint, Err: cause}
}
