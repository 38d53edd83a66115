package point

import (
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// limit counts requests per minute by name.
type limit struct {
	most int
	now  func() time.Time

	mu     sync.Mutex
	minute time.Time
	counts map[string]int
}

// mostCounted bounds the memory: further names in this minute are counted together.
const mostCounted = 100_000

// take counts a request of that name, and reports whether it is allowed, or how long to wait.
func (l *limit) take(name string) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Sub(l.minute) >= time.Minute || now.Before(l.minute) || l.counts == nil {
		l.minute, l.counts = now, map[string]int{}
	}
	if _, known := l.counts[name]; !known && len(l.counts) >= mostCounted {
		name = ""
	}
	if l.counts[name] >= l.most {
		return time.Minute - now.Sub(l.minute), false
	}
	l.counts[name]++
	return 0, true
}

// remote returns the client's address for the limits: an IPv4 address, or the /64 of an IPv6 one.
func remote(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	address := at.Addr().Unmap()
	if address.Is6() {
		if network, err := address.WithZone("").Prefix(64); err == nil {
			return network.String()
		}
	}
	return address.String()
}
