package redis_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"atelier/storage"
	"atelier/storage/redis"
	"atelier/storage/redis/redistest"
)

// opened is the result of opening a URL.
type opened struct {
	Kind           string
	Addresses      string
	User, Password string
	DB             int
	TLS            string // the name that the certificate must have; "any" where all are taken
	PoolSize       int
	ReadTimeout    time.Duration
}

func look(t *testing.T, c goredis.UniversalClient) opened {
	t.Helper()
	secure := func(c *tls.Config) string {
		switch {
		case c == nil:
			return ""
		case c.MinVersion < tls.VersionTLS12:
			t.Error("TLS may be too old")
		case c.InsecureSkipVerify:
			return "any"
		}
		return c.ServerName
	}
	switch c := c.(type) {
	case *goredis.ClusterClient:
		o := c.Options()
		if !o.ContextTimeoutEnabled {
			t.Error("deadlines are not obeyed")
		}
		return opened{"cluster", strings.Join(o.Addrs, " "), o.Username, o.Password, 0, secure(o.TLSConfig), o.PoolSize, o.ReadTimeout}
	case *goredis.Client:
		o := c.Options()
		if !o.ContextTimeoutEnabled {
			t.Error("deadlines are not obeyed")
		}
		return opened{o.Network, o.Addr, o.Username, o.Password, o.DB, secure(o.TLSConfig), o.PoolSize, o.ReadTimeout}
	default:
		t.Fatalf("it is a %T", c)
		return opened{}
	}
}

// asks is the name of a client that asks Sentinels.
const asks = "FailoverClient"

