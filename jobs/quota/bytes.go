package quota

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
)

// Room returns how many bytes of media the person may send now under an id. Negative means unlimited,
// also for an id that was counted before.
func (q *Quota) Room(ctx context.Context, id string, by adapters.Person, in adapters.Thread) (int64, error) {
	if q.bytes.limit == 0 || q.exempt(by, in) {
		return -1, nil
	}
	now := q.config.Now()
	c, err := q.bytes.read(ctx, personGroup(by, in), now)
	if err != nil {
		return 0, err
	}
	if c.has(id) {
		return -1, nil
	}
	return max(q.bytes.limit-c.within(now), 0), nil
}

// TakeBytes counts n bytes of media under an id.
func (q *Quota) TakeBytes(ctx context.Context, id string, by adapters.Person, in adapters.Thread, n int64) (*Refusal, error) {
	if q.exempt(by, in) {
		return nil, nil //nolint:nilnil // nothing is refused
	}
	ok, wait, err := q.bytes.take(ctx, personGroup(by, in), id, n)
	if err != nil || ok {
		return nil, err
	}
	return q.tooMuch(wait), nil
}

// TooMuch returns the refusal of n bytes that exceed the limit.
func (q *Quota) TooMuch(ctx context.Context, by adapters.Person, in adapters.Thread, n int64) (*Refusal, error) {
	now := q.config.Now()
	c, err := q.bytes.read(ctx, personGroup(by, in), now)
	if err != nil {
		return nil, err
	}
	return q.tooMuch(c.wait(now, n)), nil
}

func (q *Quota) tooMuch(wait time.Duration) *Refusal {
	limit := size(q.config.Bytes)
	if wait == 0 {
		return &Refusal{Day, plan.Say("That is more than your daily upload limit, which is %s. Please send less.", limit)}
	}
	return &Refusal{Day, plan.Say(
		"You have reached your daily upload limit, which is %s. Send it again in %s.", limit, plan.Wait(wait))}
}

// size formats n bytes in a fitting unit, with a decimal for small numbers.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 100_000:
		return decimal(n, 1000) + " kB"
	}
	return decimal(n, 1_000_000) + " MB"
}

func decimal(n, unit int64) string {
	if n < 10*unit && n%unit != 0 {
		return fmt.Sprintf("%.1f", float64(n)/float64(unit))
	}
	return strconv.FormatInt(n/unit, 10)
}
