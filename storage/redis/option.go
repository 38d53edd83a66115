package redis

import (
	"regexp"
	"strconv"
	"time"
)

// maxDatabase is the last that a server can be made to have.
const maxDatabase = 1<<31 - 2

// options are those of go-redis that can be set, with what a value must be. Left out are
// those by which it dials before it is asked to, reads from replicas, which may not know
// yet what was written, or panics.
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

// duration is a number of seconds, or has a unit.
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

// plainName is what an option's name looks like, as opposed to a piece of a password.
var plainName = regexp.MustCompile(`^[a-z_]{1,40}$`)

// checkOptions looks at those that are left for go-redis.
func (a *address) checkOptions() (err error) {
	trusting := a.options.Has("skip_verify")
	if a.trusting, err = a.takeBool("skip_verify"); err != nil {
		return err
	}
	if trusting && a.url.Scheme != "rediss" {
		return wrong("has the option skip_verify, which is of TLS: begin it with rediss in place of redis, or leave the option out.")
	}
	for name, values := range a.options {
		valid, known := options[name]
		switch {
		case name == "addr" && a.kind != one: // the hosts, which were checked
		case known && valid(values[len(values)-1]):
		case known:
			return badOption(name)
		case plainName.MatchString(name) && values[0] != "":
			return wrong("has the option %s, which is not known here: leave it out.", name)
		default:
			return wrong("has an option that is not known here: leave it out.")
		}
	}
	return nil
}

func badOption(name string) error {
	return wrong("has the option %s with a value that cannot be: a number that is not too large, true or false, or a time such as 3s is expected.", name)
}
