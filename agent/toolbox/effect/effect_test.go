package effect

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
)

// declared parses effects as written in a tool file.
func declared(t *testing.T, text string) Effects {
	t.Helper()
	var all Effects
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// known are arguments of all types.
func known() []Arg {
	return []Arg{
		{Name: "image", Type: plan.Image}, {Name: "images", Type: plan.Image}, {Name: "mask", Type: plan.Mask}, {Name: "bbox", Type: plan.BBox},
		{Name: "video", Type: plan.Video}, {Name: "videos", Type: plan.Video}, {Name: "audio", Type: plan.Audio},
		{Name: "text", Type: plan.Text}, {Name: "title", Type: plan.Title},
		{Name: "range", Type: plan.Text, Setting: param.TimeRange}, {Name: "factor", Type: plan.Text, Setting: param.Factor},
		{Name: "size", Type: plan.Text, Setting: param.Size}, {Name: "sizes", Type: plan.Text, Setting: param.Sizes}, {Name: "angle", Type: plan.Text, Setting: param.Angle},
		{Name: "region", Type: plan.Text, Setting: param.Region}, {Name: "limit", Type: plan.Text, Setting: param.FileSize},
		{Name: "format", Type: plan.Text, Setting: param.Format}, {Name: "language", Type: plan.Text, Setting: param.Language},
		{Name: "direction", Type: plan.Text, Setting: param.Choice, Values: []string{"both", "horizontal", "vertical"}},
		{Name: "half", Type: plan.Text, Setting: param.Choice, Values: []string{"left", "right"}}, {Name: "shape", Type: plan.Text, Setting: param.Aspect},
		{Name: "colour", Type: plan.Text, Setting: param.Colour},
		{Name: "count", Type: plan.Text, Setting: param.Integer}, {Name: "length", Type: plan.Text, Setting: param.Duration}, {Name: "target", Type: plan.Text, Setting: param.Number}, {Name: "volume", Type: plan.Text, Setting: param.Volume}, {Name: "adjustment", Type: plan.Text, Setting: param.Adjustment},
	}
}

func TestFaultsOfADeclaration(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		returns plan.Type
		fault   string
	}{
		"[duration: {of: video}]":                                    {plan.Video, ""},
		"[{none: a label cannot be measured}]":                       {plan.Category, ""},
		"[taste: good]":                                              {plan.Image, "unknown effect taste; the effects are"},
		"[duration: {of: video, colour: red}]":                       {plan.Video, "unknown field colour of duration; the fields are between, by, divided_by"},
		"[duration: {of: film}]":                                     {plan.Video, "of: unknown argument film"},
		"[duration: {of: image}]":                                    {plan.Video, "of: image is an image, which cannot be measured this way"},
		"[duration: {of: video, part: size}]":                        {plan.Video, "size is a size; part needs a time_range"},
		"[duration: {of: video, part: audio}]":                       {plan.Video, "audio is not a setting; part needs a time_range"},
		"[duration: {of: video, most: long}]":                        {plan.Video, `most: "long" is not a duration, such as 30s or 500ms`},
		"[duration: {most: 3s}]":                                     {plan.Video, "it needs of or least"},
		"[duration: {of: text}]":                                     {plan.Video, "of: text is a text, which cannot be measured this way"},
		"[duration: {of: video, times: 0}]":                          {plan.Video, `times: "0" is not a number of at least 1, and is not a setting`},
		"[colour: none]":                                             {plan.Video, "it does not apply to the tool's result, which is video"},
		"[colour: red]":                                              {plan.Image, `"red" is not none`},
		"[sound: some of it]":                                        {plan.Video, `"some of it" is not some or none; or write {like: ARG} or {most: ARG}`},
		"[size: {of: image, fits: huge}]":                            {plan.Image, `fits: "huge" is not a size, such as 800x600`},
		"[frames: {least: none}]":                                    {plan.Video, `least: "none" is not a number of at least 1`},
		"[unchanged: {of: image, outside: image}]":                   {plan.Image, "outside: image is an image, which cannot be measured this way"},
		"[language: {of: text}]":                                     {plan.Image, "it does not apply"},
		"[sound: none, sound: none]":                                 {plan.Video, "is listed twice"},
		"[sound: none, none: it is a secret]":                        {plan.Video, "the effect none must stand alone"},
		"[shows: {of: image, mirrored: direction}]":                  {plan.Image, ""},
		"[shows: {of: image, mirrored: half}]":                       {plan.Image, "half can be left, which cannot be measured; name its values horizontal, vertical, both"},
		"[shows: {of: image, mirrored: left}]":                       {plan.Image, "mirrored: unknown setting left"},
		"[shows: {of: image, part: half}]":                           {plan.Image, "half is a choice; part needs a region"},
		"[shows: {of: image, part: region, mirrored: direction}]":    {plan.Image, "only one of mirrored and part can be measured"},
		"[shows: image]":                                             {plan.Image, "write shows: {of: image}"},
		"[shows: it]":                                                {plan.Image, "write shows: {of: ARG}"},
		"[duration: {of: video, overlapping: range, by: direction}]": {plan.Video, "direction cannot be none, so it changes nothing here"},
		"[format: pgn]":                                              {plan.Image, `the format "pgn" of an image cannot be detected`},
		"[format: mp3]":                                              {plan.Audio, ""},
		`[none: ""]`:                                                 {plan.Video, "the effect none requires a reason"},
		"[none: {why: a secret}]":                                    {plan.Video, "the effect none requires a reason"},
		"[format: {named_by: limit}, bytes: {most: 3}]":              {plan.Video, "most: unknown setting 3"},
	} {
		var all []string
		for _, err := range declared(t, text).Check(c.returns, known()) {
			all = append(all, err.Error())
		}
		got := strings.Join(all, "; ")
		if c.fault == "" && got != "" || !strings.Contains(got, c.fault) {
			t.Errorf("%s: %q, want %q", text, got, c.fault)
		}
	}
}

func TestFaultsOfTheForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"duration":                          "line 1: effects should be a list",
		"{duration: 3}":                     "line 1: effects should be a list",
		"[duration]":                        `line 1: an effect must have the form "name: rule"`,
		"[{sound: none, colour: none}]":     `must have the form "name: rule"`,
		"[duration: [1, 2]]":                "the rule of the effect duration must be a word or a mapping",
		"[duration: {of: [video]}]":         "the of of the effect duration must be a word",
		"[duration: {of: video, of: clip}]": `the effect duration has the key "of" twice`,
	} {
		var all Effects
		err := yaml.Unmarshal([]byte(text), &all)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	const text = "- duration: {of: video, part: range}\n- sound: none\n"
	all := declared(t, text)
	b, err := yaml.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	again := declared(t, string(b))
	for i, e := range all {
		if again[i].String() != e.String() {
			t.Errorf("%s became %s", e, again[i])
		}
	}
	if got := all[0].String(); got != "duration: {of: video, part: range}" {
		t.Error(got)
	}
}

func TestNeeds(t *testing.T) {
	t.Parallel()
	n := declared(t, "[duration: {of: video, part: range}, size: {of: video}, sound: none]").Needs()
	if n.Result != Head|Played || n.Args["video"] != Head|Played || len(n.Args) != 1 {
		t.Errorf("%+v", n)
	}
	n = declared(t, "[unchanged: {of: image, outside: mask}]").Needs()
	if n.Result != Pixels || n.Args["image"] != Pixels || n.Args["mask"] != Cover {
		t.Errorf("%+v", n)
	}
	if n = declared(t, "[none: who knows]").Needs(); n.Result != 0 || len(n.Args) != 0 {
		t.Errorf("%+v", n)
	}
}

