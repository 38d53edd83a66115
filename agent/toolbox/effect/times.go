package effect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/agent/plan"
)

// Tolerances of durations, in addition to two frames per video.
const (
	timeSlack  = 150 * time.Millisecond
	timeShare  = 100 // the tolerance is one part in timeShare
	joinSlack  = 100 * time.Millisecond
	spokenRate = 50 // maximum speaking speed in letters per second
)

// bounds is the range of valid durations.
type bounds struct{ low, high time.Duration }

func duration(_ context.Context, c *Case, rule map[string]string) plan.Message {
	got := c.lasts()
	if got <= 0 {
		return plan.Message{}
	}
	if least, err := time.ParseDuration(rule["least"]); err == nil && got < least {
		return plan.Say("%s should last at least %s seconds, but it lasts %s.", c.subject(), secondsOf(least), secondsOf(got))
	}
	want, slack, ok := c.expected(rule)
	if !ok {
		return plan.Message{}
	}
	switch long, short := got > want.high+slack, got < want.low-slack; {
	case long && rule[lone] == "not longer":
		return plan.Say("%s should last at most %s seconds, but it lasts %s.", c.subject(), secondsOf(want.high), secondsOf(got))
	case short && rule[lone] == "not shorter":
		return plan.Say("%s should last at least %s seconds, but it lasts %s.", c.subject(), secondsOf(want.low), secondsOf(got))
	case (long || short) && rule[lone] == "":
		return plan.Say("%s should last %s seconds, but it lasts %s.", c.subject(), secondsOf(want.high), secondsOf(got))
	}
	return plan.Message{}
}

// expected returns the bounds set by the rule, and the tolerance; false if unknown.
func (c *Case) expected(rule map[string]string) (bounds, time.Duration, bool) {
	of := c.Args[rule["of"]]
	if len(of) == 0 {
		return bounds{}, 0, false
	}
	var want bounds
	slack := timeSlack + joinSlack*time.Duration(len(of)-1) + c.Result.picture()*2
	for _, m := range of {
		if m.Clip == nil || m.Clip.Length <= 0 {
			return bounds{}, 0, false
		}
		one := c.bounds(m.Clip)
		want.low, want.high = want.low+one.low, want.high+one.high
		slack += m.picture() * 2
	}
	switch {
	case rule["part"] != "" && rule["divided_by"] != "":
		by, ok := c.tempo(rule)
		if !ok {
			return bounds{}, 0, false
		}
		part, ok := c.passage(rule, want.high)
		if !ok { // all of it
			part = want.high
		}
		less := time.Duration(float64(part) * (1 - 1/by))
		want = bounds{max(0, want.low-less), max(0, want.high-less)}
	case rule["part"] != "":
		part, ok := c.passage(rule, want.high)
		if !ok {
			return bounds{}, 0, false
		}
		lacks := want.high - want.low // missing at the end, or at an unknown position
		want = bounds{part - min(lacks, part), part}
	case rule["divided_by"] != "":
		by, ok := c.tempo(rule)
		if !ok {
			return bounds{}, 0, false
		}
		want = bounds{time.Duration(float64(want.low) / by), time.Duration(float64(want.high) / by)}
	}
	if n, ok := c.amount(rule, "times"); ok {
		want = bounds{time.Duration(float64(want.low) * n), time.Duration(float64(want.high) * n)}
		slack = time.Duration(float64(slack) * max(n, 1))
	}
	if gap, ok := setting[time.Duration](c, rule, "between"); ok {
		gaps := gap * time.Duration(len(of)-1)
		want = bounds{want.low + gaps, want.high + gaps}
	}
	if more, ok := setting[time.Duration](c, rule, "plus"); ok {
		want = bounds{want.low + more, want.high + more}
	}
	if less, ok := setting[time.Duration](c, rule, "overlapping"); ok {
		if way, _ := setting[string](c, rule, "by"); way != "none" {
			less *= time.Duration(len(of) - 1)
			want = bounds{want.low - less, want.high - less}
		}
	}
	if all, ok := setting[time.Duration](c, rule, "set"); ok {
		want = bounds{all, all}
	}
	if most, err := time.ParseDuration(rule["most"]); err == nil {
		want = bounds{min(want.low, most), min(want.high, most)}
	}
	return want, slack + want.high/timeShare, true
}