func TestOpen(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]opened{
		"redis://":                    {Kind: "tcp", Addresses: "localhost:6379"},
		"redis://localhost":           {Kind: "tcp", Addresses: "localhost:6379"},
		"REDIS://redis:6380/3":        {Kind: "tcp", Addresses: "redis:6380", DB: 3},
		"valkey://valkey?db=4":        {Kind: "tcp", Addresses: "valkey:6379", DB: 4},
		"redis://[::1]":               {Kind: "tcp", Addresses: "[::1]:6379"},
		"redis://[::1]:7000/0":        {Kind: "tcp", Addresses: "[::1]:7000"},
		"redis://:pass@h":             {Kind: "tcp", Addresses: "h:6379", Password: "pass"},
		"redis://me:p%40s%2Fs@h":      {Kind: "tcp", Addresses: "h:6379", User: "me", Password: "p@s/s"},
		"redis://me:p@s,s@h":          {Kind: "tcp", Addresses: "h:6379", User: "me", Password: "p@s,s"},
		"rediss://h:1":                {Kind: "tcp", Addresses: "h:1", TLS: "h"},
		"valkeys://h?skip_verify=1":   {Kind: "tcp", Addresses: "h:6379", TLS: "any"},
		"rediss://h?skip_verify=":     {Kind: "tcp", Addresses: "h:6379", TLS: "h"},
		"redis://h?cluster=false":     {Kind: "tcp", Addresses: "h:6379"},
		"redis://h?pool_size=7":       {Kind: "tcp", Addresses: "h:6379", PoolSize: 7},
		"redis://h?read_timeout=9":    {Kind: "tcp", Addresses: "h:6379", ReadTimeout: 9 * time.Second},
		"redis://h?read_timeout=2m":   {Kind: "tcp", Addresses: "h:6379", ReadTimeout: 2 * time.Minute},
		"redis://h?protocol=2":        {Kind: "tcp", Addresses: "h:6379"},
		"unix:///run/redis.sock":      {Kind: "unix", Addresses: "/run/redis.sock"},
		"unix://me:p@/run/a%20b?db=2": {Kind: "unix", Addresses: "/run/a b", User: "me", Password: "p", DB: 2},

		"redis+cluster://a":                              {Kind: "cluster", Addresses: "a:6379"},
		"redis-cluster://a:1,b,[::1]:3/0":                {Kind: "cluster", Addresses: "a:1 b:6379 [::1]:3"},
		"redis://a,b?cluster=true":                       {Kind: "cluster", Addresses: "a:6379 b:6379"},
		"redis://a:1?cluster=1&addr=b:2&addr=c":          {Kind: "cluster", Addresses: "a:1 b:2 c:6379"},
		"rediss+cluster://me:p@a,b?read_timeout=1s":      {Kind: "cluster", Addresses: "a:6379 b:6379", User: "me", Password: "p", TLS: "a", ReadTimeout: time.Second},
		"valkeys+cluster://a?skip_verify=true":           {Kind: "cluster", Addresses: "a:6379", TLS: "any"},
		"redis+sentinel://a,b:2,c?master=m":              {Kind: "tcp", Addresses: asks},
		"redis-sentinel://me:p@a/3?master_name=m":        {Kind: "tcp", Addresses: asks, User: "me", Password: "p", DB: 3},
		"rediss://:p@a,b?master=m&sentinel_password=s":   {Kind: "tcp", Addresses: asks, Password: "p", TLS: "a"},
		"redis://a:1?master=m&addr=b:2&pool_size=3&db=1": {Kind: "tcp", Addresses: asks, PoolSize: 3, DB: 1},
	} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			c, err := redis.Open(at)
			if err != nil {
				t.Fatal(err)
			}
			got := look(t, c)
			if want.PoolSize == 0 {
				want.PoolSize = got.PoolSize
			}
			if want.ReadTimeout == 0 {
				want.ReadTimeout = got.ReadTimeout
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOpenTrims checks that characters around a URL that files of settings may leave are removed.
func TestOpenTrims(t *testing.T) {
	t.Parallel()
	c, err := redis.Open("\tredis://h/ \r\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := look(t, c).Addresses; got != "h:6379" {
		t.Errorf("it opens %s", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestOpenRefuses checks that each invalid URL is rejected with a sentence that says what to do, without secrets.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for at, says := range map[string]string{ //nolint:gosec // none of them is a password
		"":                                                "does not begin with redis://",
		"SECRET":                                          "does not begin with redis://",
		"localhost:6379":                                  "does not begin with redis://",
		"me:SECRET@localhost:6379":                        "does not begin with redis://",
		"http://me:SECRET@h":                              "has an unknown scheme",
		"SECRET://h":                                      "has an unknown scheme",
		"redis+udp://h":                                   "has an unknown scheme",
		"unix+cluster:///run/s":                           "has an unknown scheme",
		"redis://me:SEC/RET@h":                            "has an @ or a # in the wrong place",
		"redis://me:SEC?RET@h":                            "has an @ or a # in the wrong place",
		"redis://me:SEC#RET@h":                            "has an @ or a # in the wrong place",
		"redis://me:SEC%RET@h":                            "must be percent-encoded",
		"redis://me:SEC RET@h\x00":                        "must be percent-encoded",
		"redis://h?client_name=%SECRET":                   "must be percent-encoded",
		"redis://h?a=b;SECRET":                            "must be percent-encoded",
		"redis://h:SECRET":                                "has an invalid host",
		"redis://SEC RET":                                 "has an invalid host",
		"redis://h:0":                                     "has an invalid host",
		"redis://h:65536":                                 "has an invalid host",
		"redis://::1":                                     "has an invalid host",
		"redis://[SECRET":                                 "has an invalid host",
		"redis+cluster://a,b:x":                           "has an invalid host",
		"redis+cluster://a?addr=SEC:RET":                  "has an invalid host",
		"redis+cluster://a,,b":                            "has an extra comma",
		"redis+sentinel://a,?master=m":                    "has an extra comma",
		"redis://a,b":                                     "has several servers",
		"redis://a?addr=b:1":                              "has several servers",
		"redis://h/SECRET":                                "has an invalid database",
		"redis://h/-1":                                    "has an invalid database",
		"redis://h/0/1":                                   "has an invalid database",
		"redis://h/99999999999999999999":                  "has an invalid database",
		"redis+sentinel://a/mymaster":                     "does not say which master",
		"redis+sentinel://a":                              "does not say which master",
		"redis+cluster://a?master=m":                      "is for both a cluster and Sentinels",
		"redis+sentinel://a?cluster=1&master=m":           "is for both a cluster and Sentinels",
		"redis+cluster://a/1":                             "has a database number",
		"redis+cluster://a?db=0":                          "has a database number",
		"unix://run/redis.sock":                           "with three slashes",
		"unix://":                                         "with three slashes",
		"unix://me:SECRET@":                               "with three slashes",
		"unix:///run/s?cluster=true":                      "has the unknown option cluster",
		"redis://h?password=SECRET":                       "has the unknown option password",
		"redis://h?sentinel_password=SECRET":              "has the unknown option sentinel_password",
		"redis://h?min_idle_conns=5":                      "has the unknown option min_idle_conns",
		"redis+cluster://h?read_only=true":                "has the unknown option read_only",
		"redis+sentinel://h?master=m&route_randomly=true": "has the unknown option route_randomly",
		"redis://h?SECRET":                                "has an unknown option",
		"redis://h?secret":                                "has an unknown option",
		"redis://h?se%0Acret=x":                           "has an unknown option",
		"redis://h?pool_size=SECRET":                      "has an invalid value for the option pool_size",
		"redis://h?pool_size=-1":                          "has an invalid value for the option pool_size",
		"redis://h?pool_size=1&pool_size=99999999":        "has an invalid value for the option pool_size",
		"redis://h?max_retries=-2":                        "has an invalid value for the option max_retries",
		"redis://h?read_timeout=SECRET":                   "has an invalid value for the option read_timeout",
		"redis://h?read_timeout=99999999999":              "has an invalid value for the option read_timeout",
		"redis://h?protocol=4":                            "has an invalid value for the option protocol",
		"redis://h?db=SECRET":                             "has an invalid value for the option db",
		"redis://h?cluster=SECRET":                        "has an invalid value for the option cluster",
		"rediss://h?skip_verify=SECRET":                   "has an invalid value for the option skip_verify",
		"redis://h?skip_verify=true":                      "which needs TLS: use rediss://",
		"unix:///run/s?skip_verify=1":                     "which needs TLS: use rediss://",
	} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			c, err := redis.Open(at)
			refusal(t, c, err)
			if err != nil && !strings.Contains(err.Error(), says) {
				t.Errorf("it says: %v", err)
			}
			for _, secret := range []string{"SEC", "RET", "secret"} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("it repeats a secret: %v", err)
				}
			}
		})
	}
}

