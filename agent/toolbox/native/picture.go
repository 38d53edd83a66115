package native

import (
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// edit changes one picture, which it may draw upon: nobody else has it.
type edit func(ctx context.Context, p media.Picture, c toolbox.Call) (edited, error)

// edited is what an edit made.
type edited struct {
	img    image.Image
	format media.Format // "" for that of the input, where it can be written
	about  plan.Message
	note   plan.Message
}

// editing makes an operation of an edit of the argument "image". Each frame of a GIF is
// edited, where it stays one.
func (n *Native) editing(e edit) operation { return n.editingArg("image", e) }

func (n *Native) editingArg(arg string, e edit) operation {
	return func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		p, err := n.picture(ctx, c, arg)
		if err != nil {
			return toolbox.Output{}, err
		}
		r, err := e(ctx, p, c)
		if err != nil {
			return toolbox.Output{}, err
		}
		if animated := p.Info.Frames > 1 && p.Info.MIME == "image/gif"; !animated || r.format != "" && r.format != media.GIF {
			return save(ctx, c, 0, p, r)
		}
		out := toolbox.Output{Path: outputPath(c, 0, media.GIF), About: r.about, Note: r.note}
		return out, media.EditGIF(ctx, c.Args[arg][0].Path, out.Path, n.limits, func(frame *image.NRGBA) (*image.NRGBA, error) {
			r, err := e(ctx, media.Picture{Info: p.Info, Image: frame}, c)
			if err != nil {
				return nil, err
			}
			return media.ToNRGBA(r.img), nil
		})
	}
}

// problem is an error with only a sentence for people.
func problem(format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...)}
}

// refusal is a problem with what a person asked for in so many words: nothing else may
// stand in for it.
func refusal(format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Final: true}
}

// oneOrMany is the message for one thing, or the one for several.
func oneOrMany(n int, one, many plan.Message) plan.Message {
	if n > 1 {
		return many
	}
	return one
}

// file is the path of the media argument.
func file(c toolbox.Call, arg string) (string, error) {
	vs := c.Args[arg]
	if len(vs) == 0 || vs[0].Path == "" {
		return "", &plan.Fault{Sentence: plan.Say("The picture to work on is missing."), Err: fmt.Errorf("no file for the argument %q", arg)}
	}
	return vs[0].Path, nil
}

// picture reads the picture argument.
func (n *Native) picture(ctx context.Context, c toolbox.Call, arg string) (media.Picture, error) {
	path, err := file(c, arg)
	if err != nil {
		return media.Picture{}, err
	}
	return media.ReadPicture(ctx, path, n.limits)
}

// save writes what was made of p as the call's output number i.
func save(ctx context.Context, c toolbox.Call, i int, p media.Picture, r edited) (toolbox.Output, error) {
	if r.format == "" {
		r.format = media.FormatFor(p.Info.Ext)
	}
	if p.Info.Frames > 1 {
		r.note = plan.Sentences(r.note, plan.Say("Only the first frame of the animation was used."))
	}
	path := outputPath(c, i, r.format)
	if err := media.EncodeImage(ctx, path, r.img, r.format); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: r.about, Note: r.note}, nil
}

// outputPath is where the call's picture number i is written.
func outputPath(c toolbox.Call, i int, f media.Format) string {
	return filepath.Join(c.Dir, fmt.Sprintf("picture-%d.%s", i+1, f))
}

// checkSize refuses a new picture that would be unreasonably large.
func (n *Native) checkSize(w, h int) error {
	const longest = 30_000
	if w > longest || h > longest || int64(w)*int64(h) > n.limits.Pixels {
		return refusal("That would make a picture of %d × %d pixels; at most %d million pixels and %d on a side can be made, so ask for a smaller size.",
			w, h, max(n.limits.Pixels/1_000_000, 1), longest)
	}
	return nil
}

// collect makes one output of several.
func collect(outs []toolbox.Output) (toolbox.Output, error) {
	if len(outs) == 0 {
		return toolbox.Output{}, errors.New("nothing was made")
	}
	first := outs[0]
	first.More = outs[1:]
	return first, nil
}