// fails returns what a case lacks.
func fails(t *testing.T, effects string, c Case) string {
	t.Helper()
	all := declared(t, effects)
	if faults := all.Check(c.Returns, known()); len(faults) > 0 {
		t.Fatalf("%s: %v", effects, faults)
	}
	missed, _, err := all.Judge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return missed.String()
}

// judged is a row of a table: what a case lacks, or "" for nothing.
type judged struct {
	name, effects string
	c             Case
	want          string
}

func judge(t *testing.T, rows []judged) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if got := fails(t, r.effects, r.c); (r.want == "") != (got == "") || !strings.HasPrefix(got, r.want) {
				t.Errorf("it lacks %q, want %q", got, r.want)
			}
		})
	}
}

// settings parses the parameters of a call from words, skipping invalid ones.
func settings(pairs ...string) map[string]param.Value {
	values := map[string]param.Value{}
	for i := 0; i < len(pairs); i += 2 {
		at := slices.IndexFunc(known(), func(a Arg) bool { return a.Name == pairs[i] })
		p := param.Param{Name: pairs[i], Type: known()[at].Setting, Choices: map[string][]string{
			"horizontal": {"horizontally"}, "vertical": {"vertically", "upside down"}, "both": {"both ways"}, "outside": nil,
		}}
		if p.Type == param.Format { // any format is accepted
			p.Type = param.Text
		}
		if v, err := p.Read(pairs[i+1]); err == nil {
			values[pairs[i]] = v
		}
	}
	return values
}

// ms returns n milliseconds.
func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// clip is a video of that length with that many audio packets.
func clip(length time.Duration, sound int) Measured {
	c := &Clip{Length: length, PicturesLength: length, Size: image.Pt(64, 48), Rate: 25, Pictures: int(length.Seconds() * 25), PicturesCodec: "h264", SoundPackets: sound}
	if sound > 0 {
		c.SoundLength, c.SoundCodec = length, "aac"
	}
	return Measured{Type: plan.Video, MIME: "video/mp4", Clip: c}
}

// tone is audio of that length.
func tone(length time.Duration) Measured {
	return Measured{Type: plan.Audio, MIME: "audio/mpeg", Clip: &Clip{Length: length, SoundLength: length, SoundPackets: 100, SoundCodec: "mp3"}}
}

// with returns a changed clip.
func with(m Measured, change func(*Clip)) Measured {
	c := *m.Clip
	change(&c)
	m.Clip = &c
	return m
}

// video and audio are cases of results made from one argument.
func video(result, of Measured, said ...string) Case {
	return Case{Returns: plan.Video, Results: 1, Result: result, Args: map[string][]Measured{"video": {of}, "audio": {of}, "image": {of}}, Settings: settings(said...)}
}

func audio(result, of Measured, said ...string) Case {
	c := video(result, of, said...)
	c.Returns = plan.Audio
	return c
}

func TestDuration(t *testing.T) {
	t.Parallel()
	second := time.Second
	unsounded := with(clip(20*second, 0), func(c *Clip) { c.PicturesLength = 5 * second; c.SoundPackets = 900 })
	uneven := with(clip(10*second, 0), func(c *Clip) { c.Uneven = true })
	joined := Case{Returns: plan.Video, Result: clip(7*second, 0), Args: map[string][]Measured{"videos": {clip(3*second, 0), clip(4*second, 0)}}}
	short := joined
	short.Result = clip(4*second, 0)
	gif := func(frames int, length time.Duration) Case {
		c := video(Measured{Type: plan.Image, Frames: frames, Length: length}, clip(40*second, 0))
		c.Returns = plan.Image
		return c
	}
	judge(t, []judged{
		{"as long", "[duration: {of: video}]", video(clip(20*second, 9), clip(20*second, 9)), ""},
		{"off by a picture and padding", "[duration: {of: video}]", video(clip(ms(20180), 9), clip(20*second, 9)), ""},
		{"cut short", "[duration: {of: video}]", video(clip(12*second, 900), clip(20*second, 900)), "The video should last 20 seconds, but it lasts 12."},
		{"a part", "[duration: {of: video, part: range}]", video(clip(5*second, 0), clip(20*second, 0), "range", "the first 5 seconds"), ""},
		{"the whole for a part", "[duration: {of: video, part: range}]", video(clip(20*second, 0), clip(20*second, 0), "range", "the first 5 seconds"), "The video should last 5 seconds, but it lasts 20."},
		{"half a second", "[duration: {of: video, part: range}]", video(clip(20*second, 0), clip(20*second, 0), "range", "0:01-0:01.5"), "The video should last 0.5 seconds, but it lasts 20."},
		{"a part beyond the end", "[duration: {of: video, part: range}]", video(clip(8*second, 0), clip(20*second, 0), "range", "0:12-0:40"), ""},
		{"a part that nobody understands", "[duration: {of: video, part: range}]", video(clip(8*second, 0), clip(20*second, 0), "range", "the nice part"), ""},
		{"no setting", "[duration: {of: video, part: range}]", video(clip(8*second, 0), clip(20*second, 0)), ""},
		{"twice as fast", "[duration: {of: video, divided_by: factor}]", video(clip(10*second, 0), clip(20*second, 0), "factor", "2x"), ""},
		{"three times", "[duration: {of: video, times: count}]", video(clip(30*second, 0), clip(10*second, 0), "count", "3"), ""},
		{"twice", "[duration: {of: video, times: 2}]", video(clip(20*second, 0), clip(10*second, 0)), ""},
		{"until a time", "[duration: {of: video, times: count, set: length}]", video(clip(25*second, 0), clip(10*second, 0), "length", "25 s"), ""},
		{"not until that time", "[duration: {of: video, times: count, set: length}]", video(clip(20*second, 0), clip(10*second, 0), "length", "25 s"), "The video should last 25 seconds, but it lasts 20."},
		{"not twice", "[duration: {of: video, times: 2}]", video(clip(10*second, 0), clip(10*second, 0)), "The video should last 20 seconds, but it lasts 10."},
		{"once", "[duration: {of: video, times: count}]", video(clip(10*second, 0), clip(10*second, 0), "count", "3"), "The video should last 30 seconds, but it lasts 10."},
		{"a part twice as fast", "[duration: {of: video, part: range, divided_by: factor}]", video(clip(18*second, 0), clip(20*second, 0), "factor", "2x", "range", "0:04-0:08"), ""},
		{"all of it twice as fast", "[duration: {of: video, part: range, divided_by: factor}]", video(clip(10*second, 0), clip(20*second, 0), "factor", "2x"), ""},
		{"a part too fast", "[duration: {of: video, part: range, divided_by: factor}]", video(clip(10*second, 0), clip(20*second, 0), "factor", "2x", "range", "0:04-0:08"), "The video should last 18 seconds, but it lasts 10."},
		{"not faster", "[duration: {of: video, divided_by: factor}]", video(clip(20*second, 0), clip(20*second, 0), "factor", "2x"), "The video should last 10 seconds, but it lasts 20."},
		{"together", "[duration: {of: videos}]", joined, ""},
		{"one of two", "[duration: {of: videos}]", short, "The video should last 7 seconds, but it lasts 4."},
		{"without the sound that was longer", "[duration: {of: video}]", video(clip(5*second, 0), unsounded), ""},
		{"without the sound and too short", "[duration: {of: video}]", video(clip(2*second, 0), unsounded), "The video should last 20 seconds"},
		{"a recording of a screen that stands still", "[duration: {of: video}]", video(clip(2*second, 0), uneven), ""},
		{"and is too long", "[duration: {of: video}]", video(clip(20*second, 0), uneven), "The video should last 10 seconds, but it lasts 20."},
		{"a slow one", "[duration: {of: video}]", video(with(clip(2*second, 0), func(c *Clip) { c.Rate = 1 }), with(clip(4*second, 0), func(c *Clip) { c.Rate = 1 })), ""},
		{"a length that nobody knows", "[duration: {of: video}]", video(clip(2*second, 0), clip(0, 0)), ""},
		{"nothing that plays here", "[duration: {of: video}]", video(Measured{Type: plan.Video}, Measured{Type: plan.Video}), ""},
		{"long enough", "[duration: {least: 500ms}]", video(clip(2*second, 0), clip(0, 0)), ""},
		{"a flash", "[duration: {least: 500ms}]", video(clip(ms(40), 0), clip(0, 0)), "The video should last at least 0.5 seconds, but it lasts 0."},
		{"not longer", "[duration: {of: audio, is: not longer}]", audio(tone(2*second), tone(20*second)), ""},
		{"not shorter", "[duration: {of: audio, is: not shorter}]", audio(tone(30*second), tone(20*second)), ""},
		{"shorter", "[duration: {of: audio, is: not shorter}]", audio(tone(2*second), tone(20*second)), "The sound should last at least 20 seconds, but it lasts 2."},
		{"longer", "[duration: {of: audio, is: not longer}]", audio(tone(30*second), tone(20*second)), "The sound should last at most 20 seconds, but it lasts 30."},
		{"the sound of a video", "[duration: {of: video}]", audio(tone(20*second), clip(20*second, 900)), ""},
		{"the sound of a video, which ends before it", "[duration: {of: video}]", audio(tone(5*second), with(clip(20*second, 900), func(c *Clip) { c.SoundLength = 5 * second })), ""},
		{"a sound of which nobody knows where it ends", "[duration: {of: video}]", audio(tone(5*second), with(clip(20*second, 900), func(c *Clip) { c.SoundLength = 0 })), ""},
		{"a bit of the sound of a video", "[duration: {of: video}]", audio(tone(5*second), clip(20*second, 900)), "The sound should last 20 seconds, but it lasts 5."},
		{"a GIF of the beginning", "[duration: {of: video, most: 30s}]", gif(300, 30*second), ""},
		{"a GIF of one picture", "[duration: {of: video, most: 30s}]", gif(1, 0), ""},
		{"a GIF that is too short", "[duration: {of: video, most: 30s}]", gif(50, 5*second), "The animation should last 30 seconds, but it lasts 5."},
	})
}

