// Serve runs the stand-in for CouchDB on a free port of this machine. It prints its address, and exits when standard
// input is closed. The administrator is couchdb.User with couchdb.Password; other accounts must first be created in
// _users.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"obsidian-mcp/internal/testkit/couchdb"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal((&http.Server{Handler: couchdb.New()}).Serve(listener)) }()
	fmt.Printf("http://%s\n", listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
}
