package webapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/metadata"
	"atelier/agent/toolbox/template"
)

const (
	// maxSent is the largest file to send, in bytes.
	maxSent = 64 << 20
	// maxSentInAll is the limit for all files of a call.
	maxSentInAll = 2 * maxSent
	// sentQuality is the JPEG quality of sent photos.
	sentQuality = 95
)

// uploads prepares the files of one call for sending. It is not safe for concurrent use.
type uploads struct {
	ctx    context.Context //nolint:containedctx // it lives as long as the call
	call   toolbox.Call
	limits media.Limits
	done   map[string]template.Upload
	bytes  int64 // total size so far
}

// file returns the file of an argument, or of one of its values ([template.Item]).
func (u *uploads) file(arg string) (template.Upload, error) {
	if known, ok := u.done[arg]; ok {
		return known, nil
	}
	v, name, err := u.value(arg)
	if err != nil {
		return template.Upload{}, err
	}
	read := u.recording
	if v.Type.Fits(plan.Image) {
		read = u.picture
	}
	made, err := read(v)
	if err != nil {
		return template.Upload{}, err
	}
	if size := int64(len(made.Content)); size > maxSent {
		has, most := plan.Oversize(size, maxSent)
		return template.Upload{}, &plan.Fault{
			Sentence: plan.Say("The file is too large to send: it has %s, and the limit is %s; trim it or make it smaller.", has, most),
		}
	}
	if u.bytes += int64(len(made.Content)); u.bytes > maxSentInAll {
		return template.Upload{}, &plan.Fault{
			Sentence: plan.Say("The files are too large to send together: the limit is %s; send fewer or make them smaller.", plan.FileSize(maxSentInAll)),
		}
	}
	made.Name = name + made.Name
	u.done[arg] = made
	return made, nil
}

// value returns the value that a name stands for, and the name of its file without extension.
func (u *uploads) value(of string) (toolbox.Value, string, error) {
	arg, number, one := strings.Cut(of, "#")
	at := 0
	if one {
		var err error
		if at, err = strconv.Atoi(number); err != nil {
			return toolbox.Value{}, "", fmt.Errorf("parse a file number: %w", err)
		}
	}
	values := u.call.Args[arg]
	if at < 0 || at >= len(values) {
		return toolbox.Value{}, "", fmt.Errorf("unknown file %s", of)
	}
	if one {
		arg += "-" + strconv.Itoa(at+1)
	}
	return values[at], arg, nil
}

// picture returns an upright picture without metadata, as JPEG if it was one and as PNG otherwise. Its name
// is the extension alone.
func (u *uploads) picture(v toolbox.Value) (made template.Upload, err error) {
	giveBack, err := u.limits.Memory.Take(u.ctx, media.Weigh(v.Path, u.limits).Bytes(8))
	if err != nil {
		return made, err
	}
	defer giveBack()
	p, err := media.ReadPicture(u.ctx, v.Path, u.limits)
	if err != nil {
		return made, err
	}
	made = template.Upload{Name: ".png", MIME: "image/png"}
	to := filepath.Join(u.call.Dir, "sent-"+rand.Text())
	if p.Info.MIME == "image/jpeg" {
		made = template.Upload{Name: ".jpg", MIME: p.Info.MIME}
		err = media.EncodeJPEG(u.ctx, to, p.Image, sentQuality)
	} else {
		err = media.EncodeImage(u.ctx, to, p.Image, media.PNG)
	}
	if err != nil {
		return made, err
	}
	made.Content, err = os.ReadFile(to)
	return made, errors.Join(err, os.Remove(to))
}

// recording returns a sound, a video or a document. Sound and video lose their tags.
func (u *uploads) recording(v toolbox.Value) (template.Upload, error) {
	info, err := media.Inspect(u.ctx, v.Path, u.limits)
	if err != nil {
		return template.Upload{}, err
	}
	if !info.Type.Fits(v.Type) {
		return template.Upload{}, &plan.Fault{Sentence: plan.Say("The file is %s, but %s is needed.", info.MIME, v.Type)}
	}
	var b bytes.Buffer
	if err := metadata.Copy(u.ctx, &b, v.Path); err != nil {
		return template.Upload{}, fmt.Errorf("read a file to send: %w", err)
	}
	return template.Upload{Name: info.Ext, MIME: info.MIME, Content: b.Bytes()}, nil
}
