package post

import (
	"testing"
	"time"

	"atelier/adapters/discord/convert"
)

func TestAnswersEnd(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	rs := &Responder{Now: func() time.Time { return now }}
	begun := now
	rs.Remember("a", &convert.Interaction{Application: "1", Token: "t"})
	now = begun.Add(time.Minute)
	if to, ok := rs.lookup("a"); !ok || to.webhook != "webhooks/1/t" {
		t.Errorf("it is known as %+v", to)
	}
	now = begun.Add(answerTimeout)
	if _, ok := rs.lookup("a"); ok {
		t.Error("what has ended is open")
	}
	now = begun.Add(time.Hour)
	rs.Remember("b", &convert.Interaction{})
	if len(rs.open) != 1 {
		t.Errorf("%d are kept", len(rs.open))
	}
	if _, ok := rs.lookup(""); ok {
		t.Error("what answers no command does")
	}
}
