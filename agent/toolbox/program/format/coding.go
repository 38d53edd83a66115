// Package format holds the formats of sound and video as options of ffmpeg: codecs, quality, and what makes a file
// play everywhere. It never overrides what a command line sets.
package format

import (
	"slices"
	"strings"
)

// Coding holds the default encoder options of a stream. Each list alternates options and values.
type Coding struct {
	Codec, Quality, More []string
}

// All returns all options.
func (c Coding) All() []string { return slices.Concat(c.Codec, c.Quality, c.More) }

// Stream is a kind of stream, by the letter that options use: -b:a is the audio bit rate.
type Stream byte

// The streams of a file that have formats.
const (
	SoundStream   Stream = 'a'
	PictureStream Stream = 'v'
)

// Lacking returns the options to add to a command line. If it names a codec, none are added, and
// a bit rate or quality that it sets is never overridden.
func (c Coding) Lacking(args []string, of Stream) []string {
	said := of.Said(args)
	if said["c"] || said[string(of)+"n"] {
		return nil
	}
	all := slices.Clone(c.Codec)
	if !said["b"] && !said["q"] && !said["crf"] && !said["qp"] {
		all = append(all, c.Quality...)
	}
	return append(all, of.Unsaid(c.More, args)...)
}

// Unsaid returns the options, with their values, that the arguments do not set for the stream.
func (s Stream) Unsaid(options, args []string) []string {
	said := s.Said(args)
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

// Said returns the options that apply to a stream, by bare name: "b" for "-b:a" and "-b".
func (s Stream) Said(args []string) map[string]bool {
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

// Has reports whether any of the options is given.
func Has(args []string, options ...string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(options, a) })
}
