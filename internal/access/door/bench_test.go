package door

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// BenchmarkRequest compares the door with net/http alone, on a kept connection.
func BenchmarkRequest(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		listener, err := Listen("127.0.0.1", 0)
		if err != nil {
			b.Fatal(err)
		}
		server := &http.Server{Handler: ok}
		go server.Serve(listener)
		defer server.Close()
		exchange(b, listener.Addr().String())
	})
	b.Run("door", func(b *testing.B) {
		door, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		listener, err := Listen("127.0.0.1", 0)
		if err != nil {
			b.Fatal(err)
		}
		go door.Serve(b.Context(), listener, ok)
		exchange(b, listener.Addr().String())
	})
}

func exchange(b *testing.B, address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	request := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200\r\n\r\n" + strings.Repeat("x", 200)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := io.WriteString(c, request); err != nil {
			b.Fatal(err)
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSlowReaderOverTCP: over TCP the system would buffer most of the answer for the reader, and accept nothing more
// for longer than a WriteTimeout, if limitWriteBuffer did not limit it. That takes real time on a quiet machine, so it is
// not a test; TestTCPBuffersLittleOfAnAnswer checks the limit itself.
func BenchmarkSlowReaderOverTCP(b *testing.B) {
	for _, reader := range []struct {
		size  int
		pause time.Duration // for 64 KB
	}{{32 << 20, 10 * time.Millisecond}, {6 << 20, 100 * time.Millisecond}} {
		b.Run(reader.pause.String(), func(b *testing.B) {
			server := serve(b, Options{WriteTimeout: time.Second}, bytesHandler(reader.size))
			for b.Loop() {
				slowReader(b, server, reader.size, reader.pause)
			}
		})
	}
}
