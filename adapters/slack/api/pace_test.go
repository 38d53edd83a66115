package api

import (
	"testing"
	"time"
)

func TestPaces(t *testing.T) {
	t.Parallel()
	var p paces
	if pause, ok := p.turn(t.Context(), "a", time.Second); pause != 0 || !ok {
		t.Error("it waits before anything is refused")
	}
	begun := time.Now()
	p.refused("a", begun, time.Hour)
	p.refused("a", begun, time.Second) // a longer pause stands
	if _, ok := p.turn(t.Context(), "a", time.Minute); ok || p.isBlocked("a") {
		t.Error("the pause is not kept")
	}
	first, _ := p.turn(t.Context(), "a", 2*time.Hour)
	second, _ := p.turn(t.Context(), "a", 2*time.Hour)
	if apart := second - first; apart > fastest || apart <= 0 {
		t.Errorf("the turns are %v apart", apart)
	}
	for range 20 {
		p.refused("a", p.of["a"].until.Add(1), 2*time.Hour)
	}
	if every := p.of["a"].every; every != slowest || !p.isBlocked("a") || p.isBlocked("b") {
		t.Errorf("it is called every %v", every)
	}
	p.refused("b", begun, 0)
	p.of["b"].until = begun.Add(-settled)
	for range 200 {
		p.accepted("b")
	}
	if p.isPaced("b") || !p.isPaced("a") {
		t.Error("what is not refused any more is paced")
	}
}
