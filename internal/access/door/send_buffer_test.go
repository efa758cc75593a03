//go:build unix

package door

import (
	"io"
	"net/http"
	"syscall"
	"testing"
)

// TestTCPBuffersLittleOfAnAnswer: the limit applies to the connections that the door accepts. Systems may double what they
// are asked for.
func TestTCPBuffersLittleOfAnAnswer(t *testing.T) {
	size := make(chan int, 1)
	server := serve(t, Options{}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c, ok := connOf(r)
		if !ok {
			t.Error("the request has no connection")
			return
		}
		raw, err := c.Conn.(syscall.Conn).SyscallConn()
		if err != nil {
			t.Error(err)
			return
		}
		raw.Control(func(fd uintptr) {
			buffer, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF)
			if err != nil {
				t.Error(err)
			}
			size <- buffer
		})
	}))
	io.WriteString(server.dial(t), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if buffer := <-size; buffer > 2*writeBuffer {
		t.Errorf("the system buffers %d bytes", buffer)
	}
}
