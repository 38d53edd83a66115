package param

import (
	"fmt"
	"image"
	"math"

	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// Ratio is an aspect ratio.
type Ratio struct{ Width, Height float64 }

// Turn is a clockwise rotation in degrees, from 0 up to 360.
type Turn struct {
	Degrees float64
	// Upright means to apply the camera's orientation instead.
	Upright bool
}

// percentOf returns a size as a percentage; NaN, which no bound rejects, for sizes in pixels.
func percentOf(data any) float64 {
	if z := as[quantity.Sizing](data); z.Factor > 0 {
		return 100 * z.Factor
	}
	return math.NaN()
}

// pictureTypes are sizes, positions, colours and adjustments.
func pictureTypes() map[Type]kind {
	const aSize = `(\d+x\d+|\d+ (wide|high|longest)( at most)?|\d+(\.\d+)?%)`
	const change = `((brightness|contrast|saturation|warmth|sharpness) [+-]\d+(\.\d+)?%|vignette \+\d+(\.\d+)?%|exposure [+-]\d+(\.\d+)?|sepia|invert)`
	const places = `(top left|top|top right|left|centre|right|bottom left|bottom|bottom right)`
	return map[Type]kind{
		Size: {
			about: plan.Say("a size"), examples: []string{"half as large", "50%", "twice as big", "800x600", "800 px wide"},
			meaning: plan.Amount, most: 2,
			units:   []quantity.Unit{quantity.Pixels, quantity.Percent, quantity.Factor, quantity.Share, quantity.Number},
			pattern: `^` + aSize + `$`,
			parse:   parseSize, read: readWith(quantity.Size), format: printSize, measure: percentOf,
		},
		Sizes: {
			about: plan.Say("several sizes"), examples: []string{"64, 96 px", "25, 50%", "100, 200 and 400 px wide"},
			meaning: plan.Amount, most: 20,
			units:   []quantity.Unit{quantity.Pixels, quantity.Percent, quantity.Number},
			pattern: `^` + aSize + `(,` + aSize + `)+$`,
			parse:   parseSizes, read: readWith(quantity.Sizes),
			format: func(data any) string {
				var all []string
				for _, z := range as[[]quantity.Sizing](data) {
					all = append(all, printSize(z))
				}
				return strings.Join(all, ",")
			},
		},
		Aspect: {
			about: plan.Say("a shape"), examples: []string{"16:9", "square", "vertical"}, meaning: plan.Amount,
			units: []quantity.Unit{quantity.Ratio, quantity.Clock}, most: 1, pattern: `^\d+(\.\d+)?:\d+(\.\d+)?$`,
			parse: parseRatio, read: readAspect, format: printRatio,
		},
		Region: {
			about: plan.Say("a part of a picture"), meaning: plan.Place, most: 4,
			examples: []string{"the left half", "top right quarter", "a square", "16:9", "100x200+30+40"},
			units:    []quantity.Unit{quantity.Pixels, quantity.Percent, quantity.Share, quantity.Ratio, quantity.Clock, quantity.Number},
			pattern: `^(\d+x\d+\+\d+\+\d+|(all but )?(\d+x\d+|\d+(\.\d+)?:\d+(\.\d+)?|\d+ px|\d+(\.\d+)?%) at ` + places +
				`|all but (\d+ px|\d+(\.\d+)?%) at (every side|left and right|top and bottom))$`,
			parse: parseRegion, read: readWith(quantity.Region), format: printRegion,
		},
		Position: {
			about: plan.Say("a place on a picture"), examples: []string{"top left", "centre", "bottom"}, meaning: plan.Place, most: 1,
			pattern: `^` + places + `$`,
			parse:   parseWith(parsePlace), read: readWith(quantity.Place),
			format: func(data any) string {
				a := as[quantity.Anchor](data)
				return placeName(a)
			},
		},
		Angle: {
			about: plan.Say("an angle"), examples: []string{"90 degrees", "left", "upside down", "45 degrees counter-clockwise"},
			meaning: plan.Amount, units: []quantity.Unit{quantity.Degrees, quantity.Factor, quantity.Share, quantity.Number}, most: 1,
			pattern: `^(upright|\d+(\.\d+)?)$`,
			parse:   parseTurn, read: readTurn, format: printTurn,
		},
		Colour: {
			about: plan.Say("a colour"), examples: []string{"red", "dark blue", "#ffcc00"}, meaning: plan.Amount, most: 1,
			pattern: `^#[0-9a-f]{6}([0-9a-f]{2})?$`,
			parse:   parseColour, read: readColour, format: printColour,
		},
		Adjustment: {
			about:    plan.Say("a change of light or colour"),
			examples: []string{"brighter", "20% darker", "more contrast", "less colourful", "warmer", "sepia", "invert", "vignette", "exposure +1.5"},
			meaning:  plan.Instruction, most: 7,
			pattern: `^` + change + `(, ` + change + `)*$`,
			parse:   parseAdjustment, read: readWith(quantity.Adjust), format: printAdjustment,
		},
	}
}

var (
	bothSides = lazyregexp.New(`^(\d{1,6})x(\d{1,6})$`)
	oneSide   = lazyregexp.New(`^(\d{1,6}) (wide|high|longest)( at most)?$`)
	ratio     = lazyregexp.New(`^(\d{1,6}(?:\.\d{1,6})?):(\d{1,6}(?:\.\d{1,6})?)$`)
	box       = lazyregexp.New(`^(\d{1,6})x(\d{1,6})\+(\d{1,6})\+(\d{1,6})$`)
)

func integer(s string) int {
	v, err := strconv.Atoi(s)
	if err != nil {
		return 0 // the patterns match digits only
	}
	return v
}

func parseSize(p Param, s string) (any, bool) {
	if m := bothSides.FindStringSubmatch(s); m != nil {
		z := quantity.Sizing{Width: integer(m[1]), Height: integer(m[2])}
		return z, z.Width > 0 && z.Height > 0
	}
	if m := oneSide.FindStringSubmatch(s); m != nil {
		z, n := quantity.Sizing{AtMost: m[3] != ""}, integer(m[1])
		switch m[2] {
		case "wide":
			z.Width = n
		case "high":
			z.Height = n
		default:
			z.Longest = n
		}
		return z, n > 0
	}
	s, ok := strings.CutSuffix(s, "%")
	v, isNumber := parseNumber(s)
	inPixels := p.Unit == "px" // of something new, so there is nothing to multiply
	return quantity.Sizing{Factor: v / 100}, ok && isNumber && v >= 0.1 && v <= 100_000 && !inPixels
}

func parseSizes(p Param, s string) (any, bool) {
	var all []quantity.Sizing
	for one := range strings.SplitSeq(s, ",") {
		z, ok := parseSize(p, one)
		if !ok {
			return nil, false
		}
		all = append(all, as[quantity.Sizing](z))
	}
	return all, len(all) > 1 && len(all) <= 20
}

func printSize(data any) string {
	z := as[quantity.Sizing](data)
	switch {
	case z.Width > 0 && z.Height > 0:
		return fmt.Sprintf("%dx%d", z.Width, z.Height)
	case z.Factor > 0:
		return printPercent(z.Factor)
	}
	n, side := z.Longest, "longest"
	switch {
	case z.Width > 0:
		n, side = z.Width, "wide"
	case z.Height > 0:
		n, side = z.Height, "high"
	}
	if z.AtMost {
		side += " at most"
	}
	return fmt.Sprintf("%d %s", n, side)
}

func parseRatio(_ Param, s string) (any, bool) {
	m := ratio.FindStringSubmatch(s)
	if m == nil {
		return nil, false
	}
	w, _ := parseNumber(m[1])
	h, _ := parseNumber(m[2])
	return Ratio{w, h}, w > 0 && h > 0
}

// readAspect parses "16:9", "4 by 5", "square", "vertical" and "widescreen".
func readAspect(p Param, s string) (any, bool) {
	s = strings.ToLower(s)
	if m := spokenRatio.FindStringSubmatch(s); m != nil {
		v, ok := parseRatio(p, m[1]+":"+m[2])
		if said, isRatio := v.(Ratio); isRatio {
			turned := quantity.Oriented(s, said.Width, said.Height)
			v = Ratio{turned[0], turned[1]}
		}
		return v, ok
	}
	width, height, ok := quantity.Shape(s)
	return Ratio{width, height}, ok
}

var spokenRatio = lazyregexp.New(`(?:^|[^\d:.])(\d{1,3}(?:\.\d{1,3})?) ?(?::|x|by|to|/) ?(\d{1,3}(?:\.\d{1,3})?)(?:$|[^\d:.])`)

func printRatio(data any) string {
	r := as[Ratio](data)
	return decimal(r.Width) + ":" + decimal(r.Height)
}

// parsePlace parses the name of one of the nine positions.
func parsePlace(s string) (quantity.Anchor, bool) {
	for y := -1; y <= 1; y++ {
		for x := -1; x <= 1; x++ {
			if a := (quantity.Anchor{X: x, Y: y}); placeName(a) == s {
				return a, true
			}
		}
	}
	return quantity.Anchor{}, false
}

func placeName(a quantity.Anchor) string {
	vertical := map[int]string{-1: "top", 1: "bottom"}[a.Y]
	horizontal := map[int]string{-1: "left", 1: "right"}[a.X]
	if vertical == "" && horizontal == "" {
		return "centre"
	}
	return strings.TrimSpace(vertical + " " + horizontal)
}

// parseRegion parses "100x200+30+40" (width, height, left, top), or a size and a position: "640x480 at
// top left", "16:9 at centre", "100 px at left", "all but 20% at bottom".
func parseRegion(_ Param, s string) (any, bool) {
	if m := box.FindStringSubmatch(s); m != nil {
		at := image.Pt(integer(m[3]), integer(m[4]))
		a := quantity.Area{Box: image.Rectangle{Min: at, Max: at.Add(image.Pt(integer(m[1]), integer(m[2])))}}
		return a, !a.Box.Empty()
	}
	s, rest := strings.CutPrefix(s, "all but ")
	size, where, _ := strings.Cut(s, " at ")
	anchor, ok := parsePlace(where)
	a := quantity.Area{Anchor: anchor, Rest: rest}
	corner := anchor.X != 0 && anchor.Y != 0
	rim, around := rims[where]
	if around && rest {
		a, ok, rest = quantity.Area{Rim: rim}, true, false
	}
	if !ok || around && a.Rim != rim || rest && (corner || anchor == quantity.Anchor{}) {
		return nil, false
	}
	if m := bothSides.FindStringSubmatch(size); m != nil && !around {
		a.Width, a.Height = integer(m[1]), integer(m[2])
		return a, a.Width > 0 && a.Height > 0 && !rest
	}
	if v, ok := parseRatio(Param{}, size); ok && !around {
		r := as[Ratio](v)
		a.Ratio = [2]float64{r.Width, r.Height}
		return a, !rest
	}
	if px, ok := strings.CutSuffix(size, " px"); ok {
		v, isNumber := parseNumber(px)
		a.Strip = int(v)
		return a, isNumber && a.Strip > 0 && a.Strip < 1e6
	}
	v, ok := parsePercent(Param{}, size)
	a.Share = as[float64](v)
	return a, ok && a.Share > 0 && (a.Share <= 1 && !around || a.Share < 0.5)
}

// rims maps the names of opposite sides, and of all four, to axes.
var rims = map[string]quantity.Axes{"every side": {X: true, Y: true}, "left and right": {X: true}, "top and bottom": {Y: true}}

func printRegion(data any) string {
	a := as[quantity.Area](data)
	if !a.Box.Empty() {
		return fmt.Sprintf("%dx%d+%d+%d", a.Box.Dx(), a.Box.Dy(), a.Box.Min.X, a.Box.Min.Y)
	}
	var size string
	switch {
	case a.Width > 0:
		size = fmt.Sprintf("%dx%d", a.Width, a.Height)
	case a.Ratio[1] > 0:
		size = printRatio(Ratio{a.Ratio[0], a.Ratio[1]})
	case a.Strip > 0:
		size = strconv.Itoa(a.Strip) + " px"
	default:
		size = printPercent(a.Share)
	}
	for name, rim := range rims {
		if a.Rim == rim {
			return "all but " + size + " at " + name
		}
	}
	if a.Rest {
		size = "all but " + size
	}
	return size + " at " + placeName(a.Anchor)
}

func parseTurn(_ Param, s string) (any, bool) {
	if s == "upright" {
		return Turn{Upright: true}, true
	}
	v, ok := parseNumber(s)
	return Turn{Degrees: v}, ok && v >= 0 && v < 360
}

func readTurn(_ Param, s string) (any, bool) {
	if quantity.Upright(s) {
		return Turn{Upright: true}, true
	}
	v, ok := quantity.Angle(s)
	return Turn{Degrees: v}, ok
}

func printTurn(data any) string {
	t := as[Turn](data)
	if t.Upright {
		return "upright"
	}
	return decimal(round(t.Degrees))
}

// parseAdjustment parses "brightness +20%, exposure -1.5, sepia".
func parseAdjustment(_ Param, s string) (any, bool) {
	var all []quantity.Adjustment
	for one := range strings.SplitSeq(s, ", ") {
		name, by, measured := strings.Cut(one, " ")
		a := quantity.Adjustment{Property: quantity.Property(name), By: 1}
		switch a.Property {
		case quantity.Sepia, quantity.Invert:
			if measured {
				return nil, false
			}
		case quantity.Brightness, quantity.Contrast, quantity.Saturation, quantity.Warmth, quantity.Sharpness, quantity.Vignette:
			digits, ok := strings.CutSuffix(strings.TrimPrefix(by, "+"), "%")
			v, isNumber := parseNumber(digits)
			if !ok || !isNumber || v == 0 || v < -100 || v > 100 || v < 0 && a.Property == quantity.Vignette {
				return nil, false
			}
			a.By = v / 100
		case quantity.Exposure:
			v, ok := parseNumber(strings.TrimPrefix(by, "+"))
			if !ok || v == 0 || v < -quantity.MaxStops || v > quantity.MaxStops {
				return nil, false
			}
			a.By = v
		default:
			return nil, false
		}
		all = append(all, a)
	}
	return all, true
}

func printAdjustment(data any) string {
	all := as[[]quantity.Adjustment](data)
	var said []string
	for _, a := range all {
		switch a.Property {
		case quantity.Sepia, quantity.Invert:
			said = append(said, string(a.Property))
		case quantity.Exposure:
			said = append(said, fmt.Sprintf("%s %s%s", a.Property, sign(a.By), decimal(a.By)))
		default:
			said = append(said, fmt.Sprintf("%s %s%s%%", a.Property, sign(a.By), decimal(round(100*a.By))))
		}
	}
	return strings.Join(said, ", ")
}

// sign returns the sign of a positive number; formatting adds that of a negative one.
func sign(by float64) string {
	if by > 0 {
		return "+"
	}
	return ""
}
