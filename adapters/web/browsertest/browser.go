// Package browsertest lets tests look at pages as people do: in Chromium, headless, which
// is started for a test and is gone after it.
//
// A page fails its test where it writes an error or a warning to the console, throws what
// nobody catches, breaks its Content-Security-Policy, gets no answer or an error for a
// request, or asks another host than the one it came from. What a test expects of these is
// told by [Page.Expect].
//
// Where there is no Chromium the tests are skipped, and say what to install. The
// environment variable CHROMIUM names one that is elsewhere.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is how long anything in a browser may take before a test gives up: long, as
// the machine may be busy with many.
const patience = 4 * time.Minute

// Browser is a Chromium that runs.
type Browser struct{ ctx context.Context } //nolint:containedctx // chromedp's handle to a browser is a context

// Start starts a browser, which ends with the test.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(find(tb)),
		chromedp.NoSandbox, // a container has no user namespaces to make one of; the pages are our own
		chromedp.Flag("headless", "new"),
		chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-proxy-server", true), // all is local
		// The microphone is one that beeps, and everybody may listen to it.
		chromedp.Flag("use-fake-device-for-media-stream", true),
		chromedp.Flag("use-fake-ui-for-media-stream", true),
	)
	// The browser outlives the test's own context, so that it can be closed in an orderly way.
	allocator, end := chromedp.NewExecAllocator(context.WithoutCancel(tb.Context()), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	tb.Cleanup(func() {
		closing, done := context.WithTimeout(ctx, patience)
		defer done()
		if err := chromedp.Cancel(closing); err != nil {
			tb.Logf("close the browser: %v", err)
		}
		cancel()
		end() // waits until the process is gone, and its profile with it
	})
	if err := chromedp.Do(ctx); err != nil {
		tb.Fatalf("start the browser: %v", err)
	}
	return &Browser{ctx}
}

// find is the path of Chromium. Where there is none, the test is skipped.
func find(tb testing.TB) string {
	tb.Helper()
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	tb.Skip("there is no Chromium: install Debian's package chromium, or name one by CHROMIUM")
	return ""
}
