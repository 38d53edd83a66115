package effect

import (
	"context"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
)

// spec defines how an effect is declared and judged.
type spec struct {
	// of reports for which result types it can be declared; result is what is measured.
	of     func(plan.Type) bool
	result Measure
	keys   map[string]key
	// needs lists keys of which a rule must have at least one.
	needs []string
	// either lists keys of which a rule may have at most one.
	either []string
	// judge says what the result lacks, or nothing.
	judge func(ctx context.Context, c *Case, rule map[string]string) plan.Message
}

// specs holds the effects by name. It is read-only.
var specs = table()

func table() map[string]spec {
	sideBySide := resource(Pixels, picture)
	return map[string]spec{
		"duration": {of: lasting, result: Head | Played, needs: []string{"of", "least"}, judge: duration, keys: map[string]key{
			"of": resource(Played, heard), "part": parameter(param.TimeRange, param.TimeRanges),
			"divided_by": parameter(param.Factor), "times": orNumber(1, parameter(param.Integer)), "between": parameter(param.Duration),
			"plus": parameter(param.Duration), "set": parameter(param.Duration), "overlapping": parameter(param.Duration), "by": choiceWith("none"),
			"most": aTime(), "least": aTime(), lone: oneOf("not longer", "not shorter"),
		}},
		"size": {of: seen, result: Head | Played, needs: []string{"of"}, judge: size,
			either: []string{"scaled_by", "within", "part", "turned_by"}, keys: map[string]key{
				"of": resource(Head|Played, seen), "scaled_by": parameter(param.Size, param.Sizes), "within": parameter(param.Size),
				"turned_by": parameter(param.Angle), "part": parameter(param.Region), "fits": aSize(), "shape": parameter(param.Aspect),
				lone: oneOf("larger", "not larger", "same shape"),
			}},
		"shape": {of: picture, result: Head, needs: []string{lone}, judge: square, keys: map[string]key{lone: oneOf("square")}},
		"shows": {of: picture, result: Head | Pixels, needs: []string{"of"}, judge: shows,
			either: []string{"boxes", "part", "turned_by", "mirrored"}, keys: map[string]key{
				"of": sideBySide, "part": parameter(param.Region), "boxes": resource(0, listed), "turned_by": parameter(param.Angle),
				"mirrored": choiceOf("horizontal", "vertical", "both"),
			}},
		"changed": {of: picture, result: Pixels, needs: []string{"of"}, judge: changed, keys: map[string]key{
			"of": sideBySide, "inside": resourceOr(Cover, covering, param.Region), "where": parameter(param.Choice),
		}},
		"unchanged": {of: picture, result: Pixels, needs: []string{"outside"}, judge: unchanged, keys: map[string]key{
			"of": sideBySide, "outside": resourceOr(Cover, covering, param.Region), "where": parameter(param.Choice),
		}},
		"colour": {of: picture, result: Pixels, needs: []string{lone}, judge: colour, keys: map[string]key{lone: oneOf("none")}},
		"transparency": {of: picture, result: Pixels, needs: []string{lone, "outside"}, judge: transparency, keys: map[string]key{
			lone: oneOf("some"), "outside": resource(Cover, covering), "unless": parameter(param.Colour),
		}},
		"detail": {of: picture, result: Pixels, needs: []string{lone}, judge: detail, keys: map[string]key{lone: oneOf("some")}},
		"sharpness": {of: picture, result: Head | Pixels, needs: []string{"below"}, judge: sharpness, keys: map[string]key{
			"below": sideBySide,
		}},
		"adjusted": {of: picture, result: Head | Pixels, needs: []string{"by"}, judge: adjusted, keys: map[string]key{
			"of": sideBySide, "by": parameter(param.Adjustment),
		}},
		"frames": {of: seen, result: Head | Played, needs: []string{"of", "like", "least"}, judge: frames, keys: map[string]key{
			"of": resource(0, picture), "like": resource(Head, picture), "least": aNumber(1),
		}},
		"format": {of: written, result: Head | Played, needs: []string{lone, "named_by"}, judge: format, keys: map[string]key{
			lone: aFormat(), "named_by": namedFormat(),
		}},
		"bytes": {of: plan.Type.Media, result: Head, needs: []string{"most", "below"}, judge: bytes, keys: map[string]key{
			"most": parameter(param.FileSize), "below": resource(Head, plan.Type.Media),
		}},
		"sound": {of: heard, result: Played, needs: []string{lone, "like", "most"}, judge: sound, keys: map[string]key{
			lone: oneOf("some", "none"), "like": resource(Played, heard), "most": resource(Played, heard), "unless": parameter(param.TimeRange),
		}},
		"loudness": {of: heard, result: Played | Loudness, needs: []string{lone, "near", "by"},
			judge: loudness, either: []string{"near", "by"}, keys: map[string]key{
				lone: oneOf("audible"), "near": orNumber(-70, parameter(param.Number)), "of": resource(Loudness, heard),
				"by": parameter(param.Volume), "unless": parameter(param.TimeRange),
			}},
		"bit_rate": {of: soundOnly, result: Head | Played, needs: []string{"near"}, judge: bitRate, keys: map[string]key{
			"near": orNumber(1, parameter(param.Number)),
		}},
		"files": {of: anyType, needs: []string{lone, "most"}, judge: files, keys: map[string]key{
			lone: aNumber(1), "most": resource(0, listed),
		}},
		"items":  {of: listed, needs: []string{"most"}, judge: items, keys: map[string]key{"most": resource(0, listed)}},
		"length": {of: worded, needs: []string{"below", "most"}, judge: length, keys: map[string]key{"below": resource(0, worded), "most": aNumber(1)}},
		"language": {of: worded, needs: []string{"of", "named_by"}, judge: inLanguage, keys: map[string]key{
			"of": resource(0, worded), "named_by": parameter(param.Language),
		}},
		"number": {of: worded, needs: []string{lone}, judge: number, keys: map[string]key{lone: oneOf("some")}},
		"holds":  {of: readable, result: Words, needs: []string{lone}, judge: holds, keys: map[string]key{lone: resource(0, worded)}},
		"speech": {of: heard, result: Played, needs: []string{"of"}, judge: speech, keys: map[string]key{"of": resource(0, worded)}},
	}
}
