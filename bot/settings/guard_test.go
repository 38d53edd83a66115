package settings

import (
	"testing"
)

func TestListenBeyondThisMachine(t *testing.T) {
	t.Parallel()
	for listen, needs := range map[string]bool{
		"127.0.0.1:8080": false, "localhost:1": false, "[::1]:8080": false, "127.1.2.3:80": false, "": false,
		":8080": true, "0.0.0.0:8080": true, "[::]:8080": true, "192.0.2.1:80": true, "example.org:80": true,
	} {
		if err := CheckListen(Config{Listen: listen}); (err != nil) != needs {
			t.Errorf("%q: %v", listen, err)
		}
		if err := CheckListen(Config{Listen: listen, Web: Web{Password: "open sesame"}}); err != nil {
			t.Errorf("%q with a password: %v", listen, err)
		}
	}
}
