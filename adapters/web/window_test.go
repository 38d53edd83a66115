package web

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/site"
)

// TestLongPages checks that the page of a long thread shows its end, that the next one shows more, and that the
// stream covers what the page shows and what is new.
func TestLongPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, n := newMemory(), 2*site.PageLength+50
		id := func(i int) string { return fmt.Sprintf("message%011d", i) }
		for i := range n {
			state.lists[logKey(thread1)] = append(state.lists[logKey(thread1)], fmt.Appendf(nil, `{"wrote":{"id":%q,"by":{"id":"ana-1"},"text":"x"}}`, id(i)))
		}
		c := newChannel(t, state, newFiles())
		b := browse(t, c)
		begins := func(page string, want int) {
			t.Helper()
			shown := regexp.MustCompile(`data-message="(\w+)"`).FindAllStringSubmatch(page, -1)
			if len(shown) != n-want || shown[0][1] != id(want) {
				t.Errorf("%d messages are shown, and not the last %d", len(shown), n-want)
			}
		}
		link := regexp.MustCompile(`<p class="column earlier"><a href="([^"#]+)#m-(\w+)">Earlier`)
		page := b.get("/t/" + thread1).Body.String()
		begins(page, n-site.PageLength)
		for _, at := range []int{n - site.PageLength, n - 2*site.PageLength} {
			more := link.FindStringSubmatch(page)
			if more == nil || more[2] != id(at) {
				t.Fatalf("the link to earlier messages is %q", more)
			}
			page = b.get(more[1]).Body.String()
			begins(page, max(0, at-site.PageLength))
		}
		if link.MatchString(page) || !strings.Contains(page, fmt.Sprintf(`events?after=%d"`, n-1)) {
			t.Error("more than all can be shown")
		}

		page = b.get("/t/" + thread1).Body.String()
		events := regexp.MustCompile(`sse-connect="([^"]+)"`).FindStringSubmatch(page)[1]
		x := b.open(strings.ReplaceAll(events, "&amp;", "&"))
		synctest.Wait()
		for _, of := range []int{0, n - 1} {
			if err := c.Acknowledge(t.Context(), chat.RefOf(thread1, id(of)), adapters.Done); err != nil {
				t.Fatal(err)
			}
		}
		if e := x.next("message"); !strings.Contains(e.data, id(n-1)) || strings.Contains(e.data, id(0)) {
			t.Errorf("the page is told %s", e.data)
		}
		b.is(b.get("/t/"+thread1+"?from=strange"), http.StatusOK, id(n-1))
	})
}
