// Package imagefile reads the headers and parts of picture files, and decodes pictures.
//
// Guarantees:
//   - Headers and parts are read in bounded memory, without decoding pixels.
//   - A truncated or damaged file is an error, or has less metadata.
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

// MIME types of formats that are decoded in a sandbox.
const (
	AVIF = "image/avif"
	JXL  = "image/jxl"
)

// Format reads one picture format.
type Format struct {
	Config func(io.Reader) (image.Config, error)
	Decode func(io.Reader) (image.Image, error)
	// Survey scans the file's parts without decoding.
	Survey func([]byte) (Survey, error)
	// Sandboxed decodes instead of Decode, for pictures of at most maxPixels pixels.
	Sandboxed func(ctx context.Context, data []byte, maxPixels int64) (image.Image, error)
}

// Of returns the format for a MIME type, if it is a readable picture format.
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
