package param_test

import (
	"image"
	"image/color"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

var formats = map[string][]string{"mp4": {"h264", "mpeg4"}, "webm": {"vp9"}, "wav": {"wave"}}

var mirrors = map[string][]string{
	"horizontal": {"left to right", "left", "vertical axis"},
	"vertical":   {"upside down", "horizontal axis"},
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ   param.Type
		words string
		want  string
	}{
		{param.Number, "10", "10"}, {param.Number, "by 2.5 dB", "2.5"}, {param.Number, "-16 LUFS", "-16"}, {param.Number, "twice", "2"},
		{param.Integer, "3 times", "3"},
		{param.Integers, "16, 32 and 64 px", "16,32,64"}, {param.Integers, "100", "100"},
		{param.Boolean, "yes", "true"}, {param.Boolean, "off", "false"},
		{param.Choice, "turn it upside down", "vertical"}, {param.Choice, "along the vertical axis", "horizontal"},
		{param.Duration, "half a minute", "0:30"}, {param.Duration, "5 s", "0:05"}, {param.Duration, "1:02:03", "1:02:03"},
		{param.TimeRange, "the first 5 seconds", "0:00..0:05"}, {param.TimeRange, "the last 20 seconds", "-0:20..end"},
		{param.TimeRange, "seconds 2 to 4.5", "0:02..0:04.5"}, {param.TimeRange, "from 1:30 to the end", "1:30..end"},
		{param.TimeRange, "drop the last 5 seconds", "0:00..-0:05"},
		{param.TimeRanges, "the last 20 seconds", "-0:20..end"}, {param.TimeRanges, "0:00-0:05 and 0:20-0:25", "0:00..0:05,0:20..0:25"},
		{param.TimeRanges, "without 0:05-0:10", "0:00..0:05,0:10..end"}, {param.TimeRanges, "trim 2 s from the start and 3 from the end", "0:02..-0:03"},
		{param.Moment, "at 3 seconds", "0:03"}, {param.Moment, "the last frame", "-0:00"}, {param.Moment, "halfway", "50%"},
		{param.Moments, "at 0:30 and 1:15", "0:30,1:15"}, {param.Moments, "after 20 seconds", "0:20"}, {param.Moments, "1:15, 0:30, 0:30", "0:30,1:15"},
		{param.Moments, "at 2 and 4 minutes", "2:00,4:00"}, {param.Moments, "10, 20 and 30 seconds", "0:10,0:20,0:30"},
		{param.Moments, "at 1 minute 30 seconds, then at minute 3", "1:30,3:00"}, {param.Moments, "the 45 second mark", "0:45"},
		{param.Moments, "at 0:00 and 0:05", "0:00,0:05"},
		{param.Interval, "every 5 seconds", "0:05"}, {param.Interval, "one frame per second", "0:01"}, {param.Interval, "2 stills a minute", "0:30"},
		{param.Interval, "4 fps", "0:00.25"}, {param.Interval, "every half minute", "0:30"}, {param.Interval, "once every ten seconds", "0:10"},
		{param.Factor, "twice as fast", "2x"}, {param.Factor, "20% slower", "0.8x"}, {param.Factor, "half speed", "0.5x"},
		{param.Size, "half as large", "50%"}, {param.Size, "800x600", "800x600"}, {param.Size, "640 px wide", "640 wide"},
		{param.Size, "1080p", "1080 high"}, {param.Size, "a third", "33.333333%"},
		{param.Sizes, "100, 200 and 400 px wide", "100 wide,200 wide,400 wide"}, {param.Sizes, "1024x1024 and 512x512", "1024x1024,512x512"},
		{param.Sizes, "25, 50 and 75%", "25%,50%,75%"}, {param.Sizes, "heights of 100 and 200", "100 high,200 high"},
		{param.Aspect, "16:9", "16:9"}, {param.Aspect, "make it vertical", "9:16"}, {param.Aspect, "square", "1:1"}, {param.Aspect, "4 by 5", "4:5"},
		{param.Pages, "pages 2 to 4", "2-4"}, {param.Pages, "every page", "all"}, {param.Pages, "the last page", "last"}, {param.Pages, "1, 3", "1,3"},
		{param.FileSize, "under 8 MB", "8000000 B"}, {param.FileSize, "half a megabyte", "500000 B"},
		{param.Region, "the left half", "50% at left"}, {param.Region, "bottom left quarter", "50% at bottom left"},
		{param.Region, "cut off the bottom 20%", "all but 20% at bottom"}, {param.Region, "50 px off every side", "all but 50 px at every side"}, {param.Region, "100x200+30+40", "100x200+30+40"},
		{param.Region, "100,100,300,400", "200x300+100+100"}, {param.Region, "16:9", "16:9 at centre"}, {param.Region, "the top 100 px", "100 px at top"},
		{param.Position, "in the lower right corner", "bottom right"}, {param.Position, "in the middle", "centre"},
		{param.Angle, "90 degrees", "90"}, {param.Angle, "to the left", "270"}, {param.Angle, "upright", "upright"},
		{param.Colour, "a dark blue border", "#00008b"}, {param.Colour, "dark grey", "#404040"}, {param.Colour, "Red", "#ff0000"}, {param.Colour, "#FC0", "#ffcc00"},
		{param.Colour, "rgb(255, 204, 0)", "#ffcc00"}, {param.Colour, "transparent", "#00000000"},
		{param.Opacity, "semi transparent", "50%"}, {param.Opacity, "30% transparent", "70%"}, {param.Opacity, "40 %", "40%"},
		{param.Opacity, "at half opacity", "50%"}, {param.Opacity, "a quarter of the opacity", "25%"}, {param.Opacity, "two thirds transparent", "33.3333%"},
		{param.Opacity, "half-transparent", "50%"}, {param.Opacity, "three quarters opaque", "75%"}, {param.Opacity, "fully visible", "100%"},
		{param.Strength, "a little", "light"}, {param.Strength, "5 pixels", "5 px"},
		{param.Adjustment, "brighter and 30% more contrast", "brightness +20%, contrast +30%"}, {param.Adjustment, "sepia", "sepia"}, {param.Adjustment, "strong vignette", "vignette +40%"},
		{param.Condition, "price\n over 100", "price over 100"},
		{param.Metadata, `title "Blue Moon" and artist Ella`, `title="Blue Moon", artist="Ella"`},
		{param.Metadata, "artist: Queen; year: 1978; album: Jazz", `artist="Queen", album="Jazz", year="1978"`},
		{param.Metadata, "set the title of this song to It's Me and the genre to rock please", `title="It's Me", genre="rock"`},
		{param.Metadata, `the title to -map "0" = x\y`, `title="-map \"0\" = x\\y"`},
		{param.Metadata, "title The Year of the Cat, performer Al Stewart", `title="The Year of the Cat", artist="Al Stewart"`},
		{param.Metadata, `the artist of song.mp3 to Simon and Garfunkel and the year to 1968`, `artist="Simon and Garfunkel", year="1968"`},
		{param.Metadata, "title 'It's me' on this track", `title="It's me"`}, {param.Metadata, "title=A, title=B", `title="B"`},
		{param.Metadata, "its title to \"a\nb\"", `title="a b"`},
		{param.Text, "  in a calm\nvoice ", "in a calm voice"}, {param.Language, "German", "German"}, {param.Model, "flux", "flux"},
		{param.Format, "as a WAVE file", "wav"}, {param.Format, "mp4s", "mp4"},
	} {
		p := declared(c.typ)
		got, err := p.Read(c.words)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: Read(%q) = %q, %v, want %q", c.typ, c.words, got, err, c.want)
			continue
		}
		again, err := p.Read(got.String())
		if err != nil || again.String() != c.want {
			t.Errorf("%s: the canonical form %q reads as %q, %v", c.typ, c.want, again, err)
		}
	}
}

