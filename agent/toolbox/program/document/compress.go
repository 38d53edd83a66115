package document

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/sandbox"
)

const (
	// denser is how much finer a picture must be before it is scaled down.
	denser = 1.1
	// worthwhile is how much smaller a picture must become to be replaced, as a share of its bytes.
	worthwhile = 0.8
)

// fineness is how pictures in a document are compressed.
type fineness struct {
	density int // in pixels per inch
	quality int // of their JPEG
}

// onScreen suits a screen. The coarser ones are tried if a document must fit a limit.
var (
	onScreen = fineness{150, 75}
	coarser  = []fineness{{120, 65}, {96, 55}, {72, 45}, {50, 40}, {36, 30}}
)

// compress writes a document as a smaller file: everything is packed again, and its JPEG pictures are scaled down to the
// density that a screen shows, or to the highest one that fits the limit.
func (d Documents) compress(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	path, _, err := d.opened(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	has := machine.SizeOf(path)
	limit, limited := toolbox.Param[int64](c, "limit")
	if limited && has <= limit {
		return toolbox.Output{}, plan.Refusal("It is small enough already: it has %s.", plan.FileSize(has))
	}
	packed, err := d.QPDF(ctx, c, "packed.pdf", path, append(packing(), "--optimize-images", path)...)
	if err != nil {
		return toolbox.Output{}, err
	}
	fine := onScreen
	out, size, err := d.packed(ctx, c, packed, fine)
	for _, less := range coarser {
		if err != nil || !limited || size <= limit {
			break
		}
		fine = less
		out, size, err = d.packed(ctx, c, packed, fine)
	}
	switch {
	case err != nil:
		return toolbox.Output{}, err
	case limited && size > limit && out == packed:
		return toolbox.Output{}, plan.Refusal(
			"It cannot be made smaller than %s without changing its pages; take some of its pages, or name a larger limit.", plan.FileSize(size))
	case limited && size > limit:
		return toolbox.Output{}, plan.Refusal(
			"Even with coarse pictures (%d dpi) it cannot be made smaller than %s; take some of its pages, or name a larger limit.",
			fine.density, plan.FileSize(size))
	case size >= has:
		return toolbox.Output{}, plan.Refusal("It cannot be made smaller; it is packed as well as it can be without changing its pages.")
	case out == packed:
		return toolbox.Output{Path: out}, nil
	case fine == onScreen:
		note := plan.Say("Its pictures were compressed too, to about %d dpi: they look the same on a screen, but not when they are enlarged.", fine.density)
		return toolbox.Output{Path: out, Note: note}, nil
	}
	return toolbox.Output{Path: out, Note: plan.Say("To fit, its pictures were compressed to about %d dpi, so they are coarser.", fine.density)}, nil
}

// packing returns the options of qpdf for a small file.
func packing() []string {
	return []string{"--object-streams=generate", "--recompress-flate", "--compression-level=9"}
}

// packed returns a document with its pictures compressed, and its size; the same one if no picture gets smaller.
func (d Documents) packed(ctx context.Context, c toolbox.Call, path string, fine fineness) (string, int64, error) {
	header, changes, err := d.lighter(ctx, c, path, fine)
	if err == nil && len(changes) > 0 {
		path, err = d.changed(ctx, c, path, "out.pdf", header, changes, packing()...)
	}
	return path, machine.SizeOf(path), err
}

// lighter returns the pictures of a document that can be made smaller, as changes of its objects.
func (d Documents) lighter(ctx context.Context, c toolbox.Call, path string, fine fineness) (json.RawMessage, map[string]any, error) {
	shown, err := d.densities(ctx, c, path)
	if err != nil || len(shown) == 0 {
		return nil, nil, err
	}
	options := []string{"--json-stream-data=file", "--json-stream-prefix=picture"}
	for ref := range shown {
		options = append(options, "--json-object="+ref)
	}
	pictures, err := d.objectsOf(ctx, c, path, "pictures.json", options...)
	if err != nil {
		return nil, nil, err
	}
	changes := map[string]any{}
	for name, raw := range pictures.byName {
		var o struct {
			Stream stream `json:"stream"`
		}
		if err := parse(raw, &o); err != nil {
			return nil, nil, err
		}
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "obj:"), " ")
		less, err := d.lightened(ctx, c, o.Stream, shown[number], fine)
		if err != nil {
			return nil, nil, err
		}
		if less.File != "" {
			changes[name] = map[string]any{"stream": less}
		}
	}
	return pictures.header, changes, nil
}