func TestSound(t *testing.T) {
	t.Parallel()
	second := time.Second
	loud, quiet := clip(second, 90), clip(second, 0)
	hint := with(clip(second, 2), func(c *Clip) { c.SoundLength = ms(40) })
	beside := func(other Measured) Case {
		c := video(loud, quiet)
		c.Args["audio"] = []Measured{other}
		return c
	}
	judge(t, []judged{
		{"silent", "[sound: none]", video(quiet, loud), ""},
		{"silent for a while", "[sound: {is: none, unless: range}]", video(loud, loud, "range", "0:01-0:02"), ""},
		{"silent for no while", "[sound: {is: none, unless: range}]", video(loud, loud), "The video should be silent, but it has sound."},
		{"not silent", "[sound: none]", video(loud, loud), "The video should be silent, but it has sound."},
		{"some", "[sound: some]", video(loud, quiet), ""},
		{"lost", "[sound: some]", video(quiet, loud), "The video should have sound, but it has none."},
		{"kept", "[sound: {like: video}]", video(loud, loud), ""},
		{"none to keep", "[sound: {like: video}]", video(quiet, quiet), ""},
		{"not kept", "[sound: {like: video}]", video(quiet, loud), "The video should have sound, but it has none."},
		{"a packet of nothing is not kept", "[sound: {like: video}]", video(quiet, hint), ""},
		{"from nowhere", "[sound: {like: video}]", video(loud, quiet), "The video should be silent, but it has sound."},
		{"from the other one", "[sound: {like: video, most: audio}]", beside(loud), ""},
		{"from neither", "[sound: {like: video, most: audio}]", beside(quiet), "The video should be silent, but it has sound."},
		{"left out", "[sound: {most: video}]", video(quiet, loud), ""},
		{"added", "[sound: {most: video}]", video(loud, quiet), "The video should be silent, but it has sound."},
		{"not looked at", "[sound: none]", video(Measured{}, loud), ""},
		{"not looked at before", "[sound: {most: video}]", video(loud, Measured{}), ""},
	})
}

func TestBytesAndShape(t *testing.T) {
	t.Parallel()
	of := func(now, was int64) Case {
		return Case{Returns: plan.Document, Result: Measured{Bytes: now}, Args: map[string][]Measured{"image": {{Bytes: was}}}}
	}
	shaped := func(w, h int) Case {
		return Case{Returns: plan.Image, Result: Measured{Size: image.Pt(w, h)}}
	}
	judge(t, []judged{
		{"smaller", "[bytes: {below: image}]", of(9, 10), ""},
		{"as large", "[bytes: {below: image}]", of(10, 10), "The document should have fewer bytes than before, which were 10, but it has 10."},
		{"not measured", "[bytes: {below: image}]", of(10, 0), ""},
		{"square", "[shape: square]", shaped(16, 16), ""},
		{"not square", "[shape: square]", shaped(16, 12), "The picture should be square, but it has 16 × 12 pixels."},
	})
}

func TestBitRate(t *testing.T) {
	t.Parallel()
	of := func(codec string, kbps int) Case {
		m := tone(10 * time.Second)
		m.Bytes, m.Clip.SoundCodec = int64(kbps*10*1000/8), codec
		return audio(m, m, "target", "64 LUFS")
	}
	const wrong = "The sound should have 64 kbps, but it has "
	judge(t, []judged{
		{"as wanted", "[bit_rate: {near: target}]", of("mp3", 64), ""},
		{"a step beside", "[bit_rate: {near: 100}]", of("mp3", 96), ""},
		{"with its head", "[bit_rate: {near: target}]", of("vorbis", 86), ""},
		{"the usual one", "[bit_rate: {near: target}]", of("mp3", 92), wrong + "92."},
		{"far more", "[bit_rate: {near: target}]", of("aac", 222), wrong + "222."},
		{"far less", "[bit_rate: {near: target}]", of("mp3", 48), wrong + "48."},
		{"less for a simple sound", "[bit_rate: {near: target}]", of("opus", 1), ""},
		{"lossless", "[bit_rate: {near: target}]", of("flac", 800), ""},
		{"plain samples", "[bit_rate: {near: target}]", of("pcm_s16le", 1411), ""},
		{"not said", "[bit_rate: {near: target}]", audio(of("mp3", 92).Result, Measured{}), ""},
		{"not played", "[bit_rate: {near: target}]", audio(Measured{Bytes: 9e6}, Measured{}, "target", "64 LUFS"), ""},
	})
}

