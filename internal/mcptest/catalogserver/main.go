// Command catalogserver serves a folder of recorded tool lists as MCP servers
// and prints the configuration that puts toolcrib in front of them.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/toolcrib/toolcrib/internal/mcptest"
)

func main() {
	dir := flag.String("dir", "../shared/catalogs", "folder of recorded tool lists, one JSON file a server")
	listen := flag.String("listen", "127.0.0.1:0", "address to listen at")
	flag.Parse()
	if err := run(*dir, *listen); err != nil {
		log.Fatal(err)
	}
}

func run(dir, listen string) error {
	servers, err := mcptest.Load(dir)
	if err != nil {
		return err
	}
	handler, err := mcptest.Handler(servers)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Println(mcptest.Config(servers, "http://"+l.Addr().String()))
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(l)
}
