package composer

import (
	"embed"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

//go:embed tables/*.yaml
var files embed.FS

// tables are what the composer knows. Each file says what its fields mean.
type tables struct {
	instruments []instrument
	modes       []mode
	moods       []mood
	speeds      []speed
	styles      []style
	lengths     lengths
	patterns    patterns
	unplayed    []string
}

type instrument struct {
	Name    string
	Words   []string
	Program int
	Low     int
	High    int
	Plays   []string
}

func (i instrument) plays(role string) bool { return slices.Contains(i.Plays, role) }

type mode struct {
	Name  string
	Words []string
	Steps []int
	Minor bool
}

type mood struct {
	Name     string
	Words    []string
	Tempo    float64
	Energy   int
	Register int
	Mode     string
	Style    string
}

type speed struct {
	Words []string
	Beats int
}

type style struct {
	Name  string
	Words []string
	Tempo [2]int
	// Meter is "" for 4/4.
	Meter string
	Swing bool
	// Mode is the scale where no mood says otherwise.
	Mode string
	// Scales take the place of the plain major and minor ones.
	Scales       struct{ Major, Minor string }
	Lead, Chords []string
	Bass, Pad    string
	Comp         []string
	Bassline     []string
	Drums        string
	Lively       int
	Major, Minor progressions
}

// progressions are those of the first part and of the contrasting one, each of four
// chords as Roman numerals.
type progressions struct{ A, B []string }

type lengths struct {
	Numbers map[string]float64
	Units   map[string]float64
	Words   map[string]float64
}

type patterns struct {
	// Cells by metre and liveliness.
	Cells        map[string][][]string
	Chords, Bass map[string]map[string][]string
	// Drums by name, metre and drum.
	Drums map[string]map[string]map[string]string
	Fills map[string]map[string]string
	Kit   map[string]int
}

// load reads the tables. Composing is rare and they are small: nothing is kept.
func load() (*tables, error) {
	var t tables
	for name, to := range map[string]any{
		"instruments": &t.instruments, "modes": &t.modes, "moods": &t.moods, "speeds": &t.speeds,
		"styles": &t.styles, "lengths": &t.lengths, "patterns": &t.patterns,
		"unplayed": &t.unplayed,
	} {
		b, err := files.ReadFile("tables/" + name + ".yaml")
		if err == nil {
			err = yaml.Unmarshal(b, to)
		}
		if err != nil {
			return nil, fmt.Errorf("the table of %s: %w", name, err)
		}
	}
	if len(t.styles) == 0 || len(t.modes) == 0 {
		return nil, errors.New("there is no style or no scale")
	}
	return &t, nil
}

// mode is the scale of that name, the first one if there is none.
func (t *tables) mode(name string) mode {
	if i := slices.IndexFunc(t.modes, func(m mode) bool { return m.Name == name }); i >= 0 {
		return t.modes[i]
	}
	return t.modes[0]
}

// style is that of the name, the first one if there is none.
func (t *tables) style(name string) style {
	if i := slices.IndexFunc(t.styles, func(s style) bool { return s.Name == name }); i >= 0 {
		return t.styles[i]
	}
	return t.styles[0]
}

func (t *tables) instrument(name string) (instrument, bool) {
	if i := slices.IndexFunc(t.instruments, func(i instrument) bool { return i.Name == name }); i >= 0 {
		return t.instruments[i], true
	}
	return instrument{}, false
}
