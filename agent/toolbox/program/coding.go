package program

import (
	"slices"
	"strings"
)

// coding is how a stream is packed where the command line does not say it. All are options with their values.
type coding struct {
	codec, quality, more []string
}

// all are the options of a command line that says nothing of them.
func (c coding) all() []string { return slices.Concat(c.codec, c.quality, c.more) }

// stream is a kind of stream, as options name it: -b:a is the bit rate of the sound.
type stream byte

const (
	soundStream   stream = 'a'
	pictureStream stream = 'v'
)

// lacking are the options that a command line lacks. One that names the codec has its own way, and one that
// names a bit rate or a quality is never overruled.
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

// unsaid are the options with their values that were not said.
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

// full is the name of an option that has another one: https://ffmpeg.org/ffmpeg.html#Main-options
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

// said are the options of arguments that hold for a stream, by their names alone: "b" of "-b:a" and of "-b".
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
