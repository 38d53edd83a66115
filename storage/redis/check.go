package redis

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"atelier/storage"
)

// kinds maps the first words of an error reply to a kind of error. Other replies have no kind.
var kinds = []struct {
	begins string
	kind   error
}{
	{"NOAUTH", storage.ErrRefused},
	{"WRONGPASS", storage.ErrRefused},
	{"NOPERM", storage.ErrRefused},
	{"invalid password", storage.ErrRefused},
	{"invalid username-password", storage.ErrRefused},
	{"AUTH <password> called without any password", storage.ErrRefused},
	{"Client sent AUTH, but no password is set", storage.ErrRefused},

	{"OOM", storage.ErrFull},
	{"MISCONF", storage.ErrFull}, // cannot write its files

	{"LOADING", storage.ErrUnreachable},
	{"BUSY", storage.ErrUnreachable},
	{"CLUSTERDOWN", storage.ErrUnreachable},
	{"MASTERDOWN", storage.ErrUnreachable},
	{"TRYAGAIN", storage.ErrUnreachable},
	{"NOREPLICAS", storage.ErrUnreachable},
	{"READONLY", storage.ErrUnreachable}, // for example during a failover
	{"UNBLOCKED", storage.ErrUnreachable},
	{"max number of clients", storage.ErrUnreachable},
	{"max number of connections", storage.ErrUnreachable},

	{"unknown command", storage.ErrUnfit},
	{"syntax error", storage.ErrUnfit},
	{"Unsupported option", storage.ErrUnfit},
	{"wrong number of arguments", storage.ErrUnfit},
	{"This instance has cluster support disabled", storage.ErrUnfit},
	{"SELECT is not allowed in cluster mode", storage.ErrUnfit},
	{"DB index is out of range", storage.ErrUnfit},
	{"MOVED", storage.ErrUnfit}, // a client for a single server
}

// sort classifies an error of the client.
func sort(ctx context.Context, err error) error {
	answer, ok := errors.AsType[goredis.Error](err)
	switch {
	case ok:
		words := strings.TrimPrefix(answer.Error(), "ERR ")
		for _, k := range kinds {
			if strings.HasPrefix(words, k.begins) {
				return storage.Classify(k.kind, err)
			}
		}
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case ended(ctx) != nil:
		return fmt.Errorf("%w: %w", ended(ctx), err)
	default: // there was no reply
		return storage.Classify(storage.ErrUnreachable, err)
	}
}

// ended returns why ctx has ended. A connection also knows the deadline and may report it first.
func ended(ctx context.Context) error {
	if at, ok := ctx.Deadline(); ok && ctx.Err() == nil && !time.Now().Before(at) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// Check writes, reads and removes a value, and checks whether the server may evict values.
func (s *State) Check(ctx context.Context) error {
	if err := s.try(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return s.fault(err)
	}
	// A server that does not report this, like some hosted ones, is trusted.
	memory, err := again(ctx, func() (string, error) { return s.client.Info(ctx, "memory").Result() })
	if err == nil && evicts(memory) {
		return &storage.Fault{Kind: storage.ErrUnfit, Sentence: "Redis" + s.where() +
			" evicts data when its memory is full, which would lose requests: set its maxmemory-policy to noeviction."}
	}
	return ctx.Err()
}

func (s *State) try(ctx context.Context) error {
	group := "check-" + rand.Text()
	key := group + "/value"
	if _, err := s.PutOnce(ctx, key, []byte("x"), time.Minute); err != nil {
		return err
	}
	if _, err := s.Get(ctx, key); err != nil {
		return err
	}
	return s.DeleteAll(ctx, group)
}

// fault explains a failed check.
func (s *State) fault(err error) error {
	f := &storage.Fault{Err: err}
	say := func(kind error, what string) error {
		f.Kind, f.Sentence = kind, "Redis"+s.where()+" "+what
		return f
	}
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &plain):
		return say(storage.ErrUnfit, "does not use TLS: use redis:// instead of rediss://, or another port.")
	case errors.Is(err, storage.ErrRefused):
		return say(storage.ErrRefused, "rejects the user name or the password, or does not give this user the required permissions.")
	case errors.Is(err, storage.ErrFull):
		return say(storage.ErrFull, "is full: raise its maxmemory, or free space on its disk.")
	case goredis.IsReadOnlyError(err):
		return say(storage.ErrUnfit, "is a read-only replica: use the address of the primary.")
	case errors.Is(err, storage.ErrUnfit):
		return say(storage.ErrUnfit, s.unfit(err))
	default:
		return say(storage.ErrUnreachable, "cannot be used: "+storage.Reason(err)+".")
	}
}

// unfit explains why a server does not support the required commands. Usually it is of another kind
// than its URL says.
func (s *State) unfit(err error) string {
	client, one := s.client.(*goredis.Client)
	switch {
	case answers(err, "DB index is out of range"):
		return "has no database with this number: use a smaller one, such as the 0 in redis://localhost:6379/0, or raise its setting databases."
	case answers(err, "This instance has cluster support disabled"):
		return "is not a cluster: use redis:// instead of redis+cluster://."
	case answers(err, "MOVED"), answers(err, "SELECT is not allowed in cluster mode"):
		return "is part of a cluster: use redis+cluster:// instead of redis://, without a database number."
	case one && client.Options().Addr == failover && answers(err, "unknown command"):
		return "was not found, since the URL does not name Sentinels: use redis:// instead of redis+sentinel://, or name Sentinels."
	}
	return "does not support a required command: Redis 7 or newer, or Valkey, is required."
}

// answers reports whether an error is a server's reply with that prefix.
func answers(err error, begins string) bool {
	answer, ok := errors.AsType[goredis.Error](err)
	return ok && strings.HasPrefix(strings.TrimPrefix(answer.Error(), "ERR "), begins)
}

// failover is the address reported by a client that uses Sentinels.
const failover = "FailoverClient"

// where returns " at ADDRESS" if the client tells its address.
func (s *State) where() string {
	switch c := s.client.(type) {
	case *goredis.Client:
		if address := c.Options().Addr; address != "" && address != failover {
			return " at " + address
		}
	case *goredis.ClusterClient:
		return " at " + strings.Join(c.Options().Addrs, ", ")
	}
	return ""
}

// evicts reports whether the server may evict values, according to INFO memory.
func evicts(info string) bool {
	limit, policy := setting(info, "maxmemory"), setting(info, "maxmemory_policy")
	return limit != "" && limit != "0" && policy != "" && policy != "noeviction"
}

// setting returns a value from the output of INFO.
func setting(info, name string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
