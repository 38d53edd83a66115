package ffmpeg

import (
	"fmt"
	"slices"
	"strconv"

	"atelier/agent/lazyregexp"
)

// Command lines address the picture and the sound of an input as 0:V:0 and 0:a:0.
var (
	mapped = lazyregexp.New(`^(\d+):([Vva]):0\??$`)
	linked = lazyregexp.New(`\[(\d+):([Vva])(?::0)?\]`)
)

// addressed resolves the addresses in a job's arguments to the streams that were probed. The first stream of a file may be
// empty, so its number is not always 0. Frames become plain before anything else is done with them. Pictures and files without the stream keep
// their addresses.
func (b *workFolder) addressed(args []string) []string {
	var picture *Stream // what -vf filters
	if len(b.looks) > 0 {
		picture = b.looks[0].Video()
	}
	args = slices.Clone(args)
	for i := 1; i < len(args); i++ {
		switch args[i-1] {
		case "-map":
			s, input := b.stream(mapped, args[i])
			if s == nil {
				continue
			}
			if args[i] = s.Of(input); s.Kind == "video" {
				picture = s
			}
		case "-filter_complex":
			args[i] = b.graph(args[i])
		}
	}
	if i := 1 + slices.Index(args, "-vf"); i > 0 && i < len(args) && picture != nil {
		args[i] = picture.Plain + args[i]
	}
	return args
}

// graph resolves the addresses in a filter graph.
func (b *workFolder) graph(text string) string {
	plain, count := "", 0
	text = linked.ReplaceAllStringFunc(text, func(address string) string {
		s, input := b.stream(linked, address)
		if s == nil {
			return address
		}
		from := "[" + s.Of(input) + "]"
		if s.Plain == "" {
			return from
		}
		label := fmt.Sprintf("[plain%d]", count)
		plain += from + s.Plain + "null" + label + ";"
		count++
		return label
	})
	return plain + text
}

// stream returns the stream that an address names and the number of its input, or nil if there is no such stream.
func (b *workFolder) stream(form lazyregexp.Regexp, address string) (*Stream, int) {
	m := form.FindStringSubmatch(address)
	if m == nil {
		return nil, 0
	}
	input, err := strconv.Atoi(m[1])
	if err != nil || input >= len(b.looks) {
		return nil, 0
	}
	if m[2] == "a" {
		return b.looks[input].Audio(), input
	}
	return b.looks[input].Video(), input
}
