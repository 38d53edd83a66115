package adapterstest

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// check is the test of one guarantee.
type check struct {
	needs []Feature // it is skipped unless the platform has all of them
	try   func(s *scene)
}

// Run checks the guarantees of package adapters. For each missing feature there is a subtest with its name, which
// logs the skipped checks and the reason.
func Run(t *testing.T, m Make) {
	t.Helper()
	if m.Patience == 0 {
		m.Patience = 30 * time.Second
	}
	left := map[Feature][]string{}
	for name, c := range checks() {
		if i := slices.IndexFunc(c.needs, m.lacks); i >= 0 {
			left[c.needs[i]] = append(left[c.needs[i]], name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if m.Bubble {
				synctest.Test(t, func(t *testing.T) { c.try(newScene(t, m)) })
			} else {
				c.try(newScene(t, m))
			}
		})
	}
	t.Run("features", func(t *testing.T) { features(t, m) })
	for f, reason := range m.Without {
		t.Run("without "+string(f), func(t *testing.T) {
			slices.Sort(left[f])
			t.Logf("skipped %q: %s", left[f], reason)
		})
	}
}

// checks returns all checks by name.
func checks() map[string]check {
	all := map[string]check{}
	for _, group := range []map[string]check{
		listening(), hearing(), choosing(), breaking(), sending(), showing(), attaching(), repeating(), refusing(), extras(), keeping(),
	} {
		maps.Copy(all, group)
	}
	return all
}

func (m Make) lacks(f Feature) bool {
	_, without := m.Without[f]
	return without
}
