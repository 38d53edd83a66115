// Package imagefile knows the kinds of picture files: what their heads and parts say, and how they are decoded.
//
// Guarantees:
//   - Heads and parts are read in bounded memory, and no pixels are decoded for them.
//   - A file that is cut off or damaged is an error, or says less.
package imagefile

import (
	"context"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"atelier/agent/toolbox/media/codec"
)

// The MIME types of kinds that are decoded in a sandbox.
const (
	AVIF = "image/avif"
	JXL  = "image/jxl"
)

// Format knows how to decode one kind of picture.
type Format struct {
	Config func(io.Reader) (image.Config, error)
	Decode func(io.Reader) (image.Image, error)
	// Survey walks the file's parts without decoding any.
	Survey func([]byte) (Survey, error)
	// Sandboxed decodes in place of Decode: a picture of at most so many pixels.
	Sandboxed func(ctx context.Context, data []byte, most int64) (image.Image, error)
}

// Of returns the format of a MIME type, if it is one of a picture that can be read.
func Of(mime string) (Format, bool) {
	f, ok := formats[mime]
	return f, ok
}

var formats = map[string]Format{
	"image/png":    {png.DecodeConfig, decodePNG, surveyPNG, nil},
	"image/jpeg":   {jpeg.DecodeConfig, jpeg.Decode, surveyJPEG, nil},
	"image/gif":    {gif.DecodeConfig, gif.Decode, surveyGIF, nil},
	"image/webp":   {webp.DecodeConfig, DecodeWebP, SurveyWebP, nil},
	"image/bmp":    {bmp.DecodeConfig, bmp.Decode, surveyBMP, nil},
	"image/tiff":   {tiff.DecodeConfig, tiff.Decode, surveyTIFF, nil},
	"image/x-icon": {iconConfig, decodePNG, surveyICO, nil},
	AVIF:           {avifConfig, nil, surveyAVIF, codec.DecodeAVIF},
	"image/heic":   {heicConfig, nil, surveyHEIC, codec.DecodeHEIC},
	"image/heif":   {heicConfig, nil, surveyHEIC, codec.DecodeHEIC},
	JXL:            {jxlConfig, nil, surveyJXL, codec.DecodeJXL},
}
