package program

import (
	"slices"
	"strings"
)

// coding holds the default encoder options of a stream. Each list alternates options and values.
type coding struct {
	codec, quality, more []string
}

// all returns all options.
func (c coding) all() []string { return slices.Concat(c.codec, c.quality, c.more) }

// stream is a kind of stream, by the letter that options use: -b:a is the audio bit rate.
type stream byte

const (
	soundStream   stream = 'a'
	pictureStream stream = 'v'
)

// lacking returns the options to add to a command line. If it names a codec, none are added, and
// a bit rate or quality that it sets is never overridden.
func (c coding) lacking(args []string, of stream) []string {
	said := of.said(args)
	if said["c"] || said[string(of)+"n"] {
		return nil
	}
	all := slices.Clone(c.codec)
	if !said["b"] && !said["q"] && !said["crf"] && !said["qp"] {
		all = append(all, c.quality...)
	}
	return append(all, unsaid(c.more, said)...)
}

// unsaid returns the options, with their values, that are not set yet.
func unsaid(options []string, said map[string]bool) []string {
	var all []string
	for pair := range slices.Chunk(options, 2) {
		name, _, _ := strings.Cut(strings.TrimPrefix(pair[0], "-"), ":")
		if !said[name] {
			all = append(all, pair...)
		}
	}
	return all
}

// full returns the canonical name of an option: https://ffmpeg.org/ffmpeg.html#Main-options
func full(option string) string {
	name, of, _ := strings.Cut(option, ":")
	other := map[string]string{
		"codec": "c", "vcodec": "c:v", "acodec": "c:a", "qscale": "q", "vb": "b:v", "ab": "b:a", "aq": "q:a",
	}[name]
	switch {
	case other == "":
		return option
	case of == "":
		return other
	}
	return other + ":" + of
}

// said returns the options that apply to a stream, by bare name: "b" for "-b:a" and "-b".
func (s stream) said(args []string) map[string]bool {
	all := map[string]bool{}
	for _, a := range args {
		option, ok := strings.CutPrefix(a, "-")
		if !ok {
			continue
		}
		name, of, _ := strings.Cut(full(option), ":")
		if of == "" || strings.EqualFold(of[:1], string(s)) || of[0] >= '0' && of[0] <= '9' {
			all[name] = true
		}
	}
	return all
}

// has reports whether any of the options is given.
func has(args []string, options ...string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(options, a) })
}
