package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"atelier/jobs"
	"atelier/storage"
	"atelier/storage/disk"
	"atelier/storage/redis"
	"atelier/storage/s3"
)

// How long the doctor waits for a server.
const (
	redisPatience  = 8 * time.Second
	bucketPatience = 15 * time.Second
	modelPatience  = 5 * time.Second
)

// running is the process that has the data folder, as its socket tells.
type running struct {
	workers []jobs.Worker
	err     error // why it does not answer
}

func (c Config) examineRunning(ctx context.Context) running {
	ctx, done := context.WithTimeout(ctx, modelPatience)
	defer done()
	workers, err := newFarOperator(c.Data).Workers(ctx)
	return running{workers, err}
}

// is tells whether there is one.
func (r running) is() bool { return r.err == nil }

// who names it.
func (r running) who() string {
	if len(r.workers) == 0 {
		return "a running Atelier"
	}
	return fmt.Sprintf("the running Atelier, process %d", r.workers[0].Process)
}

// examineFolders looks at where files are written.
func (c Config) examineFolders(r running) []finding {
	data := finding{healthy, "data folder", c.Data + " is used by nobody now."}
	if r.is() {
		data.Says = fmt.Sprintf("%s is used by %s.", c.Data, r.who())
	} else if _, down := errors.AsType[*notRunningError](r.err); !down {
		data = failed("data folder", r.err, c.Data+" is used by a process that does not answer.")
	}
	switch folder, err := writable(c.Data); {
	case err != nil:
		data = finding{wrong, "data folder", fmt.Sprintf("%s cannot be written to (%s): make it writable, or set ATELIER_DATA to another one.", c.Data, cause(err))}
	case folder != c.Data:
		data.Says = c.Data + " will be made when it is needed."
	}
	temp := finding{healthy, "temporary files", os.TempDir() + " can be written to."}
	if _, err := writable(os.TempDir()); err != nil {
		temp = finding{wrong, "temporary files", fmt.Sprintf("%s cannot be written to (%s): set TMPDIR to a folder that can.", os.TempDir(), cause(err))}
	}
	return []finding{data, temp}
}

// writable tries to write into a folder, or into the first one above it that is there, and
// tells which one that was.
func writable(folder string) (string, error) {
	for at := folder; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			return at, err
		}
		f, err := os.CreateTemp(at, ".check-")
		if err != nil {
			return at, err
		}
		_, err = f.WriteString("x")
		return at, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
}

// cause is what the system says of a file, without its path.
func cause(err error) string {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	return "the system does not say why"
}

// examineRedis looks at where the queues are, and who works on them.
func (c Config) examineRedis(ctx context.Context, r running) []finding {
	if c.Storage.RedisURL == "" {
		found := []finding{{healthy, "Redis", "None is set: the queues are in the one process that serves. " +
			"To share the work among several, set REDIS_URL."}}
		switch {
		case r.is() && len(r.workers) > 0:
			w := r.workers[0]
			return append(found, finding{healthy, "workers", fmt.Sprintf("Process %d on %s works on %s.", w.Process, w.Host, strings.Join(w.Queues, ", "))})
		case r.is():
			return append(found, finding{missing, "workers", "The running Atelier works on no queue."})
		}
		return append(found, finding{missing, "workers", "No Atelier runs on this data folder. Start it: bot serve"})
	}
	ctx, done := context.WithTimeout(ctx, redisPatience)
	defer done()
	redis.LogTo(c.logger())
	client, err := redis.Open(string(c.Storage.RedisURL))
	if err != nil {
		return []finding{failed("Redis", err, "REDIS_URL cannot be used.")}
	}
	found := c.examineServer(ctx, client)
	if err := client.Close(); err != nil {
		found = append(found, failed("Redis", err, "The connection could not be closed."))
	}
	return found
}

func (c Config) examineServer(ctx context.Context, client goredis.UniversalClient) []finding {
	state, err := redis.New(redis.Config{Client: client})
	if err == nil {
		err = state.Check(ctx)
	}
	if err != nil {
		return []finding{failed("Redis", err, "The Redis of REDIS_URL"+redisAddress(client)+" does not answer in time.")}
	}
	found := []finding{{healthy, "Redis", redisVersion(ctx, client) + redisAddress(client) + " takes what is needed."}}
	found = append(found, examineMemory(ctx, client), examinePersistence(ctx, client))
	nothing := struct{ storage.Blobs }{} // which nobody asks for the workers
	j, err := jobs.New(jobs.Config{Redis: client, State: state, Blobs: nothing})
	if err != nil {
		return append(found, failed("workers", err, "They could not be listed."))
	}
	workers, err := j.Workers(ctx)
	if err != nil {
		return append(found, failed("workers", err, "They could not be listed."))
	}
	return append(found, examineWorkers(workers))
}

