package redis

import "testing"

func TestEvicts(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]bool{
		"": false,
		"# Memory\r\nused_memory:1\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n":         false, // it takes what there is
		"# Memory\r\nmaxmemory:100\r\nmaxmemory_policy:noeviction\r\n":                         false,
		"# Memory\r\nmaxmemory:100\r\n":                                                        false,
		"# Memory\r\nmaxmemory:100\r\nmaxmemory_human:1K\r\nmaxmemory_policy:volatile-lru\r\n": true,
		"maxmemory_policy:allkeys-random\nmaxmemory:5":                                         true,
	} {
		if evicts(info) != want {
			t.Errorf("%q: %v", info, !want)
		}
	}
}
