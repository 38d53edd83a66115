package redistest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Cluster starts one of three servers, and gives their addresses. They may not all have
// heard of it yet.
func Cluster(tb testing.TB) []string {
	tb.Helper()
	var nodes []string
	for range 3 {
		nodes = append(nodes, Serve(tb, "--save", "", "--cluster-enabled", "yes", "--cluster-node-timeout", "2000").Address())
	}
	name, err := exec.LookPath(Program(tb))
	if err != nil {
		tb.Fatal(err)
	}
	cli := filepath.Join(filepath.Dir(name), strings.Replace(filepath.Base(name), "-server", "-cli", 1))
	args := append([]string{"--cluster", "create"}, append(nodes, "--cluster-yes", "--cluster-replicas", "0")...)
	if out, err := exec.CommandContext(tb.Context(), cli, args...).CombinedOutput(); err != nil { //nolint:gosec // who runs the test names it
		tb.Fatalf("%v: %s", err, out)
	}
	return nodes
}

// Sentinel starts one that watches the server, under the name atelier.
func Sentinel(tb testing.TB, primary *Server) *Server {
	tb.Helper()
	conf := filepath.Join(tb.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor atelier 127.0.0.1 %d 1\n", primary.Port()) +
		"sentinel down-after-milliseconds atelier 500\nsentinel failover-timeout atelier 2000\n"
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return Serve(tb, conf, "--sentinel")
}
