package request

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestGateLetsGo(t *testing.T) {
	t.Parallel()
	g := NewGate(2, 1)
	ctx, stop := context.WithCancel(t.Context())
	leave, ok := g.Enter(ctx, "ana", 0)
	if !ok {
		t.Fatal("nobody is let in")
	}
	if _, ok := g.Enter(ctx, "ana", 0); ok {
		t.Error("one is let in twice")
	}
	var all sync.WaitGroup
	all.Go(func() {
		if _, ok := g.Enter(ctx, "ana", time.Hour); ok {
			t.Error("one is let in twice after a while")
		}
	})
	stop()
	all.Wait()
	leave()
	leave()
	for _, who := range []string{"ana", "bob"} {
		if _, ok := g.Enter(t.Context(), who, 0); !ok {
			t.Errorf("%s is not let in", who)
		}
	}
	if _, ok := g.Enter(t.Context(), "eve", 0); ok {
		t.Error("too many are let in")
	}
}
