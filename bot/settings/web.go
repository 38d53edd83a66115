package settings

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Web is what is set about the web channel.
type Web struct {
	// Password is asked for; empty is none.
	Password secret
	// UserHeader is where a proxy that authenticates names the person; empty is nowhere.
	UserHeader string
	// Proxies are the addresses from which such a proxy connects.
	Proxies []netip.Prefix
	// Public is where people reach the channel; nil is not told.
	Public *url.URL
}

// headerName takes the name of a header (RFC 9110, section 5.1), or none.
func headerName(v string) error {
	const allowed = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
	if strings.Trim(strings.ToLower(v), allowed) != "" {
		return errors.New("the name of a header such as X-Forwarded-User is expected")
	}
	return nil
}

// prefixes reads addresses and ranges of them, with commas between; none of nothing.
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
				return nil, fmt.Errorf("%.60q is neither an address nor a range such as 10.0.0.0/8", s)
			}
			p = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// PublicURL reads where people reach the channel; nil where that is not told.
func PublicURL(v string) (*url.URL, error) {
	if v == "" {
		return nil, nil //nolint:nilnil // nowhere is no fault
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Path != "" && u.Path != "/" {
		return nil, errors.New("a URL such as https://atelier.example.org is expected, without a path")
	}
	u.Path = ""
	return u, nil
}