func TestLoudness(t *testing.T) {
	t.Parallel()
	at := func(lufs float64) Measured { m := tone(time.Second); m.LUFS = &lufs; return m }
	judge(t, []judged{
		{"heard", "[loudness: audible]", audio(at(-30), tone(0)), ""},
		{"silent", "[loudness: audible]", audio(at(-70), tone(0)), "The sound should have audible sound, but it is silent."},
		{"nothing at all", "[loudness: audible]", audio(at(math.Inf(-1)), tone(0)), "The sound should have audible sound, but it is silent."},
		{"not measured", "[loudness: audible]", audio(tone(0), tone(0)), ""},
		{"half as loud", "[loudness: {by: volume, of: audio}]", audio(at(-26), at(-20), "volume", "50%"), ""},
		{"not half as loud", "[loudness: {by: volume, of: audio}]", audio(at(-20), at(-20), "volume", "50%"), "The sound should have a loudness of -27.5 to -24.5 LUFS, but it has -20.0."},
		{"quieter for a while", "[loudness: {by: volume, of: audio, unless: range}]", audio(at(-20), at(-20), "volume", "50%", "range", "0:01-0:02"), ""},
		{"much quieter", "[loudness: {by: volume, of: audio}]", audio(at(-40), at(-20), "volume", "50%"), "The sound should have a loudness of -27.5 to -24.5 LUFS, but it has -40.0."},
		{"twice as loud", "[loudness: {by: volume, of: audio}]", audio(at(-14), at(-20), "volume", "200%"), ""},
		{"full already", "[loudness: {by: volume, of: audio}]", audio(at(-5.3), at(-5), "volume", "200%"), ""},
		{"quieter in place of louder", "[loudness: {by: volume, of: audio}]", audio(at(-23), at(-20), "volume", "200%"), "The sound should have a loudness of -20.5 to -12.5 LUFS, but it has -23.0."},
		{"nearly nothing", "[loudness: {by: volume, of: audio}]", audio(at(-70), at(-50), "volume", "10%"), ""},
		{"nothing to turn", "[loudness: {by: volume, of: audio}]", audio(at(-70), at(-70), "volume", "200%"), ""},
		{"not told", "[loudness: {by: volume, of: audio}]", audio(at(-20), at(-20)), ""},
		{"near", "[loudness: {near: -16, of: audio}]", audio(at(-16.9), at(-30)), ""},
		{"near the target", "[loudness: {near: target, of: audio}]", audio(at(-22.5), at(-40), "target", "-23 LUFS"), ""},
		{"not near the target", "[loudness: {near: target, of: audio}]", audio(at(-16), at(-20), "target", "-23 LUFS"), "The sound should have a loudness of -23 LUFS, but it has -16.0."},
		{"nearly all peaks", "[loudness: {near: -16, of: audio}]", audio(at(-24), at(-40)), ""},
		{"as it was", "[loudness: {near: -16, of: audio}]", audio(at(-30), at(-30)), "The sound should have a loudness of -16 LUFS, but it has -30.0."},
		{"too loud", "[loudness: {near: -16, of: audio}]", audio(at(-5), at(-20)), "The sound should have a loudness of -16 LUFS, but it has -5.0."},
		{"was silent", "[loudness: {near: -16, of: audio}]", audio(at(-69.9), at(-69.9)), ""},
	})
}

func TestFilesAndSpeech(t *testing.T) {
	t.Parallel()
	boxes := Measured{Type: plan.BBox, Value: `[{"xmax":1,"ymax":1},{"xmax":2,"ymax":2}]`}
	list := func(n int, value string) Case {
		return Case{Returns: plan.BBox, Results: n, Result: Measured{Type: plan.BBox, Value: value}, Args: map[string][]Measured{"bbox": {boxes}}}
	}
	said := Measured{Type: plan.Text, Value: strings.Repeat("blackbird ", 100)}
	spoken := func(length time.Duration, text Measured) Case {
		c := audio(tone(length), tone(0))
		c.Args["text"] = []Measured{text}
		return c
	}
	large := video(Measured{Type: plan.Video, MIME: "video/mp4", Bytes: 2_000_001}, Measured{}, "limit", "2 MB")
	fits := large
	fits.Result.Bytes = 2_000_000
	named := func(mime, codec, said string) Case {
		m := with(clip(time.Second, 0), func(c *Clip) { c.PicturesCodec = codec })
		m.MIME = mime
		return video(m, Measured{}, "format", said)
	}
	sounds := func(mime, codec, said string) Case {
		m := with(tone(time.Second), func(c *Clip) { c.SoundCodec = codec })
		m.MIME = mime
		return audio(m, Measured{}, "format", said)
	}
	shown := func(mime, said string) Case {
		return Case{Returns: plan.Image, Result: Measured{MIME: mime}, Settings: settings("format", said)}
	}
	judge(t, []judged{
		{"one", "[files: 1]", list(1, "[]"), ""},
		{"two for one", "[files: 1]", list(2, "[]"), "The number of results should be 1, but it is 2."},
		{"no more than boxes", "[files: {most: bbox}]", list(2, "[]"), ""},
		{"more than boxes", "[files: {most: bbox}]", list(3, "[]"), "The number of results should be at most 2, but it is 3."},
		{"chosen", "[items: {most: bbox}]", list(1, `[{"xmax":1}]`), ""},
		{"invented", "[items: {most: bbox}]", list(1, `[{},{},{}]`), "There were at most 2 to choose from, but 3 were chosen."},
		{"small enough", "[bytes: {most: limit}]", fits, ""},
		{"a byte too many", "[bytes: {most: limit}]", large, "The video should have at most 2000000 bytes, but it has 2000001 bytes."},
		{"read to its end", "[speech: {of: text}]", spoken(40*time.Second, said), ""},
		{"broken off", "[speech: {of: text}]", spoken(13*time.Second, said), "The text should be read to the end, but the sound lasts only 13 seconds."},
		{"a short text", "[speech: {of: text}]", spoken(time.Second, Measured{Value: "hello"}), ""},
		{"a GIF", "[format: gif]", shown("image/gif", ""), ""},
		{"no GIF", "[format: gif]", shown("image/png", ""), "The picture should be in the format GIF, but it is in another one."},
		{"a JPEG", "[format: {named_by: format}]", shown("image/jpeg", "a jpg file, please"), ""},
		{"no JPEG", "[format: {named_by: format}]", shown("image/png", ".JPEG"), "The picture should be in the format JPEG"},
		{"unknown", "[format: {named_by: format}]", shown("image/png", "something nice"), ""},
		{"WebM", "[format: {named_by: format}]", named("video/webm", "vp9", "webm"), ""},
		{"no WebM", "[format: {named_by: format}]", named("video/mp4", "h264", "webm"), "The video should be in the format WebM"},
		{"H.264", "[format: {named_by: format}]", named("video/mp4", "h264", "h.264"), ""},
		{"packed otherwise", "[format: {named_by: format}]", named("video/mp4", "mpeg4", "h264"), "The video should be in the format H.264"},
		{"Opus", "[format: {named_by: format}]", sounds("audio/ogg", "opus", "opus"), ""},
		{"Vorbis for Opus", "[format: {named_by: format}]", sounds("audio/ogg", "vorbis", "opus"), "The sound should be in the format Opus"},
		{"M4A", "[format: {named_by: format}]", sounds("audio/x-m4a", "aac", "m4a"), ""},
	})
}