// refusal checks that there is one sentence, and that nothing was opened.
func refusal(t *testing.T, c goredis.UniversalClient, err error) {
	t.Helper()
	fault, ok := errors.AsType[*storage.Fault](err)
	if !ok || c != nil {
		t.Fatalf("%v, %v", c, err)
	}
	if !strings.HasPrefix(fault.Sentence, "The URL of Redis ") || !strings.HasSuffix(fault.Sentence, ".") ||
		strings.ContainsAny(fault.Sentence, "\n\x00") || strings.Contains(fault.Sentence, "%!") || fault.Error() != fault.Sentence {
		t.Errorf("it says %q", fault.Error())
	}
}

// FuzzOpen checks that any text is opened or rejected, and that neither repeats what may be a password.
func FuzzOpen(f *testing.F) {
	for _, at := range []string{
		"redis://u:SECRET@h:1/2?read_timeout=3s", "rediss+sentinel://a,b/1?master=m&sentinel_password=SECRET", "redis+cluster://a:1,b?addr=c:2",
		"unix:///s?db=1", "valkeys://[::1]?skip_verify=1", "redis://h?password=SECRET", "redis://:SECRET?x@h",
	} {
		f.Add(at)
	}
	f.Fuzz(func(t *testing.T, at string) {
		c, err := redis.Open(at)
		if err != nil {
			refusal(t, c, err)
			if strings.Contains(err.Error(), "SECRET") {
				t.Error(err)
			}
			return
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestLog is the only test that sets go-redis's log, which is global.
func TestLog(t *testing.T) { //nolint:paralleltest // what others fail at would be in it
	var said bytes.Buffer
	fail := func() {
		c := goredis.NewClient(dialer(func() (net.Conn, error) { return nil, errors.New("nobody listens") }))
		if err := c.Ping(t.Context()).Err(); err == nil {
			t.Error("nobody answers a ping")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	redis.LogTo(slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug})))
	fail()
	if got := said.String(); !strings.Contains(got, "level=DEBUG") || !strings.Contains(got, "from=go-redis") || strings.Count(got, "\n") == 0 {
		t.Errorf("the log says %q", got)
	}
	said.Reset()
	redis.LogTo(slog.New(slog.NewTextHandler(&said, nil)))
	fail()
	redis.LogTo(nil)
	fail()
	if said.Len() > 0 {
		t.Errorf("without details the log says %q", said.String())
	}
}

// use opens a URL and uses the server a little.
func use(t *testing.T, at string) {
	t.Helper()
	c, err := redis.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	s := open(t, redis.Config{Client: c})
	try(t, func(bool) error { return s.Check(t.Context()) }) // the nodes may not all have heard of each other
	ctx, cancel := context.WithCancel(t.Context())
	hints, err := s.Subscribe(ctx, "topic")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Publish(ctx, "topic", []byte("x")); err != nil {
		t.Error(err)
	}
	if hint := <-hints; string(hint) != "x" {
		t.Errorf("the hint is %q", hint)
	}
	cancel()
	for range hints {
	}
}

// TestOpenARealServer opens one by its port and by its socket, with and without a password.
func TestOpenARealServer(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "redis.sock")
	s := redistest.Serve(t, "--save", "", "--unixsocket", socket)
	c := client(t, &goredis.Options{Addr: s.Address()})
	if err := c.Do(t.Context(), "acl", "setuser", "bot", "on", ">p@ss/word", "~*", "&*", "+@all").Err(); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{
		"redis://" + s.Address(), "redis://" + s.Address() + "/3?read_timeout=5s&client_name=bot", "valkey://bot:p%40ss%2Fword@" + s.Address(),
		"unix://" + socket, "unix://bot:p%40ss%2Fword@" + socket + "?db=2",
	} {
		use(t, at)
	}
	refused, err := redis.Open("redis://bot:another@" + s.Address())
	if err != nil {
		t.Fatal(err)
	}
	if err := open(t, redis.Config{Client: refused}).Check(t.Context()); !errors.Is(err, storage.ErrRefused) || strings.Contains(err.Error(), "another") {
		t.Errorf("the wrong password: %v", err)
	}
	if err := refused.Close(); err != nil {
		t.Error(err)
	}
}

// TestOpenSentinels opens Sentinels with a password, and a server with another one.
func TestOpenSentinels(t *testing.T) {
	t.Parallel()
	primary := redistest.Serve(t, "--save", "")
	sentinel := redistest.Sentinel(t, primary)
	for _, c := range []struct {
		at   *redistest.Server
		args []any
	}{
		{primary, []any{"config", "set", "requirepass", "servers"}},
		{sentinel, []any{"sentinel", "set", "atelier", "auth-pass", "servers"}},
		{sentinel, []any{"acl", "setuser", "default", "resetpass", ">sentinels"}},
	} {
		if err := client(t, &goredis.Options{Addr: c.at.Address()}).Do(t.Context(), c.args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	use(t, "redis+sentinel://:servers@"+sentinel.Address()+"/1?master=atelier&sentinel_password=sentinels")
	use(t, "redis://:servers@"+sentinel.Address()+"?master_name=atelier&sentinel_password=sentinels&addr=127.0.0.1:"+strconv.Itoa(sentinel.Port()))
	for _, lacking := range []string{"redis+sentinel://:servers@" + sentinel.Address() + "?master=atelier", "redis+sentinel://" + sentinel.Address() + "?master=atelier&sentinel_password=sentinels"} {
		c, err := redis.Open(lacking)
		if err != nil {
			t.Fatal(err)
		}
		if err := open(t, redis.Config{Client: c}).Check(t.Context()); !errors.Is(err, storage.ErrRefused) {
			t.Errorf("who has not both passwords: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