func declared(typ param.Type) param.Param {
	p := param.Param{Name: "setting", Type: typ, About: "a setting"}
	switch typ { //nolint:exhaustive // only these have choices
	case param.Colour:
		p.Clear = true
	case param.Choice:
		p.Choices = mirrors
	case param.Format:
		p.Choices = formats
	}
	return p
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for typ, texts := range map[param.Type][]string{
		param.Number: {"many", "1 or 2", "1e400", ""}, param.Integer: {"1.5", "some", "30 seconds", "2 MB", "100x100", "10 x 20 px"}, param.Boolean: {"perhaps"},
		param.Choice: {"sideways", "horizontal or vertical"}, param.Duration: {"long", "from 3 to 4 s", "3 parsecs"},
		param.TimeRange: {"purple", "0:10..0:05", "--0:05..end"}, param.TimeRanges: {"0:10..0:20,0:15..0:30", "0:10..end,0:20..0:30", "3 parsecs"},
		param.Moment: {"soon", "120%"}, param.Factor: {"0x", "200x", "-2x", "nicely"},
		param.Size: {"nicely", "0x0", "bigger and half the size", "-5 px"}, param.Aspect: {"0:5", "nice"},
		param.Sizes: {"100 px wide", "100 px wide and 200 px high", "3 sizes: 100 and 200", "10x10,20 wide,"}, param.FileSize: {"small", "0 MB", "8 parsecs"},
		param.Region: {"somewhere", "all but 20% at top left", "0 px at left", "20% at every side", "all but 50% at every side"}, param.Position: {"somewhere"}, param.Angle: {"a bit", "left or right"},
		param.Colour: {"loud", "#12345", "rgb(300,0,0)"}, param.Opacity: {"130%", "loud", "the transparent parts"}, param.Strength: {"purple", "-5 px"},
		param.Adjustment: {"nicer", "brighter but darker", "brightness +300%"}, param.Text: {"", " \n "},
		param.Moments:  {"every 30 seconds", "the last minute", "0:30 to 1:00", "3 parsecs", "0:00"},
		param.Interval: {"5 seconds", "every second frame", "every 0 seconds", "often"},
		param.Metadata: {"the title", "year soon", "nice tags", `title=""`, "title " + strings.Repeat("x", 200)}, param.Pages: {"some", "page 0"},
		param.Language: {strings.Repeat("x", 100)}, param.Format: {"a nice one", "pdf"},
	} {
		for _, text := range texts {
			got, err := declared(typ).Read(text)
			if err == nil {
				t.Errorf("%s: Read(%q) = %q, want a refusal", typ, text, got)
				continue
			}
			said := plan.Sentence(err, plan.Message{}).String()
			if !plan.Final(err) || !strings.Contains(said, "for example") && !strings.Contains(said, "name one of these") {
				t.Errorf("%s: Read(%q) is refused with %q", typ, text, said)
			}
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	read := func(typ param.Type, text string) param.Value {
		v, err := declared(typ).Read(text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	check := func(got, want any, ok bool) {
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%v: %s", ok, diff)
		}
	}
	passage, ok := param.As[quantity.Passage](read(param.TimeRange, "the last 20 seconds"))
	check(passage, quantity.Passage{From: -20 * time.Second}, ok)
	area, ok := param.As[quantity.Area](read(param.Region, "100x200+30+40"))
	check(area.Box, image.Rect(30, 40, 130, 240), ok)
	c, ok := param.As[color.NRGBA](read(param.Colour, "#ffcc0080"))
	check(c, color.NRGBA{255, 204, 0, 128}, ok)
	opacity, ok := param.As[float64](read(param.Opacity, "semi transparent"))
	check(opacity, 0.5, ok)
	bytes, ok := param.As[int64](read(param.FileSize, "2 MB"))
	check(bytes, int64(2_000_000), ok)
	turn, ok := param.As[param.Turn](read(param.Angle, "upright"))
	check(turn, param.Turn{Upright: true}, ok)
	shape, ok := param.As[param.Ratio](read(param.Aspect, "16:9"))
	check(shape, param.Ratio{Width: 16, Height: 9}, ok)
	if _, ok := param.As[int](read(param.Factor, "2x")); ok {
		t.Error("a factor is an int")
	}
	if _, ok := param.As[string](param.Value{}); ok || !(param.Value{}).IsZero() {
		t.Error("no value is a string")
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	low, high := 1.0, 10.0
	for _, c := range []struct {
		p    param.Param
		text string
		want string
	}{
		{param.Param{Name: "n", Type: param.Integer, Min: &low, Max: &high, Unit: " px"}, "30", `"30" is not possible here: it must be from 1 px to 10 px.`},
		{param.Param{Name: "n", Type: param.Factor, Min: &low}, "half", `"half" is not possible here: it must be at least 1.`},
		{param.Param{Name: "fade_in", Type: param.Duration, Max: &high, Unit: " s"}, "1 minute", `"1 minute" is not possible here: it must be at most 10 s.`},
		{param.Param{Name: "n", Type: param.Size, Unit: "px", Examples: []string{"512x512", "1024x768"}}, "half as large", `I cannot read "half as large" as a size. Try, for example, "512x512" or "1024x768".`},
		{param.Param{Name: "n", Type: param.Size, Min: &high, Unit: "%"}, "0.05x", `"0.05x" is not possible here: it must be at least 10%.`},
	} {
		_, err := c.p.Read(c.text)
		if said := plan.Sentence(err, plan.Message{}).String(); said != c.want || !plan.Final(err) {
			t.Errorf("%s of %s: %q, want %q", c.text, c.p.Type, said, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	one, two := 1.0, 2.0
	for _, c := range []struct {
		p    param.Param
		want string
	}{
		{param.Param{Name: "size", Type: param.Size, About: "the size", Optional: true, Default: "half"}, ""},
		{param.Param{Name: "Size", Type: param.Size, About: "x"}, "must consist of lower-case letters"},
		{param.Param{Name: "size", Type: param.Size}, "about is missing"},
		{param.Param{Name: "size", Type: "length", About: "x"}, `unknown type "length"; the types are adjustment, angle`},
		{param.Param{Name: "size", Type: param.Size, About: "x", Default: "half"}, "a default needs optional"},
		{param.Param{Name: "size", Type: param.Size, About: "x", Optional: true, Default: "purple"}, "bad default"},
		{param.Param{Name: "size", Type: param.Size, About: "x", Examples: []string{"50%", "purple"}}, "bad example"},
		{param.Param{Name: "size", Type: param.Colour, About: "x", Min: &one}, "cannot have min or max"},
		{param.Param{Name: "size", Type: param.Size, About: "x", Clear: true}, "only a colour"},
		{param.Param{Name: "c", Type: param.Colour, About: "x", Optional: true, Default: "transparent"}, "bad default"},
		{param.Param{Name: "n", Type: param.Number, About: "x", Min: &two, Max: &one}, "min 2 is above max 1"},
		{param.Param{Name: "way", Type: param.Choice, About: "x"}, "at least two choices"},
		{param.Param{Name: "size", Type: param.Size, About: "x", Choices: mirrors}, "only a choice or a format"},
		{param.Param{Name: "way", Type: param.Choice, About: "x", Choices: mirrors, Prevailing: []string{"aslant"}}, "is not a choice"},
	} {
		var said []string
		for _, err := range c.p.Check() {
			said = append(said, err.Error())
		}
		if all := strings.Join(said, "; "); c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%+v: %q, want %q", c.p, all, c.want)
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	low := 1.0
	for _, c := range []struct {
		p    param.Param
		want map[string]any
	}{
		{param.Param{Type: param.Integer, About: "how many", Min: &low}, map[string]any{"type": "integer", "description": "how many", "minimum": 1.0}},
		{param.Param{Type: param.Format, Choices: formats, About: "f"}, map[string]any{"type": "string", "description": "f", "enum": []string{"mp4", "wav", "webm"}}},
		{
			param.Param{Type: param.Position, About: "where", Optional: true, Default: "bottom"},
			map[string]any{
				"type": "string", "description": "where", "default": "bottom",
				"pattern": "^(top left|top|top right|left|centre|right|bottom left|bottom|bottom right)$",
			},
		},
		{param.Param{Type: param.Boolean, About: "b"}, map[string]any{"type": "boolean", "description": "b"}},
	} {
		if diff := cmp.Diff(c.want, c.p.Schema()); diff != "" {
			t.Error(diff)
		}
	}
}

// All types follow the same rules for any text: no panic, the canonical form parses to itself and
// matches the schema, and errors have a sentence.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"the first 5 seconds", "0:10..0:25", "-0:20..end", "50%", "800x600", "half", "2x", "all but 20% at bottom", "top left", "upright", "#fc0",
		"brightness +20%, sepia", "5 px", "8 MB", "16:9", "semi transparent", "yes", "-1", "horizontal", "mp4", "\x00", "999999999999999999", "１２",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range param.Types() {
			p := declared(param.Type(name))
			v, err := p.Read(text)
			if p.Reads(text) != (err == nil) {
				t.Errorf("%s: Reads(%q) is %v, and Read says %v", name, text, p.Reads(text), err)
			}
			if err != nil {
				if plan.Sentence(err, plan.Message{}).IsZero() {
					t.Errorf("%s: Read(%q) has no sentence: %v", name, text, err)
				}
				continue
			}
			again, err := p.Read(v.String())
			if err != nil || again.String() != v.String() {
				t.Errorf("%s: %q reads as %q, and that as %q, %v", name, text, v, again, err)
			}
			if pattern, ok := p.Schema()["pattern"].(string); ok && !matches(t, pattern, v.String()) {
				t.Errorf("%s: %q does not match %s", name, v, pattern)
			}
		}
	})
}

func matches(t *testing.T, pattern, text string) bool {
	t.Helper()
	re, err := regexp.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return re.MatchString(text)
}

func TestTypes(t *testing.T) {
	t.Parallel()
	if all := param.Types(); len(all) != 31 || !slices.IsSorted(all) {
		t.Errorf("types %v", all)
	}
	for _, c := range []struct {
		typ  param.Type
		unit quantity.Unit
		most int
	}{
		{param.TimeRange, quantity.Time, 2}, {param.Size, quantity.Pixels, 2}, {param.FileSize, quantity.ByteCount, 1}, {param.Integers, quantity.Pixels, 20}, {param.Angle, quantity.Degrees, 1},
	} {
		if !c.typ.Takes(c.unit) || c.typ.Takes(quantity.Density) || c.typ.Most() != c.most {
			t.Errorf("%s takes %v, at most %d", c.typ, c.typ.Takes(c.unit), c.typ.Most())
		}
	}
}
