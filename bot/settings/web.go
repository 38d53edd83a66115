package settings

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"unicode"
)

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