func TestWords(t *testing.T) {
	t.Parallel()
	text := func(result, of string, said ...string) Case {
		return Case{Returns: plan.Text, Result: Measured{Type: plan.Text, Value: result}, Args: map[string][]Measured{"text": {{Type: plan.Text, Value: of}}}, Settings: settings(said...)}
	}
	const english = "The harbour was built by the merchants of the town, and it was used for two hundred years before the railway came to it."
	const german = "Der Hafen wurde von den Kaufleuten der Stadt gebaut, und er wurde zweihundert Jahre lang benutzt, bis die Eisenbahn kam."
	const russian = "Гавань была построена купцами города и служила двести лет."
	const chinese = "这个港口是由城里的商人建造的，在铁路到来之前使用了两百年，现在是一个博物馆。"
	long := strings.Repeat(english+" ", 12)
	page := func(value, title string) Case {
		return Case{Returns: plan.HTML, Result: Measured{Type: plan.HTML, Value: value}, Args: map[string][]Measured{"title": {{Type: plan.Title, Value: title}}}}
	}
	judge(t, []judged{
		{"shorter", "[length: {below: text}]", text(english, long), ""},
		{"as long", "[length: {below: text}]", text(long, long), "The text should be shorter than the original, but it is not."},
		{"of a short text", "[length: {below: text}]", text(english+english, english), ""},
		{"a summary in another script", "[length: {below: text}]", text(strings.Repeat(english, 5), strings.Repeat(chinese, 10)), ""},
		{"a title", "[length: {most: 300}]", text("The old harbour", long), ""},
		{"no title", "[length: {most: 300}]", text(long, long), "The text should have at most 300 characters, but it has "},
		{"a count", "[number: some]", text("There are 3 dogs.", ""), ""},
		{"none", "[number: some]", text("There is none.", ""), ""},
		{"in words", "[number: some]", text("Two dogs", ""), ""},
		{"no count", "[number: some]", text("There are dogs.", ""), "The answer should contain a number, but it does not."},
		{"translated", "[language: {named_by: language}]", text(german, english, "language", "German"), ""},
		{"not translated", "[language: {named_by: language}]", text(english, english, "language", "into German please"), "The text should be in German, but it is in another language."},
		{"in Chinese", "[language: {named_by: language}]", text(chinese, english, "language", "中文"), ""},
		{"not in Chinese", "[language: {named_by: language}]", text(english, english, "language", "Chinese"), "The text should be in Chinese, but it is in another language."},
		{"in Russian", "[language: {named_by: language}]", text(russian, english, "language", "russian"), ""},
		{"Russian for German", "[language: {named_by: language}]", text(russian, english, "language", "german"), "The text should be in German"},
		{"a name", "[language: {named_by: language}]", text("Paris", "Paris", "language", "Chinese"), ""},
		{"a short text", "[language: {named_by: language}]", text("Good morning to you", "Good morning to you", "language", "German"), ""},
		{"a language that is not known here", "[language: {named_by: language}]", text(english, english, "language", "Klingon"), ""},
		{"two languages", "[language: {named_by: language}]", text(english, english, "language", "German or French"), ""},
		{"in other letters", "[language: {named_by: language}]", text("kono minato wa machi no shonin ni yotte tsukurareta", english, "language", "Japanese in romaji"), ""},
		{"a list of names in German", "[language: {named_by: language}]", text("Meier, Müller, Schulze, Schmidt, Weber, Wagner, Becker, Hoffmann, Koch, Bauer, Richter, Klein, Wolf", english, "language", "German"), ""},
		{"in the language of the text", "[language: {of: text}]", text(german, german), ""},
		{"not in the language of the text", "[language: {of: text}]", text(english, german), "The text should be in German, but it is in another language."},
		{"of a text in no language", "[language: {of: text}]", text(english, "1 2 3"), ""},
		{"on the page", "[holds: title]", page("<h1>Tom &amp; Jerry&#39;s day</h1>", "Tom & Jerry's day"), ""},
		{"not on the page", "[holds: title]", page("<h1>Hello</h1>", "Tom & Jerry's day"), "The result should contain the given words, but it does not."},
	})
}

// drawing is a picture with pixels given by f.
func drawing(w, h int, f func(x, y int) color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, f(x, y))
		}
	}
	return img
}

func plainly(c color.NRGBA) func(x, y int) color.NRGBA {
	return func(int, int) color.NRGBA { return c }
}

// scene is a picture with four different corners.
func scene(x, y int) color.NRGBA {
	c := color.NRGBA{uint8(40 + x), uint8(200 - y), 90, 255}
	switch {
	case x < 60 && y < 40:
		c = color.NRGBA{220, 40, 30, 255}
	case x >= 60 && y >= 40:
		c = color.NRGBA{20, 40, 160, 255}
	}
	if (x/3+y/3)%2 == 0 {
		c.G += 40
	}
	return c
}

func pictured(img *image.NRGBA) Measured {
	m := Measured{Type: plan.Image, MIME: "image/png", Frames: 1}
	if img != nil {
		m.Size, m.Pixels = img.Rect.Size(), img
	}
	return m
}

// ofPicture is the case of a result made from a picture.
func ofPicture(result, of *image.NRGBA, said ...string) Case {
	return Case{
		Returns: plan.Image, Results: 1, Result: pictured(result), Args: map[string][]Measured{"image": {pictured(of)}, "images": {pictured(of), pictured(of)}},
		Settings: settings(said...),
	}
}

// part is a part of a picture, moved to (0, 0).
func part(img *image.NRGBA, r image.Rectangle) *image.NRGBA {
	return drawing(r.Dx(), r.Dy(), func(x, y int) color.NRGBA { return img.NRGBAAt(r.Min.X+x, r.Min.Y+y) })
}

