package composer

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// cast is who plays what. A part that nobody plays has no name.
type cast struct {
	leads             []instrument // one after the other
	chords, bass, pad instrument
}

// asked are the instruments that the text names, and whether it wants drums, or none. It
// keeps those that are to play alone.
func (t *tables) asked(b *brief, text string) (named []instrument, drums, silent bool) {
	var playing []instrument
	only := false
	for _, f := range find(text, lists(t.instruments, func(i instrument) []string { return i.Words })) {
		i := t.instruments[f.entry]
		if !f.not {
			playing, only = append(playing, i), only || f.alone(text)
		}
		switch {
		case i.plays("drums"):
			drums, silent = drums || !f.not, silent || f.not
		case !f.not && !slices.ContainsFunc(named, func(n instrument) bool { return n.Name == i.Name }):
			named = append(named, i)
		}
	}
	if only {
		b.only = playing
	}
	return named, drums, silent
}

// castOf gives the parts to the instruments that are named, and what is left to those of
// the style. One that is named alone plays by itself what it can.
func (t *tables) castOf(b *brief, text string, styled bool, dice *rand.Rand) {
	named, drums, silent := t.asked(b, text)
	alone := len(named) == 1 && named[0].plays("lead") && named[0].plays("chords") &&
		(len(b.only) > 0 || b.energy < 2 && (!styled || strings.Contains(text, " solo ")))
	c := assign(named)
	style := func(name string) instrument { i, _ := t.instrument(name); return i }
	lead, chords := style(pick(dice, b.style.Lead)), style(pick(dice, b.style.Chords))
	if len(c.leads) == 0 {
		if i := slices.IndexFunc(named, func(i instrument) bool { return i.plays("lead") }); i >= 0 {
			lead = named[i]
		}
		c.leads = []instrument{lead}
	}
	if c.chords.Name == "" {
		if i := slices.IndexFunc(named, func(i instrument) bool { return i.plays("chords") }); i >= 0 && (alone || len(named) > 1) {
			chords = named[i]
		}
		c.chords = chords
	}
	if alone {
		c.chords, c.bass = named[0], named[0]
		c.bass.Low, c.bass.High = min(c.bass.Low, 36), 55
	} else {
		if c.bass.Name == "" && b.style.Bass != "" {
			c.bass = style(b.style.Bass)
		}
		if c.pad.Name == "" && b.style.Pad != "" {
			c.pad = style(b.style.Pad)
		}
	}
	b.cast = c
	b.drums = b.style.Drums
	switch {
	case silent, alone && !drums, b.energy == 0 && !drums:
		b.drums = ""
	case drums && b.drums == "" && b.energy < 2:
		b.drums = "brushes"
	case drums && b.drums == "":
		b.drums = "rock"
	}
}

// assign gives each instrument the first part that suits it and is free; what can play
// one part only goes first. Several may play the melody by turns.
func assign(named []instrument) cast {
	var c cast
	named = slices.Clone(named)
	slices.SortStableFunc(named, func(a, b instrument) int { return len(a.Plays) - len(b.Plays) })
	for _, i := range named {
		for _, role := range i.Plays {
			if c.give(role, i) {
				break
			}
		}
	}
	return c
}

// give gives an instrument a part, if it is free.
func (c *cast) give(role string, i instrument) bool {
	to := map[string]*instrument{"chords": &c.chords, "bass": &c.bass, "pad": &c.pad}[role]
	switch {
	case role == "lead" && len(c.leads) < 2:
		c.leads = append(c.leads, i)
	case to != nil && to.Name == "":
		*to = i
	default:
		return false
	}
	return true
}

// named are the instruments of the melody and the chords, or those that play alone, each
// once.
func (b brief) named() []string {
	all := append(slices.Clone(b.cast.leads), b.cast.chords)
	if len(b.only) > 0 {
		all = b.only
	}
	var names []string
	for _, i := range all {
		if !slices.Contains(names, i.Name) {
			names = append(names, i.Name)
		}
	}
	return names
}

// plays tells whether a part is played, where some play alone.
func (b brief) plays(p part) bool {
	return len(b.only) == 0 || slices.ContainsFunc(b.only, func(i instrument) bool {
		return i.plays("drums") == (p.name == "drums") && (p.name == "drums" || i.Program == p.program)
	})
}