// densities returns the JPEG pictures of a document by the number of their object, with the lowest density at which a
// page shows each, in pixels per inch.
func (d Documents) densities(ctx context.Context, c toolbox.Call, path string) (map[string]float64, error) {
	said, err := d.Run(ctx, sandbox.Command{
		Program: "pdfimages", Args: []string{"-list", path}, Dir: c.Dir, Read: []string{path}, Memory: machine.OtherMemory, Timeout: machine.OtherTime,
	})
	if err != nil {
		return nil, fmt.Errorf("list the pictures of a document: %w", err)
	}
	shown := map[string]float64{}
	for line := range strings.Lines(string(said)) {
		// page, number, type, width, height, colours, components, bits, encoding, interpolation, object, generation, densities
		f := strings.Fields(line)
		if len(f) < 14 || f[2] != "image" || f[7] != "8" || f[8] != "jpeg" || f[11] != "0" {
			continue
		}
		x, y := length(f[12]), length(f[13])
		if was, ok := shown[f[10]]; x > 0 && y > 0 && (!ok || max(x, y) < was) {
			shown[f[10]] = max(x, y)
		}
	}
	return shown, nil
}

// lightened returns a picture with fewer pixels and bytes. Its File is empty if the picture is better left as it is.
func (d Documents) lightened(ctx context.Context, c toolbox.Call, s stream, shown float64, fine fineness) (stream, error) {
	_, keyed := s.Dict["/Mask"].([]any) // a range of colours that is transparent, which must stay exact
	if keyed || s.Dict["/Filter"] != "/DCTDecode" || s.Dict["/DecodeParms"] != nil || s.File == "" {
		return stream{}, nil
	}
	file := filepath.Join(c.Dir, filepath.Base(s.File))
	data, err := os.ReadFile(file)
	if err != nil {
		return stream{}, fmt.Errorf("read a picture: %w", err)
	}
	small, err := rescaled(ctx, d.Limits, data, min(1, float64(fine.density)/shown), fine.quality)
	if err != nil || small == nil || float64(small.Len()) > worthwhile*float64(len(data)) {
		return stream{}, err
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(small.Bytes()))
	if err != nil {
		return stream{}, fmt.Errorf("measure a picture: %w", err)
	}
	if err := os.WriteFile(file, small.Bytes(), 0o600); err != nil {
		return stream{}, fmt.Errorf("write a picture: %w", err)
	}
	delete(s.Dict, "/Length")
	s.Dict["/Width"], s.Dict["/Height"] = json.Number(strconv.Itoa(size.Width)), json.Number(strconv.Itoa(size.Height))
	if s.File, err = filepath.Abs(file); err != nil {
		return stream{}, fmt.Errorf("find a picture: %w", err)
	}
	return s, nil
}

// rescaled returns a JPEG with the sides scaled by a factor. It is nil for one that is too large or cannot be decoded,
// such as CMYK: a document may well have such pictures.
func rescaled(ctx context.Context, limits media.Limits, data []byte, by float64, quality int) (*bytes.Buffer, error) {
	cfg, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || cfg.ColorModel == color.CMYKModel || cfg.Width == 0 || int64(cfg.Width)*int64(cfg.Height) > limits.Pixels {
		return nil, nil //nolint:nilnil // see above
	}
	const bytesPerPixel = 12 // of the decoded picture, and of that as NRGBA, twice
	giveBack, err := limits.Memory.Take(ctx, bytesPerPixel*int64(cfg.Width)*int64(cfg.Height))
	if err != nil {
		return nil, err
	}
	defer giveBack()
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, nil //nolint:nilnil // see above
	}
	_, grey := img.(*image.Gray)
	if by*denser < 1 {
		side := func(n int) int { return max(1, int(math.Round(float64(n)*by))) }
		if img, err = media.Scaled(ctx, media.ToNRGBA(img), side(cfg.Width), side(cfg.Height)); err != nil {
			return nil, err
		}
	}
	if grey { // its colour space has one component
		plain := image.NewGray(img.Bounds())
		draw.Draw(plain, plain.Rect, img, img.Bounds().Min, draw.Src)
		img = plain
	}
	small := new(bytes.Buffer)
	if err := jpeg.Encode(small, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("write a picture: %w", err)
	}
	return small, media.Stopped(ctx)
}
