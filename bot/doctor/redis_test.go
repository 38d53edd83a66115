package doctor

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"atelier/bot/bottest"
	"atelier/bot/place"
	"atelier/jobs"
)

// TestDoctorOfQueues checks that a queue without a process is named.
func TestDoctorOfQueues(t *testing.T) {
	t.Parallel()
	served := func(name string) jobs.Queue { return jobs.Queue{Name: name, Workers: 1} }
	for says, queues := range map[string][]jobs.Queue{
		"No process works on the queues.":                {{Name: "plan", Waiting: 1}},
		"No process works on cpu: requests wait there. ": {served("plan"), served("gpu"), {Name: "cpu"}},
		"No process works on gateway:a, gateway:b: requests wait there. Start one: bot serve --queues gateway": {
			served("plan"), served("cpu"), {Name: "gateway:a", Waiting: 2}, {Name: "gateway:b", Waiting: 1}, served("gateway:c"),
		},
		"All queues have workers.": {served("plan"), served("cpu"), {Name: "gpu"}},
	} {
		if f := examineWorkers(queues); (f.State == Healthy) != strings.HasPrefix(says, "All") || !strings.HasPrefix(f.Says, says) {
			t.Errorf("%+v", f)
		}
	}
}

// telling is a Redis with this answer to INFO; "" means that it refuses.
type telling string

func (i telling) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (i telling) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

func (i telling) ProcessHook(goredis.ProcessHook) goredis.ProcessHook {
	return func(_ context.Context, cmd goredis.Cmder) error {
		info, ok := cmd.(*goredis.StringCmd)
		if !ok || i == "" {
			cmd.SetErr(net.ErrClosed)
			return net.ErrClosed
		}
		info.SetVal(string(i))
		return nil
	}
}

// TestDoctorOfRedis checks the findings from what the server reports about itself, or does not.
func TestDoctorOfRedis(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		"": "Redis of an unknown version missing missing",
		"# Server\r\nredis_version:7.2.4\r\nvalkey_version:8.1.10\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n": "Valkey 8.1.10 ok ok",
		"redis_version:7.0.15\r\nmaxmemory_policy:allkeys-lru\r\naof_enabled:0\r\n":                                    "Redis 7.0.15 missing missing",
	} {
		client := goredis.NewClient(&goredis.Options{Addr: "127.0.0.1:1"})
		client.AddHook(telling(info))
		ctx := t.Context()
		got := fmt.Sprint(redisVersion(ctx, client), " ", examineMemory(ctx, client).State, " ", examinePersistence(ctx, client).State)
		if got != want {
			t.Errorf("%q: %s", info, got)
		}
		bottest.Check(t, client.Close())
	}
	for client, want := range map[goredis.UniversalClient]string{
		goredis.NewClusterClient(&goredis.ClusterOptions{Addrs: []string{"a:1", "b:2"}, Password: bottest.Hush}):                     " at a:1, b:2",
		goredis.NewFailoverClient(&goredis.FailoverOptions{MasterName: "m", SentinelAddrs: []string{"a:1"}, Password: bottest.Hush}): " behind Sentinels",
	} {
		if got := place.RedisAddress(client); got != want {
			t.Errorf("it is%s", got)
		}
		bottest.Check(t, client.Close())
	}
}