func TestSize(t *testing.T) {
	t.Parallel()
	of := func(w, h, wasW, wasH int, said ...string) Case {
		return Case{
			Returns: plan.Image, Result: Measured{Type: plan.Image, Size: image.Pt(w, h), Frames: 1},
			Args: map[string][]Measured{"image": {{Type: plan.Image, Size: image.Pt(wasW, wasH), Frames: 1}}}, Settings: settings(said...),
		}
	}
	one := func(at, results int, c Case) Case {
		c.At, c.Results = at, results
		return c
	}
	const several = "[size: {of: image, scaled_by: sizes}]"
	film := func(w, h, wasW, wasH int) Case {
		at := func(w, h int) Measured { return with(clip(time.Second, 0), func(c *Clip) { c.Size = image.Pt(w, h) }) }
		return video(at(w, h), at(wasW, wasH))
	}
	judge(t, []judged{
		{"the same", "[size: {of: image}]", of(120, 80, 120, 80), ""},
		{"another", "[size: {of: image}]", of(60, 40, 120, 80), "The picture should have 120 × 80 pixels, but it has 60 × 40."},
		{"half", "[size: {of: image, scaled_by: size}]", of(60, 40, 120, 80, "size", "50%"), ""},
		{"half of an odd one", "[size: {of: image, scaled_by: size}]", of(60, 41, 121, 81, "size", "50%"), ""},
		{"not half", "[size: {of: image, scaled_by: size}]", of(120, 80, 120, 80, "size", "50%"), "The picture should have 60 × 40 pixels"},
		{"in pixels", "[size: {of: image, scaled_by: size}]", of(800, 600, 120, 80, "size", "800x600"), ""},
		{"a default", "[size: {of: image, scaled_by: size}]", of(120, 80, 120, 80, "size", "2x"), "The picture should have 240 × 160 pixels"},
		{"the second of two", several, one(1, 2, of(240, 160, 120, 80, "sizes", "60 and 240 wide")), ""},
		{"the first once more", several, one(1, 2, of(60, 40, 120, 80, "sizes", "60 and 240 wide")), "The picture should have 240 × 160 pixels, but it has 60 × 40."},
		{"one of two is missing", several, one(0, 1, of(60, 40, 120, 80, "sizes", "60 and 240 wide")), "The number of results should be 2, but it is 1."},
		{"not understood", "[size: {of: image, scaled_by: size}]", of(120, 80, 120, 80, "size", "nice"), ""},
		{"a thumbnail", "[size: {of: image, within: size}]", of(256, 171, 1200, 800, "size", "256x256"), ""},
		{"of one side", "[size: {of: image, within: size}]", of(43, 64, 800, 1200, "size", "64 px"), ""},
		{"no thumbnail", "[size: {of: image, within: size}]", of(1200, 800, 1200, 800, "size", "256x256"), "The picture should have 256 × 171 pixels"},
		{"a thumbnail of a small picture", "[size: {of: image, within: size}]", of(120, 80, 120, 80, "size", "256x256"), ""},
		{"a quarter turn", "[size: {of: image, turned_by: angle}]", of(80, 120, 120, 80, "angle", "90 degrees"), ""},
		{"no turn", "[size: {of: image, turned_by: angle}]", of(120, 80, 120, 80, "angle", "90 degrees"), "The picture should have 80 × 120 pixels"},
		{"upside down", "[size: {of: image, turned_by: angle}]", of(120, 80, 120, 80, "angle", "upside down"), ""},
		{"upright", "[size: {of: image, turned_by: angle}]", of(120, 80, 120, 80, "angle", "set it upright"), ""},
		{"slanted", "[size: {of: image, turned_by: angle}]", of(142, 142, 120, 80, "angle", "45 degrees"), ""},
		{"a part", "[size: {of: image, part: region}]", of(60, 80, 120, 80, "region", "the left half"), ""},
		{"no part", "[size: {of: image, part: region}]", of(120, 80, 120, 80, "region", "the left half"), "The picture should have 60 × 80 pixels"},
		{"a size in pixels", "[size: {of: image, part: region}]", of(200, 200, 120, 80, "region", "200x200"), ""},
		{"too small for a size in pixels", "[size: {of: image, part: region}]", of(120, 80, 120, 80, "region", "200x200"), "The picture should have 200 × 200 pixels"},
		{"larger", "[size: {of: image, is: larger}]", of(240, 160, 120, 80), ""},
		{"not larger at all", "[size: {of: image, is: larger}]", of(120, 80, 120, 80), "The picture should be larger than it was, but it has 120 × 80 pixels."},
		{"as large at most", "[size: {of: image, is: not larger}]", of(120, 80, 120, 80), ""},
		{"too large", "[size: {of: image, is: not larger}]", of(240, 160, 120, 80), "The picture should not be larger than it was"},
		{"of its shape", "[size: {of: image, is: same shape}]", of(641, 427, 1200, 800), ""},
		{"squeezed", "[size: {of: image, is: same shape}]", of(640, 640, 1200, 800), "The picture should have the shape of 1200 × 800 pixels, but it has 640 × 640."},
		{"padded to a shape", "[size: {of: image, shape: shape}]", of(1200, 1200, 1200, 800, "shape", "1:1"), ""},
		{"not padded", "[size: {of: image, shape: shape}]", of(1200, 800, 1200, 800, "shape", "1:1"), "The picture should be fitted into 1:1, but it has 1200 × 800 pixels."},
		{"fitted into an exact size", "[size: {of: image, shape: shape, scaled_by: size}]", of(600, 600, 1200, 800, "shape", "1:1", "size", "600x600"), ""},
		{"of another exact size", "[size: {of: image, shape: shape, scaled_by: size}]", of(1200, 1200, 1200, 800, "shape", "1:1", "size", "600x600"), "The picture should have 600 × 600 pixels, but it has 1200 × 1200."},
		{"no exact size was asked for", "[size: {of: image, shape: shape, scaled_by: size}]", of(800, 800, 1200, 800, "shape", "1:1"), "The picture should be fitted into 1:1"},
		{"cut instead", "[size: {of: image, shape: shape}]", of(800, 800, 1200, 800, "shape", "1:1"), "The picture should be fitted into 1:1"},
		{"a tiny one", "[size: {of: image, is: same shape}]", of(16, 16, 30, 20), ""},
		{"even sides", "[size: {of: video}]", film(62, 46, 63, 47), ""},
		{"a smaller video", "[size: {of: video}]", film(32, 24, 64, 48), "The video should have 64 × 48 pixels, but it has 32 × 24."},
		{"from 8K", "[size: {of: video, fits: 3840x2160}]", film(3840, 2160, 7680, 4320), ""},
		{"a high one", "[size: {of: video, fits: 3840x2160}]", film(2160, 3840, 4320, 7680), ""},
		{"unknown", "[size: {of: image}]", of(0, 0, 120, 80), ""},
	})
}

func TestFrames(t *testing.T) {
	t.Parallel()
	gif := func(frames, was int) Case {
		at := func(n int) Measured { return Measured{Type: plan.Image, MIME: "image/gif", Frames: n} }
		return Case{Returns: plan.Image, Result: at(frames), Args: map[string][]Measured{"image": {at(was)}, "images": {at(was), at(was), at(was)}}}
	}
	avif, webp, png := gif(1, 9), gif(1, 9), gif(1, 9)
	avif.Args["image"][0].MIME, webp.Args["image"][0].MIME, png.Result.MIME = "image/avif", "image/webp", "image/png"
	judge(t, []judged{
		{"one for each", "[frames: {of: images}]", gif(3, 1), ""},
		{"one is missing", "[frames: {of: images}]", gif(2, 1), "The animation should have 3 pictures, but it has 2."},
		{"still animated", "[frames: {like: image}]", gif(7, 9), ""},
		{"never animated", "[frames: {like: image}]", gif(1, 1), ""},
		{"frozen", "[frames: {like: image}]", gif(1, 9), "The picture should move, but it is a single picture."},
		{"frozen WebP", "[frames: {like: image}]", webp, "The picture should move, but it is a single picture."},
		{"what cannot be read whole", "[frames: {like: image}]", avif, ""},
		{"what cannot move", "[frames: {like: image}]", png, ""},
		{"moves", "[frames: {least: 2}]", video(clip(time.Second, 0), Measured{}), ""},
		{"stands still", "[frames: {least: 2}]", video(with(clip(time.Second, 0), func(c *Clip) { c.Pictures = 1 }), Measured{}), "The video should move, but it is a single picture."},
	})
}

