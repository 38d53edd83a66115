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
	"syscall"
	"time"

	"atelier/jobs"
	"atelier/storage/disk"
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

func examineRunning(ctx context.Context, data string) running {
	ctx, done := context.WithTimeout(ctx, modelPatience)
	defer done()
	workers, err := newFarOperator(data).Workers(ctx)
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
func (x examination) examineFolders(context.Context) []finding {
	data := finding{healthy, "data folder", x.Data + " is used by nobody now."}
	if x.Storage.RedisURL != "" { // several may use it then
		data.Says = x.Data + " can be written to."
	} else if x.running.is() {
		data.Says = fmt.Sprintf("%s is used by %s.", x.Data, x.running.who())
	} else if _, down := errors.AsType[*notRunningError](x.running.err); !down {
		data = failed("data folder", x.running.err, x.Data+" is used by a process that does not answer.")
	}
	switch folder, err := writable(x.Data); {
	case err != nil:
		data.State = wrong
		data.Says = unwritableFolder(x.Data, err)
	case folder != x.Data:
		data.Says = x.Data + " will be made when it is needed."
	}
	temp := finding{healthy, "temporary files", os.TempDir() + " can be written to."}
	if _, err := writable(os.TempDir()); err != nil {
		temp = finding{wrong, "temporary files", fmt.Sprintf("%s cannot be written to (%s): set TMPDIR to a folder that can.", os.TempDir(), cause(err))}
	}
	return append([]finding{data, temp}, x.examineState()...)
}

// examineState looks whether something of the state was lost.
func (x examination) examineState() []finding {
	if x.Storage.RedisURL != "" {
		return nil
	}
	losses, err := disk.ExamineState(filepath.Join(x.Data, stateLog))
	var found []finding
	for _, l := range losses {
		much := fmt.Sprintf("%d bytes of it are lost", l.Bytes)
		if l.Bytes == 0 {
			much = "all that it held is lost"
		}
		then := "bot serve goes on with the rest, and keeps this file beside the new one. To put back a copy of your own, do it before."
		if l.Kept {
			then = "Atelier went on with the rest. Remove the file when you need it no more; bot forget removes it too."
		}
		found = append(found, finding{wrong, "state", fmt.Sprintf("%s was damaged: %s. %s", l.File, much, then)})
	}
	if err != nil {
		found = append(found, failed("state", err, "The file of the state cannot be read."))
	}
	return found
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

// examineFiles looks at where files are kept.
func (x examination) examineFiles(ctx context.Context) []finding {
	if x.Storage.S3.Bucket != "" {
		return []finding{x.examineBucket(ctx)}
	}
	folder := filepath.Join(x.Data, "blobs")
	where := folder + ", since S3_BUCKET is not set."
	if x.Storage.RedisURL != "" {
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

func (x examination) examineBucket(ctx context.Context) finding {
	ctx, done := context.WithTimeout(ctx, bucketPatience)
	defer done()
	bucket, err := s3.New(ctx, x.Storage.config())
	if err == nil {
		err = errors.Join(bucket.Check(ctx), bucket.Close())
	}
	if err != nil {
		return failed("files", err, fmt.Sprintf("The S3 server of the bucket %q does not answer in time.", x.Storage.S3.Bucket))
	}
	return finding{healthy, "files", fmt.Sprintf("They are kept in the bucket %q, in which can be written, listed and removed.", x.Storage.S3.Bucket)}
}

// examineAddress looks whether the address of the program's own HTTP is free.
func (x examination) examineAddress(ctx context.Context) []finding {
	if x.Listen == "" {
		return []finding{{healthy, "HTTP", "It listens nowhere (ATELIER_LISTEN=off)."}}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", x.Listen)
	if err == nil {
		err = l.Close()
	}
	switch {
	case err == nil:
		return []finding{{healthy, "HTTP", x.Listen + " is free."}}
	case errors.Is(err, syscall.EADDRINUSE) && alive(ctx, x.Listen):
		by := "a running Atelier"
		if x.running.is() {
			by = x.running.who()
		}
		return []finding{{healthy, "HTTP", x.Listen + " answers: it is held by " + by + "."}}
	case errors.Is(err, syscall.EADDRINUSE):
		return []finding{{wrong, "HTTP", x.Listen + " is held by another program: stop that one, or set ATELIER_LISTEN to another address."}}
	}
	return []finding{{wrong, "HTTP", fmt.Sprintf("%s cannot be listened on (%s): set ATELIER_LISTEN to another address.", x.Listen, cause(err))}}
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
