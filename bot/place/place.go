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

// Place is where a process finds its work and keeps what becomes of it.
type Place struct {
	Redis goredis.UniversalClient // the queues
	State storage.State
	Blobs storage.Blobs
	// Scratch is for files that are needed for a while.
	Scratch *disk.Scratch
	// Embedded tells that the queues are of this process alone and end with it, and that
	// nobody else has the State.
	Embedded bool

	closers []func() error // the last one is called first
}

// Placement says where things are kept.
type Placement struct {
	// Folder holds what is kept on disk: the files of a process without a bucket, and the
	// state of one without Redis. It is made if it is not there. Empty is one that ends with
	// the place.
	Folder string
	// Shared takes the Redis and the bucket of the settings, where they are set. Without
	// it everything is in the folder.
	Shared bool
}

// Open opens where things are kept. Close it in the end. Nothing outside of the
// folder is asked: [Check] does that. What it fails with holds a [*storage.Fault].
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

// sweepEvery is how often is looked for what killed processes have left.
const sweepEvery = 10 * time.Minute

// OpenBlobs opens where files are kept. done closes it.
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

// StateLog is the file of the state in a folder.
const StateLog = "state.log"

// Close lets go of everything. What uses it has ended before.
func (p *Place) Close() error {
	var failed error
	for _, c := range slices.Backward(p.closers) {
		failed = errors.Join(failed, c())
	}
	p.closers = nil
	if failed != nil {
		return fmt.Errorf("close where things are kept: %w", failed)
	}
	return nil
}

// Parts are what the place is made of, by the name of each, to be checked one by one.
func (p *Place) Parts() map[string]func(context.Context) error {
	parts := map[string]func(context.Context) error{}
	for name, part := range map[string]any{"state": p.State, "blobs": p.Blobs} {
		if c, ok := part.(storage.Checker); ok {
			parts[name] = c.Check
		}
	}
	if !p.Embedded { // there the state is in the same Redis, and was asked just now
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

// Open opens what an answer shows, for an adapter.
func (p *Place) Open(ctx context.Context, handle string) (io.ReadCloser, error) {
	r, err := p.Blobs.Get(ctx, handle)
	return r, GoneWhereNotFound(err)
}

// openScratch makes the folder for temporary files. Until the place is closed, it removes what
// killed processes have left, at once and from time to time.
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
				log.WarnContext(ctx, "temporary files of a process that was killed stay", "error", plan.ForOperator(err))
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

// embed has the queues in this process and the state in a file, which it takes for itself.
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

// GoneWhereNotFound tells an adapter in its own words that there is no such file.
func GoneWhereNotFound(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("%w: %w", adapters.ErrGone, err)
	}
	return err
}
