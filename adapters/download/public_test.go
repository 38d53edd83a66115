package download

import (
	"net/netip"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "100.63.255.255": true, "100.128.0.0": true, "172.15.0.1": true, "172.32.0.1": true, "223.255.255.1": true,
		"2606:4700::1111": true, "2a00:1450::1": true, "2001:4860:4860::8888": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.127.255.255": false, "127.0.0.1": false, "127.255.0.1": false,
		"169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.8": false, "192.0.2.1": false, "192.88.99.1": false,
		"192.168.0.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::ffff:8.8.8.8": false, "::ffff:127.0.0.1": false, "::7f00:1": false, "64:ff9b::808:808": false, "64:ff9b:1::1": false,
		"100::1": false, "2001::1": false, "2001:2::1": false, "2001:db8::1": false, "2002:7f00:1::": false, "3fff::1": false, "5f00::1": false,
		"fc00::1": false, "fd00::1": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false, "2606:4700::1111%eth0": false,
	} {
		if got := public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is public: %v", address, got)
		}
	}
	if public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// FuzzPublic checks that no address that package net classifies as local is public, nor an IPv6 address that contains
// an IPv4 one.
func FuzzPublic(f *testing.F) {
	for _, s := range []string{"\x08\x08\x08\x08", "\x7f\x00\x00\x01", "\x0a\x00\x00\x01", "\x00\x64\xff\x9b\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x00\x00\x01"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, ok := netip.AddrFromSlice(b)
		if !ok || !public(a) {
			return
		}
		if a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() || a.Is4In6() {
			t.Errorf("%s is public", a)
		}
		if a.Is6() && b[0]>>5 != 1 {
			t.Errorf("%s is public, but not in 2000::/3", a)
		}
		if a.Is4() && (b[0] == 0 || b[0] == 127 || b[0] >= 224) {
			t.Errorf("%s is public", a)
		}
	})
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for s, c := range map[string]struct {
		ok, no []string // host:port, split at the last colon
	}{
		"files.slack.com": {[]string{"files.slack.com", "FILES.slack.com."}, []string{"slack.com", "a.files.slack.com", "files.slack.com.evil.test", ""}},
		"*.Slack.com":     {[]string{"files.slack.com", "a.b.slack.com"}, []string{"slack.com", "notslack.com", ".slack.com", "slack.com.evil.test", "files.slacK.com.x"}},
		"127.0.0.1":       {[]string{"127.0.0.1"}, []string{"127.0.0.2", "a.127.0.0.1"}},
		"[::1]":           {[]string{"::1"}, []string{"::2"}},
		"::1":             {[]string{"::1"}, []string{"1"}},
	} {
		p, err := parsePattern(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
		}
		for _, host := range c.ok {
			if !match([]pattern{p}, host, "443") {
				t.Errorf("%q does not match %q", s, host)
			}
		}
		for _, host := range c.no {
			if match([]pattern{p}, host, "443") {
				t.Errorf("%q matches %q", s, host)
			}
		}
	}
	for _, s := range []string{"", "*", "*.", "**.a", "a.*", "https://a.test", "a.test/b", "a.test:", "a.test:0", "a.test:70000", "a.test:http", "a b", "ä.test", "a@b", ".a"} {
		if _, err := New(Config{Hosts: []string{s}}); err == nil {
			t.Errorf("%q is accepted", s)
		}
		if _, err := New(Config{Allow: []string{s}}); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}