func TestPixels(t *testing.T) {
	t.Parallel()
	was := drawing(120, 80, scene)
	grey := func(x, y int) color.NRGBA {
		c := was.NRGBAAt(x, y)
		v := uint8((299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000)
		return color.NRGBA{v, v, v, 255}
	}
	lossy := drawing(120, 80, func(x, y int) color.NRGBA {
		c := was.NRGBAAt(x, y)
		c.R, c.B = c.R+uint8(x*7%9), c.B+uint8(y*5%9)
		return c
	})
	soft := drawing(120, 80, func(x, y int) color.NRGBA {
		var sum [3]int
		for k := range 9 {
			c := was.NRGBAAt(min(max(x+k%3-1, 0), 119), min(max(y+k/3-1, 0), 79))
			sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
		}
		return color.NRGBA{uint8(sum[0] / 9), uint8(sum[1] / 9), uint8(sum[2] / 9), 255}
	})
	larger := drawing(240, 160, func(x, y int) color.NRGBA { return scene(x/2, y/2) })
	turnedRight := drawing(80, 120, func(x, y int) color.NRGBA { return scene(y, 79-x) })
	overHead := drawing(120, 80, func(x, y int) color.NRGBA { return scene(119-x, 79-y) })
	mirror := drawing(120, 80, func(x, y int) color.NRGBA { return scene(119-x, y) })
	left := part(was, image.Rect(0, 0, 60, 80))
	right := part(was, image.Rect(60, 0, 120, 80))
	holed := drawing(120, 80, func(x, y int) color.NRGBA {
		if c := scene(x, y); x > 30 {
			return c
		}
		return color.NRGBA{}
	})
	tiny := drawing(2, 2, func(x, y int) color.NRGBA { return color.NRGBA{uint8(255 * ((x + y) % 2)), 0, 0, 255} })
	smooth := drawing(200, 200, plainly(color.NRGBA{127, 0, 0, 255}))
	white := drawing(120, 80, plainly(color.NRGBA{255, 255, 255, 255}))
	brighter := drawing(120, 80, func(x, y int) color.NRGBA {
		c := scene(x, y)
		return color.NRGBA{uint8(min(255, int(c.R)+40)), uint8(min(255, int(c.G)+40)), uint8(min(255, int(c.B)+40)), 255}
	})
	inverted := drawing(120, 80, func(x, y int) color.NRGBA { c := scene(x, y); return color.NRGBA{255 - c.R, 255 - c.G, 255 - c.B, 255} })
	leftInverted := drawing(120, 80, func(x, y int) color.NRGBA {
		c := scene(x, y)
		if x >= 60 {
			return c
		}
		return color.NRGBA{255 - c.R, 255 - c.G, 255 - c.B, 255}
	})
	tinted := func(by uint8) *image.NRGBA {
		return drawing(120, 80, func(x, y int) color.NRGBA { return color.NRGBA{90 + by + uint8(x/2), 90 + uint8(y), 90, 255} })
	}
	slope := drawing(60, 40, func(x, y int) color.NRGBA { return color.NRGBA{uint8(4 * x), uint8(6 * y), 90, 255} })
	pale, paler := tinted(60), tinted(0)
	mask := image.NewAlpha(image.Rect(0, 0, 120, 80))
	for y := range 30 {
		for x := range 30 {
			mask.Pix[(y+20)*mask.Stride+x+40] = 1
		}
	}
	painted := drawing(120, 80, func(x, y int) color.NRGBA {
		if mask.AlphaAt(x, y).A > 0 {
			return color.NRGBA{0, 255, 0, 255}
		}
		return lossy.NRGBAAt(x, y)
	})
	masked := func(result *image.NRGBA, m *image.Alpha) Case {
		c := ofPicture(result, was)
		c.Args["mask"] = []Measured{{Type: plan.Mask, Cover: m}}
		return c
	}
	boxed := func(result *image.NRGBA) Case {
		c := ofPicture(result, was)
		c.Args["bbox"] = []Measured{{Type: plan.BBox, Value: `[{"xmin":60,"ymin":0,"xmax":120,"ymax":80},{"xmin":0,"ymin":0,"xmax":999,"ymax":20}]`}}
		return c
	}
	full := image.NewAlpha(mask.Rect)
	for i := range full.Pix {
		full.Pix[i] = 1
	}
	judge(t, []judged{
		{"the same", "[shows: {of: image}]", ofPicture(was, was), ""},
		{"with losses", "[shows: {of: image}]", ofPicture(lossy, was), ""},
		{"scaled", "[shows: {of: image}]", ofPicture(larger, was), ""},
		{"something else", "[shows: {of: image}]", ofPicture(inverted, was), "The picture should show the same as before, but it shows something else."},
		{"transparent parts do not count", "[shows: {of: image}]", ofPicture(white, drawing(120, 80, plainly(color.NRGBA{0, 0, 0, 60}))), ""},
		{"a tiny one, enlarged softly", "[shows: {of: image}]", ofPicture(smooth, tiny), ""},
		{"the left half", "[shows: {of: image, part: region}]", ofPicture(left, was, "region", "the left half"), ""},
		{"the right half for the left one", "[shows: {of: image, part: region}]", ofPicture(right, was, "region", "the left half"), "The picture should show the requested part"},
		{"in a box", "[shows: {of: image, boxes: bbox}]", boxed(right), ""},
		{"in another box", "[shows: {of: image, boxes: bbox}]", boxed(part(was, image.Rect(0, 0, 120, 20))), ""},
		{"in no box", "[shows: {of: image, boxes: bbox}]", boxed(left), "The picture should show the requested part"},
		{"turned", "[shows: {of: image, turned_by: angle}]", ofPicture(turnedRight, was, "angle", "90"), ""},
		{"turned the other way", "[shows: {of: image, turned_by: angle}]", ofPicture(turnedRight, was, "angle", "left"), "The picture should be turned as asked, but it is not."},
		{"over head", "[shows: {of: image, turned_by: angle}]", ofPicture(overHead, was, "angle", "upside down"), ""},
		{"not over head", "[shows: {of: image, turned_by: angle}]", ofPicture(was, was, "angle", "upside down"), "The picture should be turned"},
		{"slanted is not compared", "[shows: {of: image, turned_by: angle}]", ofPicture(was, was, "angle", "30 degrees"), ""},
		{"mirrored", "[shows: {of: image, mirrored: direction}]", ofPicture(mirror, was, "direction", "horizontally"), ""},
		{"not mirrored", "[shows: {of: image, mirrored: direction}]", ofPicture(was, was, "direction", "horizontally"), "The picture should be mirrored as asked, but it is not."},
		{"mirrored the wrong way", "[shows: {of: image, mirrored: direction}]", ofPicture(mirror, was, "direction", "vertically"), "The picture should be mirrored"},
		{"changed", "[changed: {of: image}]", ofPicture(soft, was), ""},
		{"not changed", "[changed: {of: image}]", ofPicture(was, was), "The picture should have changed, but it has not."},
		{"of another size", "[changed: {of: image}]", ofPicture(larger, was), ""},
		{"changed within", "[changed: {of: image, inside: mask}]", masked(painted, mask), ""},
		{"not changed within", "[changed: {of: image, inside: mask}]", masked(was, mask), "The picture should have changed"},
		{"within nothing", "[changed: {of: image, inside: mask}]", masked(was, image.NewAlpha(mask.Rect)), ""},
		{"the rest stays", "[unchanged: {of: image, outside: mask}]", masked(painted, mask), ""},
		{"the rest too", "[unchanged: {of: image, outside: mask}]", masked(inverted, mask), "Only the marked part of the picture should have changed, but the rest has changed too."},
		{"a region changed", "[changed: {of: image, inside: region}]", ofPicture(leftInverted, was, "region", "left half"), ""},
		{"another region changed", "[changed: {of: image, inside: region}]", ofPicture(leftInverted, was, "region", "right half"), "The picture should have changed"},
		{"all but a region changed", "[changed: {of: image, inside: region, where: direction}]", ofPicture(leftInverted, was, "region", "right half", "direction", "outside"), ""},
		{"only a region changed", "[changed: {of: image, inside: region, where: direction}]", ofPicture(leftInverted, was, "region", "left half", "direction", "outside"), "The picture should have changed"},
		{"a region stays", "[unchanged: {of: image, outside: region, where: direction}]", ofPicture(leftInverted, was, "region", "right half", "direction", "outside"), ""},
		{"a region does not stay", "[unchanged: {of: image, outside: region, where: direction}]", ofPicture(leftInverted, was, "region", "left half", "direction", "outside"), "Only a part of the picture should have changed"},
		{"no region is named", "[changed: {of: image, inside: region}]", ofPicture(leftInverted, was), ""},
		{"the rest of a region stays", "[unchanged: {of: image, outside: region}]", ofPicture(leftInverted, was, "region", "left half"), ""},
		{"the rest of a region changed", "[unchanged: {of: image, outside: region}]", ofPicture(inverted, was, "region", "left half"), "Only a part of the picture should have changed"},
		{"there is no rest", "[unchanged: {of: image, outside: mask}]", masked(inverted, full), ""},
		{"grey", "[colour: none]", ofPicture(drawing(120, 80, grey), was), ""},
		{"white", "[colour: none]", ofPicture(white, was), ""},
		{"colourful", "[colour: none]", ofPicture(was, was), "The picture should have no colours, but it still has some."},
		{"transparent", "[transparency: some]", ofPicture(holed, was), ""},
		{"solid", "[transparency: some]", ofPicture(was, was), "A part of the picture should be transparent, but none of it is."},
		{"no colour behind it", "[transparency: {is: some, unless: colour}]", ofPicture(holed, was), ""},
		{"a colour behind it", "[transparency: {is: some, unless: colour}]", ofPicture(was, holed, "colour", "black"), ""},
		{"no longer a colour behind it", "[transparency: {is: some, unless: colour}]", ofPicture(holed, was, "colour", "black"), "No part of the picture should be transparent"},
		{"cut out", "[transparency: {outside: mask}]", masked(holed, mask), ""},
		{"not cut out", "[transparency: {outside: mask}]", masked(was, mask), "A part of the picture should be transparent"},
		{"nothing to cut off", "[transparency: {outside: mask}]", masked(was, full), ""},
		{"something", "[detail: some]", ofPicture(was, was), ""},
		{"nothing", "[detail: some]", ofPicture(white, was), "The picture should show something, but it is a single colour."},
		{"blurred", "[sharpness: {below: image}]", ofPicture(soft, was), ""},
		{"not blurred", "[sharpness: {below: image}]", ofPicture(was, was), "The picture should be less sharp than it was, but it is not."},
		{"a slope stays as steep", "[sharpness: {below: image}]", ofPicture(slope, slope), ""},
		{"nothing to blur", "[sharpness: {below: image}]", ofPicture(white, white), ""},
		{"brighter", "[adjusted: {of: image, by: adjustment}]", ofPicture(brighter, was, "adjustment", "brighter"), ""},
		{"darker for brighter", "[adjusted: {of: image, by: adjustment}]", ofPicture(was, brighter, "adjustment", "brighter"), "The requested change cannot be seen in the picture."},
		{"no darker at the edges", "[adjusted: {of: image, by: adjustment}]", ofPicture(was, was, "adjustment", "vignette"), "The requested change"},
		{"not brighter", "[adjusted: {of: image, by: adjustment}]", ofPicture(was, was, "adjustment", "brighter"), "The requested change"},
		{"white cannot be brighter", "[adjusted: {of: image, by: adjustment}]", ofPicture(white, white, "adjustment", "brighter"), ""},
		{"several are not told apart", "[adjusted: {of: image, by: adjustment}]", ofPicture(was, was, "adjustment", "brighter and more contrast"), ""},
		{"inverted", "[adjusted: {of: image, by: adjustment}]", ofPicture(inverted, was, "adjustment", "invert the colours"), ""},
		{"not inverted", "[adjusted: {of: image, by: adjustment}]", ofPicture(was, was, "adjustment", "invert the colours"), "The requested change"},
		{"more colourful", "[adjusted: {of: image, by: adjustment}]", ofPicture(pale, paler, "adjustment", "more colourful"), ""},
		{"less for more colourful", "[adjusted: {of: image, by: adjustment}]", ofPicture(paler, pale, "adjustment", "more colourful"), "The requested change"},
		{"not looked at", "[colour: none, detail: some, shows: {of: image}, unchanged: {of: image, outside: mask}]", ofPicture(nil, nil), ""},
	})
}

// TestJudgeStops when its context ends.
func TestJudgeStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	was := drawing(120, 80, scene)
	if missed, _, err := declared(t, "[changed: {of: image}]").Judge(ctx, ofPicture(was, was)); err == nil || !missed.IsZero() {
		t.Errorf("%v, %v", missed, err)
	}
}

