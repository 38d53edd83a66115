package redis

import (
	"regexp"
	"strconv"
	"time"
)

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
