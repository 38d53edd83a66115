package effect

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
)

// The tolerance of loudness, in LU, and the LUFS above which something is audible.
const (
	loudSlack = 1.5
	silence   = -69
	// faint is the LUFS below which EBU R 128 gates out most of the audio.
	faint = -60
	// limiterLoss is by how many LU a limiter may reduce audio that is already loud.
	limiterLoss = 0.5
)

func loudness(_ context.Context, c *Case, rule map[string]string) plan.Message {
	if c.Result.LUFS == nil || c.given(rule, "unless") {
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
		if m.LUFS == nil || !(*m.LUFS > silence) || off(got) <= off(*m.LUFS)/2 { // audio that is nearly all peaks cannot get closer
			return plan.Message{}
		}
	}
	if off(got) <= loudSlack {
		return plan.Message{}
	}
	return plan.Say("%s should have a loudness of %s LUFS, but it has %s.",
		c.subject(), strconv.FormatFloat(near, 'f', -1, 64), lufs(got))
}

// turned checks that audio got louder or quieter by a factor. Audio that is already at full scale need not get louder.
func (c *Case) turned(rule map[string]string, got float64) plan.Message {
	volume, ok := setting[float64](c, rule, "by")
	was := c.Args[rule["of"]]
	if !ok || len(was) != 1 || was[0].LUFS == nil || !(*was[0].LUFS > silence) {
		return plan.Message{}
	}
	least, most := *was[0].LUFS+20*math.Log10(volume)-loudSlack, *was[0].LUFS+20*math.Log10(volume)+loudSlack
	if volume > 1 {
		least = *was[0].LUFS - limiterLoss
	}
	if got > most && got > faint || got < least && least > faint {
		return plan.Say("%s should have a loudness of %s to %s LUFS, but it has %s.", c.subject(), lufs(least), lufs(most), lufs(got))
	}
	return plan.Message{}
}

func lufs(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// Tolerances of a bit rate.
const (
	rateOver  = 1.25 // times the wanted rate
	rateUnder = 0.8  // times the wanted rate, for MP3
	rateHead  = 8000 // bytes that are not audio
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

// packedWhole reports whether a codec is lossless, so that it has no fixed bit rate.
func packedWhole(codec string) bool {
	return codec == "" || strings.HasPrefix(codec, "pcm_") || slices.Contains([]string{"flac", "alac"}, codec)
}
