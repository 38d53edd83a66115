package adapterstest_test

import (
	"slices"
	"testing"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
)

func TestMain(m *testing.M) { adapterstest.Main(m) }

// TestRun checks that a correct platform passes.
func TestRun(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Open: open(""), Bubble: true})
}

// TestRunWithoutABubble checks that the suite also works in real time.
func TestRunWithoutABubble(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Open: open("")})
}

// TestRunWhereThreadsBeginWithAMessage checks that such threads make no difference.
func TestRunWhereThreadsBeginWithAMessage(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Bubble: true, Open: func(t *testing.T) adapterstest.Platform {
		t.Helper()
		c := newChat("")
		c.opens = true
		return c
	}})
}

// TestRunWhereListsAreCounted checks that an adapter may rewrite what its platform would show differently, as long
// as people see the same.
func TestRunWhereListsAreCounted(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Bubble: true, Open: func(t *testing.T) adapterstest.Platform {
		t.Helper()
		c := newChat("")
		c.counts = true
		return c
	}})
}

// least is a platform with only the required methods, and adapters that only tell their limits.
type least struct{ adapterstest.Platform }

func (l least) Adapter(t *testing.T, open adapters.Opener) adapters.Adapter {
	t.Helper()
	a := l.Platform.Adapter(t, open)
	limiter, ok := a.(adapters.Limiter)
	if !ok {
		t.Fatal("it reports no limits")
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

// without lacks all features but the given ones.
func without(but ...adapterstest.Feature) map[adapterstest.Feature]string {
	all := map[adapterstest.Feature]string{}
	for _, f := range adapterstest.Features() {
		if !slices.Contains(but, f) {
			all[f] = "it is the least that there may be"
		}
	}
	return all
}

// TestRunOfTheLeast checks that all features are optional.
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
