// Package place opens the queues, state and files that a process uses.
package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/bot/fault"
	"atelier/bot/settings"
	"atelier/storage"
	"atelier/storage/disk"
	"atelier/storage/redis"
	"atelier/storage/redis/embedded"
	"atelier/storage/s3"
)

// Place holds the queues and the storage of a process.
type Place struct {
	Redis goredis.UniversalClient // the queues
	State storage.State
	Blobs storage.Blobs
	// Scratch holds temporary files.
	Scratch *disk.Scratch
	// Embedded means that the queues are in the memory of this process, and that it has the State
	// to itself.
	Embedded bool

	closers []func() error // the last one is called first
}

// Placement says where to store things.
type Placement struct {
	// Folder holds the files of a process without a bucket, and the state of one without Redis. It is
	// created if missing. If empty, a temporary folder is used, which Close deletes.
	Folder string
	// Shared uses the configured Redis and bucket, if any. Otherwise everything is in the folder.
	Shared bool
}

// Open opens a place. The caller must close it. It does not connect to servers; [Check] does. Its errors
// wrap a [*storage.Fault].
func Open(ctx context.Context, c settings.Config, log *slog.Logger, where Placement) (_ *Place, err error) {
	p := &Place{}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if err := p.openScratch(ctx, log); err != nil {
		return nil, err
	}
	if where.Folder == "" {
		where.Folder = filepath.Join(p.Scratch.Folder(), "place")
	}
	redis.LogTo(nil)
	if where.Shared && c.Storage.RedisURL != "" {
		redis.LogTo(log)
		err = p.connect(string(c.Storage.RedisURL))
	} else {
		err = p.embed(filepath.Join(where.Folder, StateLog), log)
		if err != nil && where.Folder == c.Data {
			err = unusableFolder(ctx, c, err)
		}
	}
	if err != nil {
		return nil, err
	}
	var done func() error
	if p.Blobs, done, err = OpenBlobs(ctx, c, where); err != nil {
		return nil, err
	}
	p.closers = append(p.closers, done)
	return p, nil
}

// sweepEvery is the interval of removing temporary files of killed processes.
const sweepEvery = 10 * time.Minute

// OpenBlobs opens the storage of files. done closes it.
func OpenBlobs(ctx context.Context, c settings.Config, where Placement) (files storage.Blobs, done func() error, err error) {
	if where.Shared && c.Storage.S3.Bucket != "" {
		bucket, err := s3.New(ctx, c.Storage.Config())
		if err != nil {
			return nil, nil, err
		}
		return bucket, bucket.Close, nil
	}
	folder, err := disk.Open(filepath.Join(where.Folder, "blobs"))
	if err != nil {
		if where.Folder == c.Data {
			err = unusableFolder(ctx, c, err)
		}
		return nil, nil, err
	}
	return folder, folder.Close, nil
}

// StateLog is the name of the state's file.
const StateLog = "state.log"

// Close closes everything. It must not be in use any more.
func (p *Place) Close() error {
	var failed error
	for _, c := range slices.Backward(p.closers) {
		failed = errors.Join(failed, c())
	}
	p.closers = nil
	if failed != nil {
		return fmt.Errorf("close the storage: %w", failed)
	}
	return nil
}

// Parts returns a check for each part, by name.
func (p *Place) Parts() map[string]func(context.Context) error {
	parts := map[string]func(context.Context) error{}
	for name, part := range map[string]any{"state": p.State, "blobs": p.Blobs} {
		if c, ok := part.(storage.Checker); ok {
			parts[name] = c.Check
		}
	}
	if !p.Embedded { // otherwise the state is in the same Redis and has its own check
		return parts
	}
	parts["queues"] = func(ctx context.Context) error {
		if err := p.Redis.Ping(ctx).Err(); err != nil {
			return &storage.Fault{Sentence: "The queues of this process do not answer.", Kind: storage.ErrUnreachable, Err: err}
		}
		return nil
	}
	return parts
}

// Open opens a file of an answer, for an adapter.
func (p *Place) Open(ctx context.Context, handle string) (io.ReadCloser, error) {
	r, err := p.Blobs.Get(ctx, handle)
	return r, NotFoundAsGone(err)
}

// openScratch creates the folder for temporary files. Until the place is closed, it regularly removes
// the leftovers of killed processes.
func (p *Place) openScratch(ctx context.Context, log *slog.Logger) (err error) {
	if p.Scratch, err = disk.OpenScratch(""); err != nil {
		return fault.NoScratch(err)
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		again := time.NewTicker(sweepEvery)
		defer again.Stop()
		for {
			if err := p.Scratch.Sweep(); err != nil {
				log.WarnContext(ctx, "temporary files of a killed process could not be removed", "error", plan.ForOperator(err))
			}
			select {
			case <-again.C:
			case <-stop:
				return
			}
		}
	}()
	p.closers = append(p.closers, func() error {
		close(stop)
		<-ended
		return p.Scratch.Close()
	})
	return nil
}

// connect uses a Redis for the queues and the state.
func (p *Place) connect(url string) error {
	client, err := redis.Open(url)
	if err != nil {
		return err
	}
	p.Redis, p.closers = client, append(p.closers, client.Close)
	p.State, err = redis.New(redis.Config{Client: client})
	return err
}

// embed starts the queues in this process, and opens and locks the state's file.
func (p *Place) embed(file string, log *slog.Logger) error {
	state, err := disk.OpenState(disk.StateConfig{File: file, Log: log})
	if err != nil {
		return err
	}
	p.State, p.Embedded, p.closers = state, true, append(p.closers, state.Close)
	server := embedded.New()
	if err := server.Start(); err != nil {
		return err
	}
	client := server.Client()
	p.Redis = client
	p.closers = append(p.closers, func() error { server.Close(); return nil }, client.Close)
	return nil
}

// NotFoundAsGone maps storage.ErrNotFound to adapters.ErrGone.
func NotFoundAsGone(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("%w: %w", adapters.ErrGone, err)
	}
	return err
}
