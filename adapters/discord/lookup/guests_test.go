package lookup

import (
	"context"
	"errors"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
)

// values is a State whose values do not expire.
type values map[string][]byte

func (v values) Get(_ context.Context, key string) ([]byte, error) {
	b, ok := v[key]
	if !ok {
		return nil, adapters.ErrGone
	}
	return b, nil
}

func (v values) Put(_ context.Context, key string, value []byte, _ time.Duration) error {
	v[key] = value
	return nil
}

// A button that is pressed before its message is recorded is answered by its own webhook, and so is a later one.
func TestGuestsReturn(t *testing.T) {
	t.Parallel()
	g := Guests{State: values{}, Places: NewPlaces(nil, nil)}
	by := func(token string) *convert.Interaction {
		return &convert.Interaction{Application: "1", Token: token, Channel: "7"}
	}
	ref := func(id string) adapters.MessageRef { return convert.Ref("", "7", id) }
	thread := adapters.Thread{Adapter: convert.Name, Channel: "7", ID: "8"}
	check := func(token string) {
		t.Helper()
		v, ok, err := g.Thread(t.Context(), thread)
		if want := by(token).Webhook(); !ok || err != nil || v.Webhook != want || v.Thread != thread {
			t.Errorf("answers go to %+v, %v, not to %s", v, err, want)
		}
	}
	err := g.Enter(t.Context(), thread, ref("8"), by("asked"))
	check("asked")
	err = errors.Join(err, g.Return(t.Context(), ref("9"), by("early")))
	check("asked")
	err = errors.Join(err, g.Posted(t.Context(), Visit{Thread: thread, Webhook: by("asked").Webhook(), Channel: "7"}, ref("9")))
	check("early")
	err = errors.Join(err, g.Return(t.Context(), ref("9"), by("later")))
	check("later")
	if err != nil {
		t.Error(err)
	}
}
