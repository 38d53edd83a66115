package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Open returns a client of the Redis or Valkey server that a URL names. It does not connect. It
// fails with a [*storage.Fault], which repeats nothing from the URL but names of options. Close the
// client after everything that uses it.
//
//	redis://USER:PASSWORD@HOST:6379/0            one server, with the number of its database
//	unix://USER:PASSWORD@/run/redis.sock?db=0    the same by a socket
//	redis+sentinel://USER:PASSWORD@HOST:26379,HOST,HOST/0?master=NAME
//	                                             the server that Sentinels name, and its next
//	redis+cluster://USER:PASSWORD@HOST:6379,HOST,HOST
//	                                             a cluster, by some of its nodes
//
// rediss instead of redis means TLS 1.2 or newer; valkey and valkeys are the same as redis and
// rediss. User, password, port and database are optional. Special characters in a user or password
// must be percent-encoded. User and password are those of the servers; the options
// sentinel_username and sentinel_password are for the Sentinels. Other common notations are
// accepted too: redis-sentinel://…, redis://…?master=NAME (or master_name), redis-cluster://…,
// redis://…?cluster=true, and further hosts as addr=HOST:PORT.
//
// The options of go-redis URLs can be used: dial_timeout, read_timeout, write_timeout and
// pool_timeout (such as 3s), pool_size, max_retries, skip_verify (which accepts every certificate)
// and more, except those that read from replicas, since everybody must see what was written.
//
// The client also obeys the deadline of a context while it waits for a reply.
func Open(at string) (goredis.UniversalClient, error) { //nolint:ireturn // go-redis's interface for all three
	a, err := parse(at)
	if err != nil {
		return nil, err
	}
	switch a.kind {
	case cluster:
		o, err := read(a, goredis.ParseClusterURL)
		if err != nil {
			return nil, err
		}
		a.secure(o.TLSConfig)
		o.ContextTimeoutEnabled, o.MaintNotificationsConfig = true, unasked()
		return goredis.NewClusterClient(o), nil
	case sentinel:
		o, err := read(a, goredis.ParseFailoverURL)
		if err != nil {
			return nil, err
		}
		// go-redis takes the user and password of the URL for the Sentinels'.
		o.Username, o.Password = o.SentinelUsername, o.SentinelPassword
		o.MasterName, o.SentinelUsername, o.SentinelPassword = a.master, a.sentinelUser, a.sentinelPassword
		a.secure(o.TLSConfig)
		o.ContextTimeoutEnabled = true
		return goredis.NewFailoverClient(o), nil
	default:
		o, err := read(a, goredis.ParseURL)
		if err != nil {
			return nil, err
		}
		a.secure(o.TLSConfig)
		o.ContextTimeoutEnabled, o.MaintNotificationsConfig = true, unasked()
		return goredis.NewClient(o), nil
	}
}

// unasked disables maintenance notifications, which only hosted servers send; users of the client
// retry anyway.
func unasked() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// read has go-redis parse a checked URL. Its errors are not passed on, since they repeat parts of
// the URL.
func read[O any](a *address, parse func(string) (O, error)) (O, error) {
	u := *a.url
	u.RawQuery = a.options.Encode()
	o, err := parse(u.String())
	if err != nil {
		return o, wrong("is invalid: expected a URL such as redis://localhost:6379/0.")
	}
	return o, nil
}

// secure completes the TLS settings, if TLS is used.
func (a *address) secure(c *tls.Config) {
	if c != nil {
		c.MinVersion, c.InsecureSkipVerify = tls.VersionTLS12, a.trusting
	}
}

// tries is the maximum number of attempts if the connection breaks.
const tries = 3

// again runs an idempotent operation, and repeats it if its connection breaks and ctx has not
// ended. The client itself retries only if the server closed the connection, not if it was killed.
// It also ignores ctx while it waits for a server that hangs, so the operation may continue for a
// while after again has returned, and must not use data owned by the caller.
func again[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	if err := ctx.Err(); err != nil {
		return result{}.value, err
	}
	done := make(chan result, 1)
	go func() {
		var r result
		for range tries {
			if r.value, r.err = do(); ctx.Err() != nil || !broken(r.err) {
				break
			}
		}
		done <- r
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return result{}.value, ctx.Err()
	}
}

// broken reports whether an error comes from a connection that had been established.
func broken(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Op != "dial" && !op.Timeout()
	}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// LogTo sends the output of go-redis to a log, at debug level, since failures are also returned as
// errors. Nil silences it. Without LogTo, go-redis writes to standard error.
//
// This setting applies to the whole process. So only the program calls LogTo, once, before it opens
// a client.
func LogTo(log *slog.Logger) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	goredis.SetLogger(logger{log})
}

type logger struct{ log *slog.Logger }

func (l logger) Printf(ctx context.Context, format string, args ...any) {
	if l.log.Enabled(ctx, slog.LevelDebug) {
		l.log.DebugContext(ctx, fmt.Sprintf(format, args...), "from", "go-redis")
	}
}
