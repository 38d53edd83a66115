package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/bot/fault"
)

// serveSettings are the settings for serve and for the work on requests.
func serveSettings() []setting {
	return []setting{
		{
			name: "ATELIER_LISTEN", value: "127.0.0.1:8080",
			about: "The address of serve's HTTP server: the web page, /healthz, /readyz and /metrics. off turns HTTP off.",
			set:   func(c *Config, v string) (err error) { c.Listen, err = Listen(v); return err },
		}, {
			name: "WEB_PASSWORD", secret: true,
			about: "The password of the web page, and of /metrics (with any user name): 8 characters or more. If other machines can reach " +
				"ATELIER_LISTEN, this or WEB_USER_HEADER is required.",
			set: func(c *Config, v string) error { c.Web.Password = secret(v); return password(v) },
		}, {
			name: "WEB_USER_HEADER",
			about: "The header in which an authenticating proxy in front of the web page names the user, such as X-Forwarded-User. The page then " +
				"asks for no password.",
			set: func(c *Config, v string) error { c.Web.UserHeader = v; return headerName(v) },
		}, {
			name: "WEB_ADMINS",
			about: "The admins of the web page, as named in WEB_USER_HEADER, separated by commas. They may delete what others wrote. If set, only " +
				"they see /operations; otherwise everybody who is let in does.",
			set: func(c *Config, v string) (err error) { c.Web.Admins, err = names(v); return err },
		}, {
			name: "WEB_PROXIES",
			about: "The addresses of the proxies in front of the web page, such as 10.0.0.0/8 or 10.1.2.3, separated by commas. Headers from any " +
				"other address are ignored. Set it if the proxy runs on another machine, even with WEB_PASSWORD: wrong passwords are then " +
				"counted by the proxy's X-Forwarded-For; otherwise everybody behind the proxy counts as one. If empty, only this machine is " +
				"trusted, and its X-Forwarded-For is used only if PUBLIC_URL is set.",
			set: func(c *Config, v string) (err error) { c.Web.Proxies, err = prefixes(v); return err },
		}, {
			name: "PUBLIC_URL",
			about: "The URL at which people reach the web page, such as https://atelier.example.org. If set, pictures on other chat platforms " +
				"get a link to a page for marking things on them.",
			set: func(c *Config, v string) (err error) { c.Web.Public, err = PublicURL(v); return err },
		}, {
			name: "ATELIER_DEADLINE", value: "30m", about: "The time limit of a request, from its start. After that it is answered with what is done so far.",
			set: func(c *Config, v string) (err error) {
				c.Deadline, err = duration(v, time.Second, 24*time.Hour, "30m or 2h")
				return err
			},
		}, {
			name: "ATELIER_GRACE", value: "20s", about: "How long running steps may continue when serve shuts down. Another process takes over the rest.",
			set: func(c *Config, v string) (err error) { c.Grace, err = Grace(v); return err },
		}, {
			name: "ATELIER_CHECK", value: "100ms",
			about: "How often an idle worker polls for work. Shorter means an earlier start, and more load on Redis.",
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

// Grace parses the grace period.
func Grace(v string) (time.Duration, error) {
	return duration(v, time.Millisecond, time.Hour, "20s or 2m")
}

// leastPassword is the minimum length of a password.
const leastPassword = 8

// password checks the length of a password; it may be empty.
func password(v string) error {
	if v != "" && len([]rune(v)) < leastPassword {
		return fmt.Errorf("expected at least %d characters", leastPassword)
	}
	return nil
}

// CheckListen rejects serving other machines without authentication, and admins without a header that names users.
func CheckListen(c Config) error {
	if len(c.Web.Admins) > 0 && c.Web.UserHeader == "" {
		return fault.Usage("WEB_ADMINS needs user names from a proxy, but WEB_USER_HEADER is not set: set it, or leave WEB_ADMINS empty.")
	}
	if c.Listen == "" || c.Web.Password != "" || c.Web.UserHeader != "" {
		return nil
	}
	if Private(c.Listen) {
		if u := c.Web.Public; u != nil && !loopback(u.Hostname()) {
			return fault.Usage("PUBLIC_URL is %q, so other machines can reach the web page, "+
				"but neither WEB_PASSWORD nor WEB_USER_HEADER is set: set one.", u)
		}
		return nil
	}
	return fault.Usage("ATELIER_LISTEN is %q, which other machines can reach, but neither WEB_PASSWORD nor WEB_USER_HEADER is set: "+
		"set one, or listen on 127.0.0.1:8080 or off.", c.Listen)
}

// Private reports whether only this machine can reach the address.
func Private(listen string) bool {
	host := listen[:max(strings.LastIndexByte(listen, ':'), 0)] // it was validated when it was set
	return loopback(strings.Trim(host, "[]"))
}

// loopback reports whether a host is a loopback address.
func loopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// Listen parses an address to listen on; off is "".
func Listen(v string) (string, error) {
	if v == "off" {
		return "", nil
	}
	_, port, err := net.SplitHostPort(v)
	if n, e := strconv.Atoi(port); err != nil || e != nil || n < 0 || n > 65535 {
		return "", errors.New("expected an address such as 127.0.0.1:8080 or :8080, or off")
	}
	return v, nil
}

// Web holds the settings for the web page.
type Web struct {
	// Password is required to log in, unless empty.
	Password secret
	// UserHeader is the header in which an authenticating proxy names the user, if any.
	UserHeader string
	// Admins are the names of operators in UserHeader.
	Admins []string
	// Proxies are the addresses of trusted proxies.
	Proxies []netip.Prefix
	// Public is the URL at which people reach the page; nil if unknown.
	Public *url.URL
}

// headerName checks the name of a header (RFC 9110, section 5.1); it may be empty.
func headerName(v string) error {
	const allowed = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
	if strings.Trim(strings.ToLower(v), allowed) != "" {
		return errors.New("expected a header name such as X-Forwarded-User")
	}
	return nil
}

// names parses a comma-separated list of user names, which may be empty.
func names(v string) ([]string, error) {
	var all []string
	for s := range strings.SplitSeq(v, ",") {
		if strings.ContainsFunc(s, unicode.IsControl) {
			return nil, errors.New("expected user names such as ann or ann@example.org, separated by commas")
		}
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all, nil
}

// prefixes parses a comma-separated list of addresses and ranges, which may be empty.
func prefixes(v string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	if strings.TrimSpace(v) == "" {
		return nil, nil
	}
	for s := range strings.SplitSeq(v, ",") {
		s = strings.TrimSpace(s)
		p, err := netip.ParsePrefix(s)
		if err != nil {
			a, e := netip.ParseAddr(s)
			if e != nil {
				return nil, fmt.Errorf("invalid IP address or range %.60q: expected a range such as 10.0.0.0/8", s)
			}
			p = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// PublicURL parses the public URL; nil if it is empty.
func PublicURL(v string) (*url.URL, error) {
	if v == "" {
		return nil, nil //nolint:nilnil // not set
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Path != "" && u.Path != "/" {
		return nil, errors.New("expected a URL without a path, such as https://atelier.example.org")
	}
	u.Path = ""
	return u, nil
}
