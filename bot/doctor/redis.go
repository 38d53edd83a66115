package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"atelier/bot/place"
	"atelier/jobs"
	"atelier/storage"
	"atelier/storage/redis"
)

// examineRedis checks the server of the queues, and its workers.
func (x examination) examineRedis(ctx context.Context) []Finding {
	if x.Storage.RedisURL == "" {
		found := []Finding{{Healthy, "Redis", "None is set: the queues are in the serving process. " +
			"To share the work among several processes, set REDIS_URL."}}
		switch {
		case x.running.Is() && len(x.running.Workers) > 0:
			w := x.running.Workers[0]
			return append(found, Finding{Healthy, "workers", fmt.Sprintf("Process %d on %s works on %s.", w.Process, w.Host, strings.Join(w.Queues, ", "))})
		case x.running.Is():
			return append(found, Finding{Missing, "workers", "The running Atelier works on no queue."})
		}
		return append(found, Finding{Missing, "workers", "No Atelier runs on this data folder. Start it: bot serve"})
	}
	ctx, done := context.WithTimeout(ctx, redisPatience)
	defer done()
	redis.LogTo(x.Logger())
	client, err := redis.Open(string(x.Storage.RedisURL))
	if err != nil {
		return []Finding{failed("Redis", err, "REDIS_URL cannot be used.")}
	}
	found := x.examineServer(ctx, client)
	if err := client.Close(); err != nil {
		found = append(found, failed("Redis", err, "The connection could not be closed."))
	}
	return found
}

func (x examination) examineServer(ctx context.Context, client goredis.UniversalClient) []Finding {
	state, err := redis.New(redis.Config{Client: client})
	if err == nil {
		err = state.Check(ctx)
	}
	if err != nil {
		return []Finding{failed("Redis", err, "The Redis of REDIS_URL"+place.RedisAddress(client)+" does not answer in time.")}
	}
	found := []Finding{{Healthy, "Redis", redisVersion(ctx, client) + place.RedisAddress(client) + " works."}}
	found = append(found, examineMemory(ctx, client), examinePersistence(ctx, client))
	nothing := struct{ storage.Blobs }{} // the list of workers needs no files
	j, err := jobs.New(jobs.Config{Redis: client, State: state, Blobs: nothing})
	if err != nil {
		return append(found, failed("workers", err, "They could not be listed."))
	}
	queues, err := j.Queues(ctx)
	if err != nil {
		return append(found, failed("workers", err, "They could not be listed."))
	}
	return append(found, examineWorkers(queues))
}

// examineWorkers checks that there are workers for the queues that every request needs, and for those
// with waiting tasks.
func examineWorkers(queues []jobs.Queue) Finding {
	waiting := map[string]bool{jobs.QueuePlan: true, jobs.QueueCPU: true}
	alive := false
	for _, q := range queues {
		alive = alive || q.Workers > 0
		if q.Workers > 0 {
			delete(waiting, q.Name)
		} else if q.Waiting > 0 {
			waiting[q.Name] = true
		}
	}
	lacking := slices.Sorted(maps.Keys(waiting))
	var flags []string // one flag stands for the queues of all adapters
	for _, name := range lacking {
		flag, _, _ := strings.Cut(name, ":")
		flags = append(flags, flag)
	}
	switch {
	case !alive:
		return Finding{Missing, "workers", "No process works on the queues. Start one: bot serve"}
	case len(lacking) > 0:
		return Finding{Missing, "workers", fmt.Sprintf("No process works on %s: requests wait there. Start one: bot serve --queues %s",
			strings.Join(lacking, ", "), strings.Join(slices.Compact(flags), ","))}
	}
	return Finding{Healthy, "workers", "All queues have workers. To see them: bot queues"}
}

// redisInfo returns the values of a section of INFO, none if the server does not report them.
func redisInfo(ctx context.Context, client goredis.UniversalClient, section string) map[string]string {
	values := map[string]string{}
	text, err := client.Info(ctx, section).Result()
	if err != nil {
		return values
	}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			values[name] = value
		}
	}
	return values
}

func redisVersion(ctx context.Context, client goredis.UniversalClient) string {
	server := redisInfo(ctx, client, "server")
	switch {
	case server["valkey_version"] != "":
		return "Valkey " + server["valkey_version"]
	case server["redis_version"] != "":
		return "Redis " + server["redis_version"]
	}
	return "Redis of an unknown version"
}

// examineMemory checks the server's eviction policy. A server that would evict requests was rejected
// before.
func examineMemory(ctx context.Context, client goredis.UniversalClient) Finding {
	policy := redisInfo(ctx, client, "memory")["maxmemory_policy"]
	switch policy {
	case "noeviction":
		return Finding{Healthy, "Redis's memory", "Nothing is evicted when it is full (maxmemory-policy noeviction)."}
	case "":
		return Finding{Missing, "Redis's memory", "The server does not report its maxmemory-policy: make sure that it is noeviction, or requests may be lost."}
	}
	return Finding{Missing, "Redis's memory", "maxmemory-policy is " + policy + ", which has no effect while maxmemory is 0: set it to noeviction anyway."}
}

// examinePersistence checks whether requests survive a restart of the server.
func examinePersistence(ctx context.Context, client goredis.UniversalClient) Finding {
	switch redisInfo(ctx, client, "persistence")["aof_enabled"] {
	case "1":
		return Finding{Healthy, "Redis's disk", "Requests survive a crash of the server (appendonly yes)."}
	case "0":
		return Finding{Missing, "Redis's disk", "appendonly is off: a crash of the server loses all requests since the last snapshot. Set appendonly to yes."}
	}
	return Finding{Missing, "Redis's disk", "The server does not report whether it persists its data: make sure that appendonly is yes."}
}
