package doctor

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

	"atelier/bot/control"
	"atelier/bot/place"
	"atelier/storage/disk"
	"atelier/storage/s3"
)

// The timeouts of checks.
const (
	redisPatience  = 8 * time.Second
	bucketPatience = 15 * time.Second
	modelPatience  = 5 * time.Second
)

// examineFolders checks the folders that are written to.
func (x examination) examineFolders(context.Context) []Finding {
	data := Finding{Healthy, "data folder", x.Data + " is not in use."}
	if x.Storage.RedisURL != "" { // several processes may use it then
		data.Says = x.Data + " can be written to."
	} else if x.running.Is() {
		data.Says = fmt.Sprintf("%s is used by %s.", x.Data, x.running.Who())
	} else if _, down := errors.AsType[*control.NotRunningError](x.running.Err); !down {
		data = failed("data folder", x.running.Err, x.Data+" is used by a process that does not answer.")
	}
	switch folder, err := place.Writable(x.Data); {
	case err != nil:
		data.State = Wrong
		data.Says = place.UnwritableFolder(x.Data, err)
	case folder != x.Data:
		data.Says = x.Data + " will be created when needed."
	}
	temp := Finding{Healthy, "temporary files", os.TempDir() + " can be written to."}
	if _, err := place.Writable(os.TempDir()); err != nil {
		temp = Finding{Wrong, "temporary files", fmt.Sprintf("%s cannot be written to (%s): set TMPDIR to a folder that can.", os.TempDir(), place.Cause(err))}
	}
	return append([]Finding{data, temp}, x.examineState()...)
}

// examineState checks whether a part of the state was lost.
func (x examination) examineState() []Finding {
	if x.Storage.RedisURL != "" {
		return nil
	}
	losses, err := disk.ExamineState(filepath.Join(x.Data, place.StateLog))
	var found []Finding
	for _, l := range losses {
		much := fmt.Sprintf("%d bytes of it are lost", l.Bytes)
		if l.Bytes == 0 {
			much = "all of it is lost"
		}
		then := "bot serve will continue with the rest, and keep this file beside the new one. To restore a backup, do it before that."
		if l.Kept {
			then = "Atelier continued with the rest. Remove the file when you no longer need it; bot forget removes it too."
		}
		found = append(found, Finding{Wrong, "state", fmt.Sprintf("%s was damaged: %s. %s", l.File, much, then)})
	}
	if err != nil {
		found = append(found, failed("state", err, "The state file cannot be read."))
	}
	return found
}

// examineFiles checks where files are stored.
func (x examination) examineFiles(ctx context.Context) []Finding {
	if x.Storage.S3.Bucket != "" {
		return []Finding{x.examineBucket(ctx)}
	}
	folder := filepath.Join(x.Data, "blobs")
	where := folder + ", since S3_BUCKET is not set."
	if x.Storage.RedisURL != "" {
		where = folder + ", since S3_BUCKET is not set; all processes must share that folder."
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return []Finding{{Healthy, "files", "They will be kept in " + where}}
	}
	blobs, err := disk.Open(folder)
	if err == nil {
		err = errors.Join(blobs.Check(ctx), blobs.Close())
	}
	if err != nil {
		return []Finding{failed("files", err, "They cannot be kept in "+folder+".")}
	}
	return []Finding{{Healthy, "files", "They are kept in " + where}}
}

func (x examination) examineBucket(ctx context.Context) Finding {
	ctx, done := context.WithTimeout(ctx, bucketPatience)
	defer done()
	bucket, err := s3.New(ctx, x.Storage.Config())
	if err == nil {
		err = errors.Join(bucket.Check(ctx), bucket.Close())
	}
	if err != nil {
		return failed("files", err, fmt.Sprintf("The S3 server of the bucket %q does not answer in time.", x.Storage.S3.Bucket))
	}
	return Finding{Healthy, "files", fmt.Sprintf("They are kept in the bucket %q, where writing, listing and deleting work.", x.Storage.S3.Bucket)}
}

// examineAddress checks that the HTTP address is free.
func (x examination) examineAddress(ctx context.Context) []Finding {
	if x.Listen == "" {
		return []Finding{{Healthy, "HTTP", "It does not listen (ATELIER_LISTEN=off)."}}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", x.Listen)
	if err == nil {
		err = l.Close()
	}
	switch {
	case err == nil:
		return []Finding{{Healthy, "HTTP", x.Listen + " is free."}}
	case errors.Is(err, syscall.EADDRINUSE) && alive(ctx, x.Listen):
		by := "a running Atelier"
		if x.running.Is() {
			by = x.running.Who()
		}
		return []Finding{{Healthy, "HTTP", x.Listen + " answers: it is in use by " + by + "."}}
	case errors.Is(err, syscall.EADDRINUSE):
		return []Finding{{Wrong, "HTTP", x.Listen + " is in use by another program: stop that one, or set ATELIER_LISTEN to another address."}}
	}
	return []Finding{{Wrong, "HTTP", fmt.Sprintf("Cannot listen on %s (%s): set ATELIER_LISTEN to another address.", x.Listen, place.Cause(err))}}
}

// alive reports whether an Atelier listens on an address.
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
