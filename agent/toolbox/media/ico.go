package media

import (
	"context"
	"image"
	"image/draw"
	"io"

	"atelier/agent/toolbox/media/imagefile"
)

// iconSized makes an icon of the picture: scaled down if too large, and centred on a transparent square.
func iconSized(ctx context.Context, img image.Image) (image.Image, error) {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	longest := max(w, h)
	if longest > imagefile.MaxIcon {
		small, err := Scaled(ctx, ToNRGBA(img), max(1, (w*imagefile.MaxIcon+longest/2)/longest), max(1, (h*imagefile.MaxIcon+longest/2)/longest))
		if err != nil {
			return nil, err
		}
		img, longest = small, imagefile.MaxIcon
	}
	at := img.Bounds()
	if at.Dx() == at.Dy() {
		return img, nil
	}
	icon := image.NewNRGBA(image.Rect(0, 0, longest, longest))
	draw.Draw(icon, at.Sub(at.Min).Add(image.Pt((longest-at.Dx())/2, (longest-at.Dy())/2)), img, at.Min, draw.Src)
	return icon, nil
}

// EncodeIcons writes an icon file with several square pictures of at most [imagefile.MaxIcon] pixels a side.
func EncodeIcons(ctx context.Context, path string, icons ...image.Image) error {
	return writeFile(ctx, path, func(w io.Writer) error { return imagefile.EncodeICO(w, icons...) })
}
