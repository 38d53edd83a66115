// Package browsertest tests pages in headless Chromium. The tests of a package share one process; each page has
// its own storage.
//
// A page fails its test if it logs an error or warning, throws, violates its Content-Security-Policy, has a
// request fail, or contacts another host. [Page.Expect] allows these.
//
// The environment variable CHROMIUM is the path of Chromium, such as /usr/bin/chromium. The tests are skipped if it is
// unset or "none", so that a plain "go test" stays fast.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is the timeout of everything in a browser; it is long, since the machine may be busy.
const patience = 4 * time.Minute

// Browser is a running Chromium.
type Browser struct{ ctx context.Context } //nolint:containedctx // chromedp's handle to a browser is a context

// shared is the one Chromium of this test binary, as it starts slowly, closed after the last use.
var shared struct {
	sync.Mutex

	users   int
	browser *Browser
	close   func() error
}

// Start gives the test the running Chromium, or starts one.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	path := find(tb)
	shared.Lock()
	defer shared.Unlock()
	if shared.users == 0 {
		b, end, err := launch(path)
		if err != nil {
			tb.Fatalf("start the browser: %v", err)
		}
		shared.browser, shared.close = b, end
	}
	shared.users++
	tb.Cleanup(func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.users--; shared.users > 0 {
			return
		}
		if err := shared.close(); err != nil {
			tb.Logf("close the browser: %v", err)
		}
	})
	return shared.browser
}

// launch starts Chromium. The returned function ends it, and removes its profile.
func launch(path string) (*Browser, func() error, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // containers lack the user namespaces it needs; the pages are our own
		chromedp.Flag("headless", "new"),
		chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-proxy-server", true), // everything is local
		// The microphone is a fake one that beeps, and every page may use it.
		chromedp.Flag("use-fake-device-for-media-stream", true),
		chromedp.Flag("use-fake-ui-for-media-stream", true),
	)
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	stop := func() error {
		closing, done := context.WithTimeout(ctx, patience)
		defer done()
		err := chromedp.Cancel(closing)
		cancel()
		end()
		if err != nil {
			return fmt.Errorf("end Chromium: %w", err)
		}
		return nil
	}
	if err := chromedp.Do(ctx); err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return &Browser{ctx}, stop, nil
}

// find returns the path of Chromium. If it is not set, the test is skipped.
func find(tb testing.TB) string {
	tb.Helper()
	path := os.Getenv("CHROMIUM")
	if path == "" || path == "none" {
		tb.Skip("to test in a browser, set CHROMIUM to its path")
	}
	return path
}
