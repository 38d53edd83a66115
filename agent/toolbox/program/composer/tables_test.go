package composer

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// read reads the tables.
func read(t *testing.T) *tables {
	t.Helper()
	var all tables
	if err := yaml.Unmarshal(file, &all); err != nil {
		t.Fatal(err)
	}
	return &all
}

// TestTablesFit checks that each name in a table exists in another one, that every progression has four chords,
// and that every pattern fills its bar.
func TestTablesFit(t *testing.T) {
	t.Parallel()
	all := read(t)
	for _, s := range all.Styles {
		for _, name := range append(append([]string{s.Bass, s.Pad}, s.Lead...), s.Chords...) {
			if name != "" && byName(all.Instruments, name).Name != name {
				t.Errorf("%s: no instrument is called %q", s.Name, name)
			}
		}
		if len(all.Cells[s.Meter]) == 0 {
			t.Fatalf("%s: no metre is called %q", s.Name, s.Meter)
		}
		for _, name := range s.Comp {
			if len(all.Chords[name][s.Meter]) == 0 {
				t.Errorf("%s: no chords are played like %q", s.Name, name)
			}
		}
		for _, name := range s.Bassline {
			if len(all.Bass[name][s.Meter]) == 0 {
				t.Errorf("%s: no bass is played like %q", s.Name, name)
			}
		}
		if s.Drums != "" && len(all.Drums[s.Drums][s.Meter]) == 0 {
			t.Errorf("%s: no drums are played like %q", s.Name, s.Drums)
		}
		for _, name := range []string{s.Mode, s.Major.Scale, s.Minor.Scale} {
			if name != "" && byName(all.Modes, name).Name != name {
				t.Errorf("%s: no scale is called %q", s.Name, name)
			}
		}
		for _, written := range []family{s.Major, s.Minor} {
			if len(written.A) == 0 || len(written.B) == 0 {
				t.Errorf("%s lacks progressions", s.Name)
			}
			for _, p := range append(append([]string{}, written.A...), written.B...) {
				chords := strings.Fields(p)
				if len(chords) != 4 || slices.ContainsFunc(chords, func(c string) bool { return len(all.Harmonies[c]) < 3 }) {
					t.Errorf("%s: %q are not four chords that are known", s.Name, p)
				}
			}
		}
	}
	for _, m := range all.Moods {
		if m.Style != "" && byName(all.Styles, m.Style).Name != m.Style || m.Mode != "" && byName(all.Modes, m.Mode).Name != m.Mode {
			t.Errorf("%s: no style %q, or no scale %q", m.Name, m.Style, m.Mode)
		}
	}
	for metre, steps := range map[string]int{"4/4": 16, "3/4": 12, "6/8": 12, "12/8": 24} {
		all.fill(t, metre, steps)
	}
}

// fill checks the patterns of a metre for their length, and for existing drums.
func (all *tables) fill(t *testing.T, metre string, steps int) {
	t.Helper()
	full := func(what, pattern, signs string) {
		if len(pattern) != steps || pattern[0] == '-' || strings.Trim(pattern, signs+"-.") != "" {
			t.Errorf("%s in %s: %q does not fill a bar", what, metre, pattern)
		}
	}
	for _, cells := range all.Cells[metre] {
		for _, c := range cells {
			full("a melody", c, "x")
		}
	}
	for name, by := range all.Chords {
		for _, p := range by[metre] {
			full(name, p, "x1234")
		}
	}
	for name, by := range all.Bass {
		for _, p := range by[metre] {
			full(name, p, "1234")
		}
	}
	drums := map[string]map[string]string{"a fill": all.Fills[metre]}
	for name, by := range all.Drums {
		drums[name] = by[metre]
	}
	for name, by := range drums {
		for drum, p := range by {
			full(name+", "+drum, p, "x")
			if all.Kit[drum] == 0 {
				t.Errorf("%s: there is no drum called %q", name, drum)
			}
		}
	}
}
