package effect

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
)

// What a loudness may be off by, in LU, and above which LUFS something is heard.
const (
	loudSlack = 1.5
	silence   = -69
	// faint is the LUFS below which a loudness by EBU R 128 leaves out most of a sound.
	faint = -60
	// held is how many LU a limiter may take of a sound that is full already.
	held = 0.5
)

func loudness(_ context.Context, c *Case, rule map[string]string) plan.Message {
	if c.Result.LUFS == nil {
		return plan.Message{}
	}
	got := *c.Result.LUFS
	if rule[lone] == "audible" && !(got > silence) {
		return plan.Say("%s should have audible sound, but it is silent.", c.subject())
	}
	if rule["by"] != "" {
		return c.turned(rule, got)
	}
	near, ok := c.amount(rule, "near")
	if !ok {
		return plan.Message{}
	}
	off := func(v float64) float64 { return max(v-near, near-v) }
	for _, m := range c.Args[rule["of"]] {
		if m.LUFS == nil || !(*m.LUFS > silence) || off(got) <= off(*m.LUFS)/2 { // what is nearly all peaks gets no nearer
			return plan.Message{}
		}
	}
	if off(got) <= loudSlack {
		return plan.Message{}
	}
	return plan.Say("%s should have a loudness of %s LUFS, but it has %s.",
		c.subject(), strconv.FormatFloat(near, 'f', -1, 64), lufs(got))
}

// turned holds that a sound is so many times as loud. Where it is full already, it need not get louder.
func (c *Case) turned(rule map[string]string, got float64) plan.Message {
	volume, ok := setting[float64](c, rule, "by")
	was := c.Args[rule["of"]]
	if !ok || len(was) != 1 || was[0].LUFS == nil || !(*was[0].LUFS > silence) {
		return plan.Message{}
	}
	least, most := *was[0].LUFS+20*math.Log10(volume)-loudSlack, *was[0].LUFS+20*math.Log10(volume)+loudSlack
	if volume > 1 {
		least = *was[0].LUFS - held
	}
	if got > most && got > faint || got < least && least > faint {
		return plan.Say("%s should have a loudness of %s to %s LUFS, but it has %s.", c.subject(), lufs(least), lufs(most), lufs(got))
	}
	return plan.Message{}
}

func lufs(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// What a bit rate may be off by.
const (
	rateOver  = 1.25 // of the wanted one
	rateUnder = 0.8  // of the wanted one, in MP3
	rateHead  = 8000 // bytes that are no sound
)

func bitRate(_ context.Context, c *Case, rule map[string]string) plan.Message {
	near, ok := c.amount(rule, "near")
	clip := c.Result.Clip
	if !ok || clip == nil || clip.Length <= 0 || c.Result.Bytes == 0 || packedWhole(clip.SoundCodec) {
		return plan.Message{}
	}
	rate := func(bytes int64) float64 { return float64(bytes) * 8 / 1000 / clip.Length.Seconds() }
	if rate(c.Result.Bytes-rateHead) <= near*rateOver && (clip.SoundCodec != "mp3" || rate(c.Result.Bytes) >= near*rateUnder) {
		return plan.Message{}
	}
	return plan.Say("%s should have %s kbps, but it has %d.", c.subject(), strconv.FormatFloat(near, 'f', -1, 64), int(math.Round(rate(c.Result.Bytes))))
}

// packedWhole reports whether a codec loses nothing, so that it has no bit rate of its own.
func packedWhole(codec string) bool {
	return codec == "" || strings.HasPrefix(codec, "pcm_") || slices.Contains([]string{"flac", "alac"}, codec)
}
