package adapterstest_test

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRun holds that a platform which keeps the promise passes.
func TestRun(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Open: open(""), Bubble: true})
}

// TestRunWithoutABubble holds that the suite tries as much by the clock of the world.
func TestRunWithoutABubble(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Open: open("")})
}

// TestRunWhereThreadsBeginWithAMessage holds that it makes no difference.
func TestRunWhereThreadsBeginWithAMessage(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Bubble: true, Open: func(t *testing.T) adapterstest.Platform {
		t.Helper()
		c := newChat("")
		c.opens = true
		return c
	}})
}

// TestRunWhereListsAreCounted holds that a make may write what its platform does not show as
// it is, as long as people see the same.
func TestRunWhereListsAreCounted(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Bubble: true, Open: func(t *testing.T) adapterstest.Platform {
		t.Helper()
		c := newChat("")
		c.counts = true
		return c
	}})
}

// least is a platform that can do no more than it must, and nor can its adapters, but that
// they tell their limits.
type least struct{ adapterstest.Platform }

func (l least) Adapter(t *testing.T, open adapters.Opener) adapters.Adapter {
	t.Helper()
	a := l.Platform.Adapter(t, open)
	limiter, ok := a.(adapters.Limiter)
	if !ok {
		t.Fatal("it tells no limits")
	}
	return struct {
		adapters.Adapter
		adapters.Limiter
	}{a, limiter}
}

func openLeast(t *testing.T) adapterstest.Platform {
	t.Helper()
	return least{open("")(t)}
}

// without lacks all features but some.
func without(but ...adapterstest.Feature) map[adapterstest.Feature]string {
	all := map[adapterstest.Feature]string{}
	for _, f := range adapterstest.Features() {
		if !slices.Contains(but, f) {
			all[f] = "it is the least that there may be"
		}
	}
	return all
}

// TestRunOfTheLeast holds that a platform need not have any feature.
func TestRunOfTheLeast(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]map[adapterstest.Feature]string{
		"nothing besides": without(adapterstest.Limits, adapterstest.Mentions),
		"direct threads":  without(adapterstest.Limits, adapterstest.Private, adapterstest.Uploads),
		"only company":    without(adapterstest.Limits, adapterstest.Company, adapterstest.Mentions, adapterstest.Styles),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			adapterstest.Run(t, adapterstest.Make{Open: openLeast, Bubble: true, Without: w})
		})
	}
}
