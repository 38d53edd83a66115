package template

import (
	"errors"
	"testing"
)

// TestUnguarded: count, way, caption and logo may be absent; "" means that the recipe handles this.
func TestUnguarded(t *testing.T) {
	t.Parallel()
	fault := func(where, arg string) string {
		return where + ": " + arg + " is optional and may be absent; give it a default, or check given(" + arg + ")"
	}
	for text, want := range map[string]string{
		`argv: [x, "{count}", "{out:mp4}"]`:                                                                                           fault("argv", "count"),
		`argv: [x, "n={1 - 1 / count}", "{out:mp4}"]`:                                                                                 fault("argv", "count"),
		`argv: [x, "{logo.width}", "{out:mp4}"]`:                                                                                      fault("argv", "logo"),
		`argv: [x, "{file:caption}", "{out:mp4}"]`:                                                                                    fault("argv", "caption"),
		`argv: [x, "{out:way}"]`:                                                                                                      fault("argv", "way"),
		`argv: [x, {text: ["{count}"]}, "{out:mp4}"]`:                                                                                 fault("argv", "count"),
		`argv: [x, {each: clips, then: ["{count}"]}, "{out:mp4}"]`:                                                                    fault("argv", "count"),
		`argv: [x, "{if(count, 1, count)}", "{out:mp4}"]`:                                                                             fault("argv", "count"),
		`argv: [x, {if: way, then: ["{count}"]}, "{out:mp4}"]`:                                                                        fault("argv", "count"),
		`argv: [x, {if: count, then: [a], else: ["{count}"]}, "{out:mp4}"]`:                                                           fault("argv", "count"),
		`argv: [x, {if: count or video.sound, then: ["{count}"]}, "{out:mp4}"]`:                                                       fault("argv", "count"),
		`argv: [x, {if: not count, then: ["{count}"]}, "{out:mp4}"]`:                                                                  fault("argv", "count"),
		`argv: [x, {if: count < 3, then: ["{count}"]}, "{out:mp4}"]`:                                                                  fault("argv", "count"),
		"let: {half: count / 2, twice: half * 4}\nargv: [x, \"{twice}\", \"{out:mp4}\"]":                                              fault("argv", "count"),
		"first: [x, \"{count}\", \"{out:pdf}\"]\nargv: [x, \"{made}\", \"{out:mp4}\"]":                                                fault("argv", "count"),
		"length: video.duration + count\nargv: [x, \"{out:mp4}\"]":                                                                    fault("length", "count"),
		"times: count\nargv: [x, \"{out:mp4}\"]":                                                                                      fault("times", "count"),
		"notes: \"{count} of them\"\nargv: [x, \"{out:mp4}\"]":                                                                        fault("notes", "count"),
		"refuse: [{if: way = 'in', say: \"{count}\"}]\nargv: [x, \"{out:mp4}\"]":                                                      fault("refuse", "count"),
		`argv: [x, {if: count, then: ["{count}", "{if(way, way, 'in')}"]}, "{out:mp4}"]`:                                              "",
		`argv: [x, {if: given(count), then: ["{count}"]}, "{out:mp4}"]`:                                                               "",
		`argv: [x, {if: not given(count), then: [a], else: ["{count}"]}, "{out:mp4}"]`:                                                "",
		`argv: [x, {if: count and video.sound, then: ["{1 / count}"]}, "{out:mp4}"]`:                                                  "",
		`argv: [x, {if: not (video.sound and count), then: [a], else: ["{count}"]}, "{out:mp4}"]`:                                     "",
		`argv: [x, {if: way = 'in', then: ["{out:way}"], else: ["{out:mp4}"]}]`:                                                       "",
		`argv: [x, {if: count > 3, then: ["{count}"]}, "{out:mp4}"]`:                                                                  "",
		`argv: [x, {if: logo, then: ["{logo}", "{logo.width}"]}, "{out:mp4}"]`:                                                        "",
		`argv: [x, "{(count > 3) + given(way)}", "{video.width}", "{out:mp4}"]`:                                                       "",
		"let: {half: \"if(count, count / 2, 1)\", on: given(way)}\nargv: [x, \"{half}\", {if: on, then: [\"{way}\"]}, \"{out:mp4}\"]": "",
		"refuse: [{if: count > 3, say: \"{count}\"}]\nargv: [x, \"{out:mp4}\"]":                                                       "",
	} {
		r, err := recipe(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		checkFaults(t, text, r.Unguarded([]string{"count", "way", "caption", "logo"}), want)
	}
	for text, want := range map[string]string{
		`{url: "https://h/{way}"}`:                                                 fault("url", "way"),
		`{url: "https://h/", json: {a: [{b: "{2 * count}"}]}}`:                     fault("json", "count"),
		`{url: "https://h/", query: {a: "{2 * count}"}}`:                           fault("query a", "count"),
		`{url: "https://h/", headers: {X-A: "{-count}"}}`:                          fault("header X-A", "count"),
		`{url: "https://h/", form: {a: {if: way, then: "{2 * count}"}}}`:           fault("form a", "count"),
		`{url: "https://h/", body: "{2 * count}"}`:                                 fault("body", "count"),
		`{url: "https://h/{if(way, way, 'in')}", json: {a: "{count}"}}`:            "",
		`{url: "https://h/", json: {a: {if: count, then: "{2 * count}"}}}`:         "",
		`{url: "https://h/", form: {a: "x{way}", b: "{if(count, 1 / count, 2)}"}}`: "",
	} {
		checkFaults(t, text, readRequest(t, text).Unguarded([]string{"count", "way"}), want)
	}
}

// checkFaults compares the faults of a text; "" means none.
func checkFaults(t *testing.T, text string, faults []error, want string) {
	t.Helper()
	said := ""
	if err := errors.Join(faults...); err != nil {
		said = err.Error()
	}
	if said != want {
		t.Errorf("%s: %q, want %q", text, said, want)
	}
}
