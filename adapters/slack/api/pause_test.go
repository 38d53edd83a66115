package api

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestPauseIsOverAfterAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p Pause
		if p.Lasts() {
			t.Error("it lasts before it begins")
		}
		p.Begin()
		time.Sleep(PausedFor - time.Second)
		if !p.Lasts() {
			t.Error("it is over too early")
		}
		time.Sleep(time.Second)
		if p.Lasts() {
			t.Error("it is not over")
		}
	})
}