// FuzzEffects: no declaration and no values cause a panic.
func FuzzEffects(f *testing.F) {
	for _, s := range []string{
		"[duration: {of: video, part: range}]", "[size: {of: image, scaled_by: size}]", "[none: x]", "[shows: {of: image, boxes: bbox}]",
		"[frames: {least: 1e8}]", "[loudness: {near: -16, of: audio}]", "[language: {named_by: language}]",
	} {
		f.Add(s, "5 to 9 seconds", "Ein Text, der kurz ist.")
	}
	was := drawing(12, 8, scene)
	f.Fuzz(func(t *testing.T, text, said, value string) {
		var all Effects
		if yaml.Unmarshal([]byte(text), &all) != nil {
			return
		}
		for _, returns := range plan.Types() {
			if len(all.Check(returns, known())) > 0 {
				continue
			}
			all.Needs()
			c := ofPicture(was, was)
			c.Returns, c.Result.Value = returns, value
			c.Result.Clip = clip(time.Second, 3).Clip
			c.Settings = map[string]param.Value{}
			for _, a := range known() {
				if a.Setting != "" {
					maps.Copy(c.Settings, settings(a.Name, said))
				}
			}
			c.Args["video"], c.Args["text"] = []Measured{clip(3*time.Second, 3)}, []Measured{{Value: value}}
			if _, _, err := all.Judge(t.Context(), c); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestLossyFormats may lose fine detail without counting as a change, but a shift by two pixels counts.
func TestLossyFormats(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	was := drawing(320, 240, func(int, int) color.NRGBA {
		v := random.Uint32()
		return color.NRGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), 255}
	})
	written := func(moved int, format string) Case {
		img := drawing(320, 240, func(x, y int) color.NRGBA {
			if (image.Point{x, y}).In(image.Rect(80, 60, 240, 180)) {
				return color.NRGBA{A: 255}
			}
			return was.NRGBAAt(max(0, x-moved), y)
		})
		var file strings.Builder
		if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: 90}); err != nil {
			t.Fatal(err)
		}
		back, err := jpeg.Decode(strings.NewReader(file.String()))
		if err != nil {
			t.Fatal(err)
		}
		draw.Draw(img, img.Rect, back, image.Point{}, draw.Src)
		c := ofPicture(img, was, "region", "the center")
		c.Result.MIME = format
		return c
	}
	const moved = "Only a part of the picture should have changed"
	judge(t, []judged{
		{"a JPEG", "[unchanged: {of: image, outside: region}]", written(0, "image/jpeg"), ""},
		{"what moved", "[unchanged: {of: image, outside: region}]", written(2, "image/jpeg"), moved},
		{"a format without losses", "[unchanged: {of: image, outside: region}]", written(0, "image/png"), moved},
	})
}
