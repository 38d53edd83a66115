package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// At is a place in the window, in CSS pixels.
type At struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Button is a mouse button.
type Button string

// The mouse buttons.
const (
	Left   Button = "left"
	Middle Button = "middle"
)

// Click presses and releases the left button.
func (p *Page) Click(at At) {
	p.tb.Helper()
	p.Drag(Left, at)
}

// Move moves the mouse without pressing a button.
func (p *Page) Move(at At) {
	p.tb.Helper()
	p.mouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y})
}

// Drag presses a button at the first place, moves over the others and releases it.
func (p *Page) Drag(button Button, places ...At) {
	p.tb.Helper()
	held := map[Button]int64{Left: 1, Middle: 4}[button]
	p.Move(places[0])
	event := input.DispatchMouseEventParams{Button: input.MouseButton(button), Buttons: held, ClickCount: 1}
	event.Type, event.X, event.Y = input.DispatchMouseEventTypeMousePressed, places[0].X, places[0].Y
	p.mouse(event)
	for _, at := range places[1:] {
		event.Type, event.X, event.Y = input.DispatchMouseEventTypeMouseMoved, at.X, at.Y
		p.mouse(event)
	}
	event.Type, event.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
	p.mouse(event)
}

// Wheel turns the wheel at a place: down if dy is positive.
func (p *Page) Wheel(at At, dy float64) {
	p.tb.Helper()
	const none = 1e-6 // a delta of 0 would be omitted, which is rejected
	p.mouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: at.X, Y: at.Y, DeltaX: none, DeltaY: dy})
}

func (p *Page) mouse(event input.DispatchMouseEventParams) {
	p.tb.Helper()
	call(p, "the mouse", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, input.DispatchMouseEvent, event)
		return err //nolint:wrapcheck // call says what it was
	})
}

// Touch moves one finger along each path, all at once, and lifts them. All paths have the same length.
func (p *Page) Touch(paths ...[]At) {
	p.tb.Helper()
	for step := range paths[0] {
		event := input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchMove}
		if step == 0 {
			event.Type = input.DispatchTouchEventTypeTouchStart
		}
		for finger, path := range paths {
			event.TouchPoints = append(event.TouchPoints, &input.TouchPoint{X: path[step].X, Y: path[step].Y, ID: new(float64(finger))})
		}
		p.touch(event)
	}
	p.touch(input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}})
}

func (p *Page) touch(event input.DispatchTouchEventParams) {
	p.tb.Helper()
	call(p, "a finger", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, input.DispatchTouchEvent, event)
		return err //nolint:wrapcheck // call says what it was
	})
}

// Key types keys one after another: characters, and those of chromedp's package kb.
func (p *Page) Key(keys string, held ...chromedp.Modifier) {
	p.tb.Helper()
	p.Do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(held...), raw))
}

// raw presses a key as a keyboard does, so that a page can suppress its character.
func raw(k *input.DispatchKeyEventParams) {
	if k.Type == input.DispatchKeyEventTypeKeyDown {
		k.Type = input.DispatchKeyEventTypeRawKeyDown
	}
}
