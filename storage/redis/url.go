package redis

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"atelier/storage"
)

// kind is what stands behind a URL.
type kind int

const (
	one kind = iota
	sentinel
	cluster
)

// address is a URL that was taken apart.
type address struct {
	kind    kind
	url     *url.URL // as go-redis reads it, with one host and without options
	options url.Values

	// What go-redis has no option for, or another.
	trusting                       bool // takes every certificate
	master                         string
	sentinelUser, sentinelPassword string
}

// wrong is what a URL is refused with. The sentence begins with "The URL of Redis".
func wrong(format string, args ...any) error {
	return &storage.Fault{Sentence: "The URL of Redis " + fmt.Sprintf(format, args...)}
}

// parse takes a URL apart. The hosts are split before package url sees them, which knows
// of one.
func parse(at string) (*address, error) {
	name, rest, ok := strings.Cut(strings.TrimSpace(at), "://")
	if !ok {
		return nil, wrong("begins with no redis://: one such as redis://localhost:6379/0 is expected.")
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
		return nil, wrong("has an @ or a # where there can be none: / is %%2F, ? is %%3F, # is %%23 and @ is %%40 in a user, a password or an option.")
	}
	user, hosts := "", authority
	if i := strings.LastIndex(authority, "@"); i >= 0 {
		user, hosts = authority[:i+1], authority[i+1:]
	}
	u, err := url.Parse(scheme + "://" + user + path)
	if err != nil { // which repeats the URL
		return nil, wrong("cannot be read: what is not a letter or a digit in a user, a password or an option must be percent-encoded, such as %%40 for @.")
	}
	a := &address{kind: kind, url: u}
	if a.options, err = url.ParseQuery(u.RawQuery); err != nil {
		return nil, wrong("has options that cannot be read: what is not a letter or a digit in them must be percent-encoded, such as %%26 for &.")
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

// parseScheme takes a scheme apart: how go-redis calls it, and what it adds to that.
func parseScheme(name string) (scheme string, k kind, err error) {
	name = strings.ToLower(name)
	more := ""
	if i := strings.IndexAny(name, "+-"); i >= 0 {
		name, more = name[:i], name[i+1:]
	}
	scheme, known := map[string]string{"redis": "redis", "valkey": "redis", "rediss": "rediss", "valkeys": "rediss", "unix": "unix"}[name]
	k, fits := map[string]kind{"": one, "sentinel": sentinel, "cluster": cluster}[more]
	if !known || !fits || scheme == "unix" && k != one {
		return "", one, wrong("begins with a word that is not known: redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// is expected.")
	}
	return scheme, k, nil
}

func (a *address) checkSocket(hosts string) error {
	if hosts != "" || strings.Trim(a.url.Path, "/") == "" {
		return wrong("names no socket: a path from the root such as unix:///run/redis.sock is expected, with three slashes.")
	}
	return nil
}

// checkDatabase looks at the path, which is the number of a database.
func (a *address) checkDatabase() error {
	db := strings.Trim(a.url.Path, "/")
	switch {
	case db != "" && !number(0, maxDatabase)(db):
		return wrong("has a database that is none: a number such as the 0 in redis://localhost:6379/0 is expected.")
	case a.kind == cluster && (db != "" && db != "0" || a.options.Has("db")):
		return wrong("names a database, and a cluster has only one: leave the number out.")
	}
	return nil
}

// take removes an option and gives its value.
func (a *address) take(name string) string {
	value := a.options.Get(name)
	a.options.Del(name)
	return value
}

// takeKind takes the options that tell what stands behind the URL.
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
		return wrong("names a cluster and what Sentinels watch: only one of both can be.")
	case clustered:
		a.kind = cluster
	case a.master != "":
		a.kind = sentinel
	case a.kind == sentinel:
		return wrong("does not say which server the Sentinels are to name: add ?master=NAME, such as ?master=mymaster.")
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

// setHosts gives go-redis the first host in the URL and the others as its option.
func (a *address) setHosts(hosts []string) error {
	port := "6379"
	if a.kind == sentinel {
		port = "26379"
	}
	further := a.options["addr"]
	a.options.Del("addr")
	if hosts = append(hosts, further...); len(hosts) > 1 && a.kind == one {
		return wrong("names several servers: begin it with redis+cluster:// where they are a cluster, with redis+sentinel:// where they are Sentinels.")
	}
	for i, host := range hosts {
		if host == "" && len(hosts) > 1 {
			return wrong("has a comma too many between its hosts.")
		}
		full, err := withPort(host, port)
		if err != nil {
			return wrong("has a host that cannot be one: HOST, HOST:PORT or [IPV6]:PORT is expected.")
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

// withPort completes a host, which is this machine where it is empty.
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
