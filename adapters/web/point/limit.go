package point

import (
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// limit counts how often something was asked for in a minute.
type limit struct {
	most int
	now  func() time.Time

	mu     sync.Mutex
	minute time.Time
	counts map[string]int
}

// mostCounted bounds the memory: beyond it, who is new in this minute is counted together.
const mostCounted = 100_000

// take tells whether the one of that name may, and how long to wait where not.
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

// remote names who asks: an IPv4 address, or the /64 of an IPv6 one.
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
