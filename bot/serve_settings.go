package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// serveSettings are those of the work on requests, and of serve.
func serveSettings() []setting {
	return []setting{
		{
			name: "ATELIER_LISTEN", value: "127.0.0.1:8080",
			about: "The address on which serve answers HTTP: /healthz, /readyz and /metrics. off listens nowhere.",
			set:   func(c *Config, v string) (err error) { c.Listen, err = listen(v); return err },
		}, {
			name: "WEB_PASSWORD", secret: true,
			about: "The password of what is served there (with any user name), but for /healthz and /readyz: 8 characters or more. " +
				"Needed where ATELIER_LISTEN is reached from other machines.",
			set: func(c *Config, v string) error { c.WebPassword = secret(v); return password(v) },
		}, {
			name: "ATELIER_DEADLINE", value: "30m", about: "How long a request may take from its turn on; then it is answered with what was done.",
			set: func(c *Config, v string) (err error) {
				c.Deadline, err = duration(v, time.Second, 24*time.Hour, "30m or 2h")
				return err
			},
		}, {
			name: "ATELIER_GRACE", value: "20s", about: "How long serve lets running steps go on when it is to end; then another process does them.",
			set: func(c *Config, v string) (err error) { c.Grace, err = grace(v); return err },
		}, {
			name: "ATELIER_CHECK", value: "100ms",
			about: "How often an idle worker looks for work: the less, the sooner it begins, and the more Redis is asked.",
			set: func(c *Config, v string) (err error) {
				c.Check, err = duration(v, 5*time.Millisecond, 10*time.Second, "100ms or 1s")
				return err
			},
		}, {
			name: "ATELIER_RETENTION", value: "720h", about: "How long requests, conversations and their files are kept.",
			set: func(c *Config, v string) (err error) {
				c.Retention, err = duration(v, time.Hour, 10*365*24*time.Hour, "168h or 720h")
				return err
			},
		},
	}
}

func grace(v string) (time.Duration, error) {
	return duration(v, time.Millisecond, time.Hour, "20s or 2m")
}

// leastPassword is the fewest characters of a password.
const leastPassword = 8

// password takes none, or one that is not guessed at once.
func password(v string) error {
	if v != "" && len([]rune(v)) < leastPassword {
		return fmt.Errorf("at least %d characters are expected", leastPassword)
	}
	return nil
}

// checkListen refuses to serve other machines without a password.
func (c Config) checkListen() error {
	if c.Listen == "" || c.WebPassword != "" || c.private() {
		return nil
	}
	return usage("ATELIER_LISTEN is %q, which other machines reach, and WEB_PASSWORD is not set: set it, or listen on 127.0.0.1:8080 or off.", c.Listen)
}

// private tells whether only this machine reaches what is listened on.
func (c Config) private() bool {
	host := c.Listen[:max(strings.LastIndexByte(c.Listen, ':'), 0)] // it was looked at when it was set
	return host == "localhost" || net.ParseIP(strings.Trim(host, "[]")).IsLoopback()
}

// listen is an address to listen on; that of off is empty.
func listen(v string) (string, error) {
	if v == "off" {
		return "", nil
	}
	_, port, err := net.SplitHostPort(v)
	if n, e := strconv.Atoi(port); err != nil || e != nil || n < 0 || n > 65535 {
		return "", errors.New("an address such as 127.0.0.1:8080 or :8080, or off, is expected")
	}
	return v, nil
}
