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

// Errors that only Windows has.
const (
	wsaAddressInUse = syscall.Errno(10048)
	wsaAccessDenied = syscall.Errno(10013)
)

// Listen opens a port. Its errors say what to do.
func Listen(host string, port int) (net.Listener, error) {
	if port < 0 || port > 65535 {
		return nil, fault.InvalidArgument.Errorf("%d is not a port", port).WithHint("a port is a number from 1 to 65535")
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
	// A name is looked up, and a hosts file or resolver can return anything. A user who asks for loopback relies on
	// nobody else being able to connect.
	if IsLoopback(host) && !isLoopbackAddress(listener.Addr()) {
		listener.Close()
		return nil, fault.InvalidArgument.Errorf("%s means %s on this machine, which is not loopback", host, listener.Addr()).
			WithHint("use 127.0.0.1")
	}
	return listener, nil
}

// IsLoopback reports whether only this machine can connect to a host that is listened on.
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

// addressOf returns the IP address of one end of a connection in canonical form: without a port or a zone, and IPv4 not
// mapped to IPv6.
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
		return listenError(fault.Conflict, err, fmt.Sprintf("another server, perhaps obsidian-mcp itself, already listens on %s", address),
			"choose another port with --port, or stop the other server")
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM), errors.Is(err, wsaAccessDenied):
		return listenError(fault.PermissionDenied, err, fmt.Sprintf("this user may not listen on port %d", port),
			"choose a port above 1023 with --port, and let a proxy serve the lower one")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return listenError(fault.InvalidArgument, err, fmt.Sprintf("cannot listen on %s: this machine does not have that address", host),
			"choose an address of this machine with --host: 127.0.0.1 for this machine only, 0.0.0.0 for all addresses")
	case unknown:
		return listenError(fault.InvalidArgument, err, fmt.Sprintf("cannot listen on the unknown host %q", host),
			"choose an address of this machine with --host, such as 127.0.0.1")
	default:
		return listenError(fault.Internal, err, fmt.Sprintf("cannot listen on %s: %v", address, err), "")
	}
}

func listenError(kind fault.Kind, cause error, message, hint string) error {
	return &fault.Error{Kind: kind, Message: message, Hint: hint, Err: cause}
}
