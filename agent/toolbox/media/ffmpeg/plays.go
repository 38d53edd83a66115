package ffmpeg

import (
	"context"

	"atelier/agent/toolbox/media"
)

// beginning is how many seconds are decoded to check whether a file plays.
const beginning = "2"

// Plays inspects an audio or video file like Look, and decodes its beginning. It also fails if nothing can be decoded.
func (f *FFmpeg) Plays(ctx context.Context, path string) (Look, error) {
	found, err := f.programs()
	if err != nil {
		return Look{}, err
	}
	s, err := f.open(ctx, found, path, false)
	if err != nil {
		return Look{}, err
	}
	if s.plays {
		return s.look, nil
	}
	var streams []string
	for _, stream := range []*Stream{s.look.Video(), s.look.Audio()} {
		if stream != nil {
			streams = append(streams, "-map", stream.Of(0))
		}
	}
	err = s.begin(ctx, streams...)
	switch {
	case ctx.Err() != nil:
		return Look{}, media.Stopped(ctx)
	case err != nil:
		return Look{}, s.damaged(ctx, err)
	}
	return s.look, nil
}

// begin decodes the beginning of the streams.
func (s *source) begin(ctx context.Context, streams ...string) error {
	_, err := s.run(ctx, s.programs.ffmpeg, 1<<10, s.args([]string{"-nostdin", "-xerror"}, append(streams, "-t", beginning, "-f", "null", "-")...))
	return err
}
