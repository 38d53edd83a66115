// Package file describes, hashes and packs files, and removes their metadata. Packed files have no metadata, like all
// results.
package file

import (
	"cmp"
	"context"
	"crypto/md5"  //nolint:gosec // people ask for it to compare files
	"crypto/sha1" //nolint:gosec // people ask for it to compare files
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/metadata"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// pictureFacts lists facts about a picture file and its EXIF data.
func (o operations) pictureFacts(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	path, err := operation.File(c, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	info, err := media.Describe(ctx, path, o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	if info.Type != plan.Image {
		return toolbox.Output{}, operation.Problem("%q is not a picture.", filepath.Base(path))
	}
	shot, err := media.ReadShot(ctx, path, o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	size, err := os.Stat(path)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("measure the file: %w", err)
	}
	pixels := fmt.Sprintf("%d × %d pixels (%.1f megapixels)", info.Width, info.Height, float64(info.Width)*float64(info.Height)/1e6)
	taken, place, frames, length := "", "no place is stored", "", ""
	if !shot.Taken.IsZero() {
		taken = shot.Taken.Format("2 January 2006, 15:04:05")
	}
	if shot.Place {
		place = cmp.Or(shot.Where, "the place where it was taken is stored (GPS)")
	}
	if info.Frames > 1 {
		frames = strconv.Itoa(info.Frames)
	}
	if info.Length > 0 {
		length = fmt.Sprintf("%.2f seconds", info.Length.Seconds())
	}
	transparent, err := o.transparency(ctx, path, info)
	if err != nil {
		return toolbox.Output{}, err
	}
	value := media.Details(
		media.Detail{Name: "File type", Value: media.KindName(info.MIME)},
		media.Detail{Name: "Size", Value: media.SizeOf(size.Size())},
		media.Detail{Name: "Dimensions", Value: pixels},
		media.Detail{Name: "Transparency", Value: transparent},
		media.Detail{Name: "Frames", Value: frames},
		media.Detail{Name: "Duration", Value: length},
		media.Detail{Name: "Camera", Value: orUnknown(shot.Camera)},
		media.Detail{Name: "Taken", Value: orUnknown(taken)},
		media.Detail{Name: "Location", Value: place},
	)
	return toolbox.Output{Value: value, About: plan.Say("facts about the file")}, nil
}

// transparency says whether pixels of a picture are transparent; nothing if its format has none.
func (o operations) transparency(ctx context.Context, path string, info media.Info) (string, error) {
	if info.MIME == "image/jpeg" || info.MIME == "image/bmp" {
		return "", nil
	}
	p, err := media.ReadPicture(ctx, path, o.limits)
	if err != nil {
		return "", err
	}
	if p.Image.Opaque() {
		return "none", nil
	}
	return "some of it is transparent", nil
}

func orUnknown(s string) string {
	if s == "" {
		return "not stored in the file"
	}
	return s
}

// checksum returns the operation that hashes an argument.
func checksum(arg string) operation.Func {
	return func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		method, _ := toolbox.Param[string](c, "method")
		var h hash.Hash
		switch method {
		case "md5":
			h = md5.New() //nolint:gosec // see the import
		case "sha1":
			h = sha1.New() //nolint:gosec // see the import
		case "sha512":
			h = sha512.New()
		default:
			method, h = "sha256", sha256.New()
		}
		if err := digest(ctx, h, c, arg); err != nil {
			return toolbox.Output{}, err
		}
		sum := hex.EncodeToString(h.Sum(nil))
		return toolbox.Output{Value: strings.ToUpper(method) + ": " + sum, About: plan.Say("the checksum")}, nil
	}
}

// digest hashes the file or the text of an argument.
func digest(ctx context.Context, h hash.Hash, c toolbox.Call, arg string) error {
	if vs := c.Args[arg]; arg == "text" && len(vs) > 0 && vs[0].Path == "" {
		if vs[0].Value == "" {
			return &plan.Fault{
				Sentence: plan.Say("There is no text to compute a checksum of. Please write it in the message or attach it."),
				Err:      errors.New("empty text"),
			}
		}
		if _, err := io.WriteString(h, vs[0].Value); err != nil {
			return fmt.Errorf("hash a text: %w", err)
		}
		return nil
	}
	path, err := operation.File(c, arg)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return &plan.Fault{Sentence: plan.Say("%q cannot be opened.", filepath.Base(path)), Err: err}
	}
	defer f.Close() //nolint:errcheck // only read
	for {
		if err := media.Stopped(ctx); err != nil {
			return err
		}
		switch _, err := io.CopyN(h, f, 1<<20); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return &plan.Fault{Sentence: plan.Say("%q cannot be read.", filepath.Base(path)), Err: err}
		}
	}
}

// removeMetadata writes a picture without its metadata. Upright JPEG, PNG, GIF and WebP files keep
// their encoded image data. Other pictures are rotated upright and re-encoded.
func (o operations) removeMetadata(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	path, err := operation.File(c, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	p, err := media.ReadPicture(ctx, path, o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	switch p.Info.MIME {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		if !p.Turned {
			out, err := copyStripped(ctx, c, "picture-1"+p.Info.Ext, path)
			out.Note = plan.Sentences(out.Note, goneToo(c))
			return out, err
		}
	}
	return picture.Save(ctx, c, 0, p, picture.Edited{Image: p.Image, About: noMetadata, Note: goneToo(c)})
}

// goneToo says so where less than all was to go.
func goneToo(c toolbox.Call) plan.Message {
	if what, _ := toolbox.Param[string](c, "what"); what == "place" {
		return plan.Say("All of its metadata was removed, including camera and date.")
	}
	return plan.Message{}
}

// strippable lists the MIME types of audio and video whose metadata can be removed.
var strippable = map[string]bool{
	"video/mp4": true, "video/x-m4v": true, "video/quicktime": true, "video/3gpp": true, "video/3gpp2": true, "video/x-msvideo": true, "video/ogg": true,
	"audio/mpeg": true, "audio/wav": true, "audio/flac": true, "audio/ogg": true, "application/ogg": true, "audio/mp4": true, "audio/x-m4a": true,
}

// stripped returns the operation that removes the metadata of an audio or video file.
func (o operations) stripped(arg string) operation.Func {
	return func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		path, err := operation.File(c, arg)
		if err != nil {
			return toolbox.Output{}, err
		}
		info, err := media.Describe(ctx, path, o.limits)
		if err != nil {
			return toolbox.Output{}, err
		}
		if !strippable[info.MIME] {
			return toolbox.Output{}, operation.Problem("The metadata of %q cannot be removed, because it is a %s. Convert it to MP4 or MP3 first.",
				filepath.Base(path), media.KindName(info.MIME))
		}
		return copyStripped(ctx, c, arg+"-1"+info.Ext, path)
	}
}

// noMetadata describes an output without metadata.
var noMetadata = plan.Say("without metadata")

// copyStripped copies a file without its metadata into the call's folder.
func copyStripped(ctx context.Context, c toolbox.Call, name, from string) (toolbox.Output, error) {
	out := toolbox.Output{Path: filepath.Join(c.Dir, name), About: noMetadata}
	err := operation.Create(out.Path, func(w io.Writer) error { return metadata.Copy(ctx, w, from) })
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("write without metadata: %w", err)
	}
	return out, nil
}
