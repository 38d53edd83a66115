package browsertest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Look is how a page is displayed. The zero value is a light desktop window.
type Look struct {
	Width, Height int64   // of the window; zero is 1280 by 800
	Scale         float64 // device pixels per CSS pixel; zero is 1
	Dark          bool
	Touch         bool   // a phone: fingers instead of a mouse
	Language      string // sent as Accept-Language; "" is the browser's own
}

// Page is a tab with its own empty storage and cache.
type Page struct {
	tb  testing.TB
	ctx context.Context //nolint:containedctx // chromedp's handle to a tab is a context

	mu       sync.Mutex
	host     string // of the page
	faults   []string
	expected []string
}

// Page opens a tab, which is closed with the test. Its faults fail the test.
func (b *Browser) Page(tb testing.TB, look Look) *Page {
	tb.Helper()
	p := &Page{tb: tb}
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(p.hear))
	p.ctx = ctx
	tb.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			tb.Logf("close the tab: %v", err)
		}
		cancel()
		for _, fault := range p.Faults() {
			tb.Errorf("the page: %s", fault)
		}
	})
	if err := chromedp.Do(ctx); err != nil { // opens it, for as long as ctx lasts
		tb.Fatalf("open a tab: %v", err)
	}
	p.show(look)
	return p
}

// Do runs actions, and ends the test on errors.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.tb.Helper()
	call(p, "in the browser", func(ctx context.Context) error { return chromedp.Do(ctx, actions...) })
}

// Open navigates to a page and waits until it is loaded.
func (p *Page) Open(address string) {
	p.tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		p.tb.Fatal(err)
	}
	p.mu.Lock()
	p.host = u.Host
	p.mu.Unlock()
	p.Do(chromedp.Navigate(address))
}

// Eval returns the value of an expression; it awaits a promise.
func Eval[T any](p *Page, expression string) T {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.tb.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Script runs a script; it awaits a promise.
func (p *Page) Script(expression string) {
	p.tb.Helper()
	p.Do(chromedp.Evaluate[chromedp.Void](expression, chromedp.EvalAwaitPromise))
}

// Wait waits until an expression is true, even on the next page. It is evaluated once per frame.
func (p *Page) Wait(expression string) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	script := `(async () => { while (!(` + expression + `)) await new Promise((next) => setTimeout(next, 10)); })()`
	wait := chromedp.Evaluate[chromedp.Void](script, chromedp.EvalAwaitPromise)
	for {
		err := chromedp.Do(ctx, wait)
		if err == nil {
			return
		}
		if ctx.Err() != nil || !left(err) {
			p.tb.Fatalf("wait for %s: %v", expression, err)
		}
	}
}

// left reports whether a script was aborted by navigating to another page.
func left(err error) bool {
	for _, said := range []string{"navigated or closed", "context was destroyed", "Cannot find context", "Cannot find default execution context"} {
		if strings.Contains(err.Error(), said) {
			return true
		}
	}
	return false
}

// Shot returns a PNG of the window.
func (p *Page) Shot() []byte {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.tb.Fatalf("take a screenshot: %v", err)
	}
	return png
}

// Screenshot saves the window as NAME.png in the folder $BROWSER_SHOTS, if that is set.
func (p *Page) Screenshot(name string) {
	p.tb.Helper()
	folder := os.Getenv("BROWSER_SHOTS")
	if folder == "" {
		return
	}
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), p.Shot(), 0o600)
	}
	if err != nil {
		p.tb.Fatal(err)
	}
}

// Expect allows faults that contain the text.
func (p *Page) Expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, text)
}

// Faults returns the unexpected faults so far.
func (p *Page) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
next:
	for _, fault := range p.faults {
		for _, text := range p.expected {
			if strings.Contains(fault, text) {
				continue next
			}
		}
		all = append(all, fault)
	}
	return all
}

func (p *Page) show(look Look) {
	p.tb.Helper()
	if look.Width == 0 {
		look.Width, look.Height = 1280, 800
	}
	if look.Scale == 0 {
		look.Scale = 1
	}
	options := []chromedp.EmulateViewportOption{chromedp.EmulateScale(look.Scale)}
	if look.Touch {
		options = append(options, chromedp.EmulateTouch, chromedp.EmulateMobile, chromedp.EmulatePortrait)
	}
	p.Do(chromedp.EmulateViewport(look.Width, look.Height, options...))
	scheme := "light"
	if look.Dark {
		scheme = "dark"
	}
	call(p, emulation.SetEmulatedMedia.Method, func(ctx context.Context) error {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err //nolint:wrapcheck // call says what it was
	})
	if look.Language != "" {
		call(p, network.SetExtraHTTPHeaders.Method, func(ctx context.Context) error {
			headers := network.Headers{"Accept-Language": look.Language}
			_, err := chromedp.Call(ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: headers})
			return err //nolint:wrapcheck // call says what it was
		})
	}
}

// call runs a command of the protocol, and ends the test on errors.
func call(p *Page, name string, do func(context.Context) error) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := do(ctx); err != nil {
		p.tb.Fatalf("%s: %v", name, err)
	}
}

// hear records faults.
func (p *Page) hear(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			fault = string(e.Type) + ": " + words(e.Args)
		}
	case *runtime.EventExceptionThrown:
		fault = e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			fault += " " + x.Description
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			fault = string(e.Entry.Source) + ": " + e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventRequestWillBeSent:
		fault = p.elsewhere(e.Request.URL)
	}
	if fault != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.faults = append(p.faults, fault)
	}
}

// elsewhere returns a fault if a request goes to another host than the page's.
func (p *Page) elsewhere(address string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	u, err := url.Parse(address)
	if err == nil && (u.Host == p.host || u.Host == "") { // data: and blob: have none
		return ""
	}
	return "a request to another host: " + address
}

// words returns what was logged to the console.
func words(args []*runtime.RemoteObject) string {
	var all []string
	for _, a := range args {
		switch {
		case len(a.Value) > 0:
			all = append(all, string(a.Value))
		default:
			all = append(all, a.Description)
		}
	}
	return strings.Join(all, " ")
}
