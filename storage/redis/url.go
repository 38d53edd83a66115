package redis

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"atelier/storage"
)

// kind is the kind of server behind a URL.
type kind int

const (
	one kind = iota
	sentinel
	cluster
)

// address is a parsed URL.
type address struct {
	kind    kind
	url     *url.URL // for go-redis: with one host and without options
	options url.Values

	// Settings for which go-redis has no option, or another one.
	trusting                       bool // accepts every certificate
	master                         string
	sentinelUser, sentinelPassword string
}

// wrong returns the error for an invalid URL. The sentence begins with "The URL of Redis".
func wrong(format string, args ...any) error {
	return &storage.Fault{Sentence: "The URL of Redis " + fmt.Sprintf(format, args...)}
}

// parse parses a URL. It splits the hosts first, since package url supports only one.
func parse(at string) (*address, error) {
	name, rest, ok := strings.Cut(strings.TrimSpace(at), "://")
	if !ok {
		return nil, wrong("does not begin with redis://: expected a URL such as redis://localhost:6379/0.")
	}
	scheme, kind, err := parseScheme(name)
	if err != nil {
		return nil, err
	}
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	if strings.ContainsAny(path, "@#") {
		return nil, wrong("has an @ or a # in the wrong place: write / as %%2F, ? as %%3F, # as %%23 and @ as %%40 in a user, a password or an option.")
	}
	user, hosts := "", authority
	if i := strings.LastIndex(authority, "@"); i >= 0 {
		user, hosts = authority[:i+1], authority[i+1:]
	}
	u, err := url.Parse(scheme + "://" + user + path)
	if err != nil { // the error repeats the URL
		return nil, wrong("is invalid: special characters in a user, a password or an option must be percent-encoded, such as %%40 for @.")
	}
	a := &address{kind: kind, url: u}
	if a.options, err = url.ParseQuery(u.RawQuery); err != nil {
		return nil, wrong("has invalid options: special characters in them must be percent-encoded, such as %%26 for &.")
	}
	u.RawQuery = ""
	steps := []func() error{a.takeKind, a.checkDatabase, func() error { return a.setHosts(strings.Split(hosts, ",")) }, a.checkOptions}
	if scheme == "unix" {
		steps = []func() error{func() error { return a.checkSocket(hosts) }, a.checkOptions}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// parseScheme splits a scheme into go-redis's scheme and the kind of server.
func parseScheme(name string) (scheme string, k kind, err error) {
	name = strings.ToLower(name)
	more := ""
	if i := strings.IndexAny(name, "+-"); i >= 0 {
		name, more = name[:i], name[i+1:]
	}
	scheme, known := map[string]string{"redis": "redis", "valkey": "redis", "rediss": "rediss", "valkeys": "rediss", "unix": "unix"}[name]
	k, fits := map[string]kind{"": one, "sentinel": sentinel, "cluster": cluster}[more]
	if !known || !fits || scheme == "unix" && k != one {
		return "", one, wrong("has an unknown scheme: expected redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://.")
	}
	return scheme, k, nil
}

func (a *address) checkSocket(hosts string) error {
	if hosts != "" || strings.Trim(a.url.Path, "/") == "" {
		return wrong("has no socket: expected an absolute path with three slashes, such as unix:///run/redis.sock.")
	}
	return nil
}

// checkDatabase checks the path, which is the number of a database.
func (a *address) checkDatabase() error {
	db := strings.Trim(a.url.Path, "/")
	switch {
	case db != "" && !number(0, maxDatabase)(db):
		return wrong("has an invalid database: expected a number, such as the 0 in redis://localhost:6379/0.")
	case a.kind == cluster && (db != "" && db != "0" || a.options.Has("db")):
		return wrong("has a database number, but a cluster has only one database: omit the number.")
	}
	return nil
}

// take removes an option and returns its value.
func (a *address) take(name string) string {
	value := a.options.Get(name)
	a.options.Del(name)
	return value
}

// takeKind evaluates the options that determine the kind of server.
func (a *address) takeKind() error {
	clustered, err := a.takeBool("cluster")
	if err != nil {
		return err
	}
	a.master = a.take("master")
	if name := a.take("master_name"); a.master == "" {
		a.master = name
	}
	switch {
	case clustered && (a.kind == sentinel || a.master != ""), a.kind == cluster && a.master != "":
		return wrong("is for both a cluster and Sentinels: choose one.")
	case clustered:
		a.kind = cluster
	case a.master != "":
		a.kind = sentinel
	case a.kind == sentinel:
		return wrong("does not say which master to ask the Sentinels for: add ?master=NAME, such as ?master=mymaster.")
	}
	if a.kind == sentinel {
		a.sentinelUser, a.sentinelPassword = a.take("sentinel_username"), a.take("sentinel_password")
	}
	return nil
}

func (a *address) takeBool(name string) (bool, error) {
	value := a.take(name)
	if !flag(value) {
		return false, badOption(name)
	}
	return value == "true" || value == "1", nil
}

// setHosts puts the first host into the URL and the others into go-redis's option.
func (a *address) setHosts(hosts []string) error {
	port := "6379"
	if a.kind == sentinel {
		port = "26379"
	}
	further := a.options["addr"]
	a.options.Del("addr")
	if hosts = append(hosts, further...); len(hosts) > 1 && a.kind == one {
		return wrong("has several servers: use redis+cluster:// for a cluster, redis+sentinel:// for Sentinels.")
	}
	for i, host := range hosts {
		if host == "" && len(hosts) > 1 {
			return wrong("has an extra comma between its hosts.")
		}
		full, err := withPort(host, port)
		if err != nil {
			return wrong("has an invalid host: expected HOST, HOST:PORT or [IPV6]:PORT.")
		}
		if i == 0 {
			a.url.Host = full
		} else {
			a.options.Add("addr", full)
		}
	}
	return nil
}

var errHost = errors.New("not a host")

// withPort adds the default port and the default host, localhost.
func withPort(host, port string) (string, error) {
	u, err := url.Parse("redis://" + host)
	if err != nil || u.Host != host || strings.ContainsAny(host, " \t\\%<>\"'`{}|^;=&!*()$") {
		return "", errHost
	}
	name := u.Hostname()
	if strings.Contains(name, ":") && !strings.HasPrefix(host, "[") {
		return "", errHost
	}
	if name == "" {
		name = "localhost"
	}
	if p := u.Port(); p != "" {
		port = p
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", errHost
	}
	return net.JoinHostPort(name, port), nil
}

// maxDatabase is the highest database number that a server can be configured for.
const maxDatabase = 1<<31 - 2

// options are the allowed options of go-redis, with checks of their values. They exclude options
// with which it connects at once, reads from replicas, which may be out of date, or panics.
var options = map[string]func(value string) bool{
	"client_name":        func(string) bool { return true },
	"conn_max_idle_time": duration,
	"conn_max_lifetime":  duration,
	"db":                 number(0, maxDatabase),
	"dial_timeout":       duration,
	"max_active_conns":   number(0, maxConns),
	"max_idle_conns":     number(0, maxConns),
	"max_retries":        number(-1, 100),
	"max_retry_backoff":  duration,
	"min_retry_backoff":  duration,
	"pool_size":          number(0, maxConns),
	"pool_timeout":       duration,
	"protocol":           number(2, 3),
	"read_timeout":       duration,
	"write_timeout":      duration,
}

const maxConns = 10_000

func number(least, most int) func(string) bool {
	return func(value string) bool {
		n, err := strconv.Atoi(value)
		return value == "" || err == nil && least <= n && n <= most
	}
}

// duration reports whether the value is a number of seconds or a duration with a unit.
func duration(value string) bool {
	const most = 24 * time.Hour
	if n, err := strconv.Atoi(value); err == nil {
		return n <= int(most/time.Second)
	}
	d, err := time.ParseDuration(value)
	return value == "" || err == nil && d <= most
}

func flag(value string) bool {
	switch value {
	case "true", "false", "1", "0", "":
		return true
	}
	return false
}

// plainName matches the name of an option, but hardly a part of a password.
var plainName = regexp.MustCompile(`^[a-z_]{1,40}$`)

// checkOptions checks the options for go-redis.
func (a *address) checkOptions() (err error) {
	trusting := a.options.Has("skip_verify")
	if a.trusting, err = a.takeBool("skip_verify"); err != nil {
		return err
	}
	if trusting && a.url.Scheme != "rediss" {
		return wrong("has the option skip_verify, which needs TLS: use rediss:// instead of redis://, or omit the option.")
	}
	for name, values := range a.options {
		valid, known := options[name]
		switch {
		case name == "addr" && a.kind != one: // the hosts, checked before
		case known && valid(values[len(values)-1]):
		case known:
			return badOption(name)
		case plainName.MatchString(name) && values[0] != "":
			return wrong("has the unknown option %s: omit it.", name)
		default:
			return wrong("has an unknown option: omit it.")
		}
	}
	return nil
}

func badOption(name string) error {
	return wrong("has an invalid value for the option %s: expected a number within limits, true or false, or a duration such as 3s.", name)
}
