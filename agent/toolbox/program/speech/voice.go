package speech

import (
	"cmp"

	"atelier/agent/toolbox/language"

	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed voices.yaml
var voiceTable []byte

// voice describes how a text is spoken.
type voice struct {
	variant            string
	pitch, speed, loud int
}

// ordinary is the default voice: a little slower than espeak-ng's.
var ordinary = voice{pitch: 50, speed: 160, loud: 100}

// voiceOf interprets a description of a voice: "a deep man's voice", "slowly". Unknown words are
// ignored; known reports whether any word was understood.
func voiceOf(said string) (v voice, known bool, err error) {
	var all []struct {
		Words              []string
		Variant            string
		Pitch, Speed, Loud int
	}
	if err := yaml.Unmarshal(voiceTable, &all); err != nil {
		return voice{}, false, fmt.Errorf("read the table of voices: %w", err)
	}
	type term struct {
		entry int
		words string
	}
	var terms []term
	for i, entry := range all {
		for _, w := range entry.Words {
			terms = append(terms, term{i, language.PlainWords(w)})
		}
	}
	slices.SortStableFunc(terms, func(a, b term) int { return cmp.Compare(len(b.words), len(a.words)) })
	text := language.PlainWords(strings.NewReplacer("'s", "s", "’s", "s").Replace(said))
	v = ordinary
	told := map[int]bool{}
	for _, t := range terms {
		if !language.Contains(text, t.words) || told[t.entry] {
			continue
		}
		told[t.entry] = true
		text = strings.Replace(text, strings.TrimSpace(t.words), "", 1)
		entry := all[t.entry]
		v.variant = cmp.Or(v.variant, entry.Variant)
		v.pitch += entry.Pitch
		v.speed += entry.Speed
		v.loud += entry.Loud
	}
	v.pitch = min(max(v.pitch, 0), 99)
	v.speed = min(max(v.speed, 80), 400)
	v.loud = min(max(v.loud, 20), 200)
	return v, len(told) > 0, nil
}

// args returns espeak-ng's options for the voice in a language.
func (v voice) args(l language.Language) []string {
	name := l.Voice
	if v.variant != "" {
		name += "+" + v.variant
	}
	return []string{"-v", name, "-p", strconv.Itoa(v.pitch), "-s", strconv.Itoa(v.speed), "-a", strconv.Itoa(v.loud)}
}
