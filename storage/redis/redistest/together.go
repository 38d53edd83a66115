package redistest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

// slots is the number of slots in a cluster.
const slots = 16384

// Cluster starts a cluster of three servers, waits until each reports that all slots are served,
// and returns their addresses.
func Cluster(tb testing.TB) []string {
	tb.Helper()
	const size = 3
	addresses, nodes := make([]string, size), make([]*goredis.Client, size)
	for i := range nodes {
		s := Serve(tb, "--save", "", "--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
		addresses[i] = s.Address()
		nodes[i] = goredis.NewClient(&goredis.Options{Addr: s.Address()})
		if err := nodes[i].ClusterAddSlotsRange(tb.Context(), i*slots/size, (i+1)*slots/size-1).Err(); err != nil {
			tb.Fatal(err)
		}
		if err := nodes[0].ClusterMeet(tb.Context(), "127.0.0.1", strconv.Itoa(s.Port())).Err(); err != nil {
			tb.Fatal(err)
		}
	}
	for _, node := range nodes {
		for complete := false; !complete; {
			info, err := node.ClusterInfo(tb.Context()).Result()
			if err != nil {
				tb.Fatal(err)
			}
			complete = strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_size:3")
		}
		if err := node.Close(); err != nil {
			tb.Error(err)
		}
	}
	return addresses
}

// Sentinel starts a Sentinel that watches the server, under the name atelier.
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