// examineWorkers looks whether somebody works on every queue that a request needs.
func examineWorkers(workers []jobs.Worker) finding {
	if len(workers) == 0 {
		return finding{missing, "workers", "No process works on the queues. Start one: bot serve"}
	}
	served := map[string]bool{}
	for _, w := range workers {
		for _, q := range w.Queues {
			name, _, _ := strings.Cut(q, ":")
			served[name] = true
		}
	}
	var lacking []string
	for _, q := range []string{jobs.QueueGateway, jobs.QueuePlan, jobs.QueueCPU} {
		if !served[q] {
			lacking = append(lacking, q)
		}
	}
	if len(lacking) > 0 {
		return finding{missing, "workers", fmt.Sprintf("None works on %s: requests wait there. Start one: bot serve --queues %s",
			strings.Join(lacking, ", "), strings.Join(lacking, ","))}
	}
	return finding{healthy, "workers", counted(len(workers), "worker") + ", and all queues are worked on. To see them: bot queues"}
}

// redisAddress is " at ADDRESS" as the client knows it: without user and password.
func redisAddress(client goredis.UniversalClient) string {
	switch c := client.(type) {
	case *goredis.Client:
		if address := c.Options().Addr; address != "" && address != "FailoverClient" {
			return " at " + address
		}
		return " behind Sentinels"
	case *goredis.ClusterClient:
		return " at " + strings.Join(c.Options().Addrs, ", ")
	}
	return ""
}

// redisInfo are values of a section of INFO; none where the server does not tell.
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
	return "Redis of a version that it does not tell"
}

// examineMemory looks what the server does when its memory is used up. One that would throw
// away requests now was refused before.
func examineMemory(ctx context.Context, client goredis.UniversalClient) finding {
	policy := redisInfo(ctx, client, "memory")["maxmemory_policy"]
	switch policy {
	case "noeviction":
		return finding{healthy, "Redis's memory", "Nothing is thrown away when it is used up (maxmemory-policy noeviction)."}
	case "":
		return finding{missing, "Redis's memory", "The server does not tell its maxmemory-policy: see to it that it is noeviction, or requests may be lost."}
	}
	return finding{missing, "Redis's memory", "maxmemory-policy is " + policy + ", which does nothing while maxmemory is 0: set it to noeviction all the same."}
}

// examinePersistence looks whether requests outlive the server.
func examinePersistence(ctx context.Context, client goredis.UniversalClient) finding {
	switch redisInfo(ctx, client, "persistence")["aof_enabled"] {
	case "1":
		return finding{healthy, "Redis's disk", "Requests outlive a crash of the server (appendonly yes)."}
	case "0":
		return finding{missing, "Redis's disk", "appendonly is off: a crash of the server loses what was asked since its last snapshot. Set appendonly to yes."}
	}
	return finding{missing, "Redis's disk", "The server does not tell whether it keeps what it holds on disk: see to it that appendonly is yes."}
}

// examineFiles looks at where files are kept.
func (c Config) examineFiles(ctx context.Context) []finding {
	if c.Storage.S3.Bucket != "" {
		return []finding{c.examineBucket(ctx)}
	}
	folder := filepath.Join(c.Data, "blobs")
	where := folder + ", since S3_BUCKET is not set."
	if c.Storage.RedisURL != "" {
		where = folder + ", since S3_BUCKET is not set; all processes must share that folder."
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return []finding{{healthy, "files", "They will be kept in " + where}}
	}
	blobs, err := disk.Open(folder)
	if err == nil {
		err = errors.Join(blobs.Check(ctx), blobs.Close())
	}
	if err != nil {
		return []finding{failed("files", err, "They cannot be kept in "+folder+".")}
	}
	return []finding{{healthy, "files", "They are kept in " + where}}
}

func (c Config) examineBucket(ctx context.Context) finding {
	ctx, done := context.WithTimeout(ctx, bucketPatience)
	defer done()
	bucket, err := s3.New(ctx, c.Storage.config())
	if err == nil {
		err = errors.Join(bucket.Check(ctx), bucket.Close())
	}
	if err != nil {
		return failed("files", err, fmt.Sprintf("The S3 server of the bucket %q does not answer in time.", c.Storage.S3.Bucket))
	}
	return finding{healthy, "files", fmt.Sprintf("They are kept in the bucket %q, in which can be written, listed and removed.", c.Storage.S3.Bucket)}
}

// examineAddress looks whether the address of the program's own HTTP is free.
func (c Config) examineAddress(ctx context.Context, r running) finding {
	if c.Listen == "" {
		return finding{healthy, "HTTP", "It listens nowhere (ATELIER_LISTEN=off)."}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err == nil {
		err = l.Close()
	}
	switch {
	case err == nil:
		return finding{healthy, "HTTP", c.Listen + " is free."}
	case errors.Is(err, syscall.EADDRINUSE) && alive(ctx, c.Listen):
		by := "a running Atelier"
		if r.is() {
			by = r.who()
		}
		return finding{healthy, "HTTP", c.Listen + " answers: it is held by " + by + "."}
	case errors.Is(err, syscall.EADDRINUSE):
		return finding{wrong, "HTTP", c.Listen + " is held by another program: stop that one, or set ATELIER_LISTEN to another address."}
	}
	return finding{wrong, "HTTP", fmt.Sprintf("%s cannot be listened on (%s): set ATELIER_LISTEN to another address.", c.Listen, cause(err))}
}

// alive tells whether an Atelier listens on an address.
func alive(ctx context.Context, address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, done := context.WithTimeout(ctx, 2*time.Second)
	defer done()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", http.NoBody)
	if err != nil {
		return false
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}
