package redis

import (
	"crypto/tls"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Open makes a client of the Redis, or Valkey, that a URL names. It dials nothing, and
// fails with a [*storage.Fault], which repeats no more of the URL than the names of its
// options. Close the client after all that use it.
//
//	redis://USER:PASSWORD@HOST:6379/0            one server, with the number of its database
//	unix://USER:PASSWORD@/run/redis.sock?db=0    the same by a socket
//	redis+sentinel://USER:PASSWORD@HOST:26379,HOST,HOST/0?master=NAME
//	                                             the server that Sentinels name, and its next
//	redis+cluster://USER:PASSWORD@HOST:6379,HOST,HOST
//	                                             a cluster, by some of its nodes
//
// With rediss in place of redis all of it is by TLS 1.2 or newer; valkey and valkeys are
// the same as redis and rediss. User, password, port and database may be left out, and
// what is not plain in a user or a password is percent-encoded. User and password are
// those of the servers; where the Sentinels have some of their own, these are the options
// sentinel_username and sentinel_password. Other ways to write it, as they are common
// elsewhere: redis-sentinel://…, redis://…?master=NAME (or master_name), redis-cluster://…,
// redis://…?cluster=true, and further hosts as addr=HOST:PORT.
//
// Options that go-redis takes in its URLs can be set: dial_timeout, read_timeout,
// write_timeout and pool_timeout (such as 3s), pool_size, max_retries,
// skip_verify (which trusts every certificate) and more, but for those that read from
// replicas, since what was written must be seen by all.
//
// The client obeys the deadline of a context also while it waits for an answer.
func Open(at string) (goredis.UniversalClient, error) { //nolint:ireturn // go-redis's own word for any of the three
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
		// go-redis takes those of the URL for the Sentinels'.
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

// unasked has a server not be asked for notices of its maintenance, which only a rented
// one gives: whoever uses the client tries again anyway.
func unasked() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// read has go-redis read a URL that was checked. Its errors repeat what they are about, so
// they are not handed on.
func read[O any](a *address, parse func(string) (O, error)) (O, error) {
	u := *a.url
	u.RawQuery = a.options.Encode()
	o, err := parse(u.String())
	if err != nil {
		return o, wrong("cannot be read: one such as redis://localhost:6379/0 is expected.")
	}
	return o, nil
}

// secure completes the settings of TLS, where it is used.
func (a *address) secure(c *tls.Config) {
	if c != nil {
		c.MinVersion, c.InsecureSkipVerify = tls.VersionTLS12, a.trusting
	}
}
