package sound

import (
	"context"
	"encoding/binary"
	"errors"
	"os"

	"strings"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/facts"
)

// listenRate is the sample rate for the analysis.
const listenRate = 8000

// Listen decodes the beginning of a sound, no more than most of it, and tells speech from music.
func (s Sounds) Listen(ctx context.Context, c toolbox.Call, v toolbox.Value, look ffmpeg.Look, most time.Duration) (facts.Heard, error) {
	r, err := NewRecording(v.Path, look)
	if err != nil {
		return facts.Heard{}, err
	}
	raw, err := s.Decode(ctx, c, r, listenRate, most)
	if err != nil {
		return facts.Heard{}, err
	}
	wave, err := os.ReadFile(raw)
	if err = errors.Join(err, os.Remove(raw)); err != nil {
		return facts.Heard{}, &plan.Fault{Sentence: plan.Say("Temporary files could not be removed."), Err: err}
	}
	samples := wave[min(waveHead, len(wave)):]
	if len(samples) < 2 {
		return facts.Heard{}, r.Fault(errors.New("nothing was decoded"), plan.Say("has no sound."))
	}
	length := time.Duration(len(samples)/2) * time.Second / listenRate
	return facts.Heard{Length: length, Voice: isVoice(v, quiet(samples))}, nil
}

// quiet returns the low short-time energy ratio: the share of 25 ms frames whose power is below a
// tenth of the mean of their second. Speakers pause for breath; music does not.
func quiet(samples []byte) float64 {
	const moment = listenRate / 40
	var powers []float64
	for len(samples) >= 2*moment {
		power := 0.0
		for i := range moment {
			v := float64(int16(binary.LittleEndian.Uint16(samples[2*i:]))) //nolint:gosec // samples are signed
			power += v * v
		}
		powers, samples = append(powers, power), samples[2*moment:]
	}
	low, all := 0, 0
	for len(powers) > 0 {
		second := powers[:min(40, len(powers))]
		powers = powers[len(second):]
		mean := 0.0
		for _, p := range second {
			mean += p / float64(len(second))
		}
		for _, p := range second {
			if all++; p < mean/10 {
				low++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return float64(low) / float64(all)
}

// voiceful is the minimum share of pauses in speech.
const voiceful = 0.2

var (
	voices = lazyregexp.New(`\b(?:voice|voices|voiceover|speech|spoken|speak|speaks|` +
		`narration|narrator|talk|interview|memo|podcast|reads?|reading|said|message)\b`)
	tunes = lazyregexp.New(`\b(?:music|song|songs|tune|melody|beat|beats|track|` +
		`theme|soundtrack|loop|jingle|instrumental|piano|guitar|ambient|ambience|rain|score)\b`)
	others = lazyregexp.New(`[^a-z]+`)
)

// isVoice reports whether a sound is speech, judging by its name if possible, else by its pauses.
func isVoice(v toolbox.Value, pauses float64) bool {
	called := others.ReplaceAllString(strings.ToLower(strings.Join([]string{v.Name, v.File, v.About}, " ")), " ")
	voice, tune := voices.MatchString(called), tunes.MatchString(called)
	if voice != tune {
		return voice
	}
	return pauses > voiceful
}
