package webapi

import (
	"fmt"
	"net/netip"
	"net/url"

	"slices"
	"strings"

	"atelier/agent/lazyregexp"
)

// Hosts lists the hosts that tools may call: names or addresses, with a port unless it is the default of the
// scheme. The zero value allows none.
type Hosts []string

// entry matches a host with or without a port.
var entry = lazyregexp.New(`^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$`)

// ParseHosts parses a comma-separated list.
func ParseHosts(list string) (Hosts, error) {
	var all Hosts
	for h := range strings.SplitSeq(strings.ToLower(list), ",") {
		h = strings.TrimSpace(h)
		switch {
		case h == "":
		case !entry.MatchString(h):
			return nil, fmt.Errorf("invalid host %q: expected hosts such as example.com or gpu1:8000, separated by commas", h)
		default:
			all = append(all, h)
		}
	}
	return all, nil
}

// Allow reports whether the host of an address is listed.
func (h Hosts) Allow(address string) bool {
	u, err := url.Parse(strings.ToLower(address))
	if err != nil || u.Host == "" {
		return false
	}
	usual := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	name := strings.TrimSuffix(u.Host, usual)
	return slices.Contains(h, name) || name+usual != u.Host && slices.Contains(h, name+usual) ||
		name != u.Host && slices.Contains(h, u.Host)
}

// lists reports whether the list contains the IP address itself.
func (h Hosts) lists(a netip.Addr) bool {
	return slices.ContainsFunc(h, func(host string) bool {
		u, err := url.Parse("http://" + host)
		if err != nil {
			return false
		}
		listed, err := netip.ParseAddr(u.Hostname())
		return err == nil && listed.Unmap() == a
	})
}
