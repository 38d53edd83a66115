package web

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// A page without a thread is updated when threads begin and when they are deleted.
func TestListStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t, newMemory(), newFiles())
		listen(t, c)
		b := browse(t, c)
		x := b.open("/events")
		if e := x.next("threads"); strings.Contains(e.data, "/t/") || e.id != "" {
			t.Errorf("at first there is %+v", e)
		}
		b.is(b.write("message00000000001", "a new one"), http.StatusNoContent)
		until := func(is func(list string) bool) {
			for list := ""; !is(list); {
				list = x.next("threads").data
			}
		}
		until(func(list string) bool { return strings.Contains(list, "a new one") })
		b.is(b.post("/t/"+thread1+"/forget"), http.StatusNoContent)
		until(func(list string) bool { return list != "" && !strings.Contains(list, "/t/") })
		b.is(b.do(http.MethodHead, "/events", http.NoBody), http.StatusMethodNotAllowed)
		c.Close()
		for range x.events { // it ends with the channel
		}
	})
}