// bounds returns the valid durations of a result that is as long as the clip. A clip is as long as its
// longest stream: if the result only has the other one, that counts.
func (c *Case) bounds(of *Clip) bounds {
	all := bounds{of.Length, of.Length}
	loud := c.Result.Clip != nil && c.Result.Clip.sounds()
	switch {
	case c.Returns == plan.Audio && of.Size.X > 0:
		if of.SoundLength > 0 {
			return bounds{min(of.SoundLength, of.Length), of.Length}
		}
		all.low = 0
	case !loud && of.sounds() && c.Returns != plan.Audio:
		all.low = min(of.PicturesLength, of.Length)
	}
	if of.Uneven && !loud {
		all.low = 0
	}
	return all
}

// lasts returns the duration of the result, 0 if unknown.
func (c *Case) lasts() time.Duration {
	if c.Result.Clip != nil {
		return c.Result.Clip.Length
	}
	if c.Result.Frames > 1 {
		return c.Result.Length
	}
	return 0
}

// picture returns the duration of one frame of a clip or an animation.
func (m Measured) picture() time.Duration {
	switch {
	case m.Clip != nil && m.Clip.Rate > 0:
		return time.Duration(float64(time.Second) / m.Clip.Rate)
	case m.Clip == nil && m.Frames > 1:
		return m.Length / time.Duration(m.Frames)
	}
	return 0
}

// secondsOf formats a time in seconds: "5", "2.5".
func secondsOf(d time.Duration) string {
	return strings.TrimSuffix(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".0")
}

// animates reports whether the picture's format supports animations here.
func animates(m Measured) bool { return m.MIME == "image/gif" || m.MIME == "image/webp" }

func frames(_ context.Context, c *Case, rule map[string]string) plan.Message {
	got := c.Result.Frames
	if c.Result.Clip != nil {
		got = c.Result.Clip.Pictures
	}
	if got == 0 {
		return plan.Message{}
	}
	if want := len(c.Args[rule["of"]]); want > 0 && got != want {
		return plan.Say("%s should have %d pictures, but it has %d.", c.subject(), want, got)
	}
	animated := number64(rule["least"]) > float64(got)
	for _, m := range c.Args[rule["like"]] {
		animated = animated || animates(m) && m.Frames > 1 && animates(c.Result) && got == 1
	}
	if animated && got == 1 {
		return plan.Say("%s should move, but it is a single picture.", c.subject())
	}
	if animated {
		return plan.Say("%s should have at least %s pictures, but it has %d.", c.subject(), rule["least"], got)
	}
	return plan.Message{}
}

func sound(_ context.Context, c *Case, rule map[string]string) plan.Message {
	clip := c.Result.Clip
	if clip == nil || c.given(rule, "unless") {
		return plan.Message{}
	}
	must, may := rule[lone] == "some", rule[lone] == "some"
	for key, value := range rule {
		if key == lone || key == "unless" {
			continue
		}
		for _, m := range c.Args[value] {
			if m.Clip == nil {
				return plan.Message{}
			}
			may = may || m.Clip.SoundPackets > 0
			must = must || key == "like" && m.Clip.sounds()
		}
	}
	switch {
	case must && clip.SoundPackets == 0:
		return plan.Say("%s should have sound, but it has none.", c.subject())
	case !may && clip.SoundPackets > 0:
		return plan.Say("%s should be silent, but it has sound.", c.subject())
	}
	return plan.Message{}
}

// leastSpoken is the minimum length of a text for checking the duration of its speech, in letters.
const leastSpoken = 200

func speech(_ context.Context, c *Case, rule map[string]string) plan.Message {
	if c.Result.Clip == nil || c.Result.Clip.Length <= 0 {
		return plan.Message{}
	}
	letters := 0
	for _, m := range c.Args[rule["of"]] {
		for _, r := range m.Value {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				letters++
			}
		}
	}
	if least := time.Duration(letters) * time.Second / spokenRate; letters >= leastSpoken && c.Result.Clip.Length < least {
		return plan.Say("The text should be read to the end, but the sound lasts only %s seconds.", secondsOf(c.Result.Clip.Length))
	}
	return plan.Message{}
}

// number64 parses a number of a checked rule; 0 if there is none.
func number64(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}

// pixelsOf formats a size for people.
func pixelsOf(w, h int) string { return fmt.Sprintf("%d × %d", w, h) }

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
