package composer

import (
	"strings"
	"testing"
)

// TestTheTablesFit: what a table names stands in another one, every progression has four
// chords, and every pattern fills its bar.
func TestTheTablesFit(t *testing.T) {
	t.Parallel()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all.Styles {
		for _, name := range append(append([]string{s.Bass, s.Pad}, s.Lead...), s.Chords...) {
			if name != "" && all.instrument(name).Name != name {
				t.Errorf("%s: no instrument is called %q", s.Name, name)
			}
		}
		m, ok := meters[s.Meter]
		if !ok {
			t.Fatalf("%s: no metre is called %q", s.Name, s.Meter)
		}
		for _, name := range s.Comp {
			if len(all.Patterns.Chords[name][m.name]) == 0 {
				t.Errorf("%s: no chords are played like %q", s.Name, name)
			}
		}
		for _, name := range s.Bassline {
			if len(all.Patterns.Bass[name][m.name]) == 0 {
				t.Errorf("%s: no bass is played like %q", s.Name, name)
			}
		}
		if s.Drums != "" && len(all.Patterns.Drums[s.Drums][m.name]) == 0 {
			t.Errorf("%s: no drums are played like %q", s.Name, s.Drums)
		}
		for _, name := range []string{s.Mode, s.Scales.Major, s.Scales.Minor} {
			if name != "" && all.mode(name).Name != name {
				t.Errorf("%s: no scale is called %q", s.Name, name)
			}
		}
		for minor, written := range map[bool]progressions{false: s.Major, true: s.Minor} {
			if len(written.A) == 0 || len(written.B) == 0 {
				t.Errorf("%s lacks progressions", s.Name)
			}
			for _, p := range append(append([]string{}, written.A...), written.B...) {
				if got := phrase(p, 0, minor); len(got) != 4 {
					t.Errorf("%s: of %q only %d chords are understood", s.Name, p, len(got))
				}
			}
		}
	}
	for _, m := range all.Moods {
		if m.Style != "" && all.style(m.Style).Name != m.Style || m.Mode != "" && all.mode(m.Mode).Name != m.Mode {
			t.Errorf("%s: no style %q, or no scale %q", m.Name, m.Style, m.Mode)
		}
	}
	for _, m := range meters {
		all.fill(t, m)
	}
}

// fill holds the patterns of a metre to its length and to the drums that there are.
func (all *tables) fill(t *testing.T, m meter) {
	t.Helper()
	full := func(what, pattern, signs string) {
		if len(pattern) != m.steps || strings.Trim(pattern, signs+"-.") != "" {
			t.Errorf("%s in %s: %q does not fill a bar", what, m.name, pattern)
		}
	}
	for _, cells := range all.Patterns.Cells[m.name] {
		for _, c := range cells {
			full("a melody", c, "x")
		}
	}
	for name, by := range all.Patterns.Chords {
		for _, p := range by[m.name] {
			full(name, p, "x1234")
		}
	}
	for name, by := range all.Patterns.Bass {
		for _, p := range by[m.name] {
			full(name, p, "1358w")
		}
	}
	drums := map[string]map[string]string{"a fill": all.Patterns.Fills[m.name]}
	for name, by := range all.Patterns.Drums {
		drums[name] = by[m.name]
	}
	for name, by := range drums {
		for drum, p := range by {
			full(name+", "+drum, p, "x")
			if all.Patterns.Kit[drum] == 0 {
				t.Errorf("%s: there is no drum called %q", name, drum)
			}
		}
	}
}
