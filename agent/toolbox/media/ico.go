package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"image/png"
	"io"
)

// MaxIcon is the longest side of an icon.
const MaxIcon = 256

var errOldIcon = errors.New("ico: the icon is not stored as PNG")

// An icon file has a head, then entries that tell where the pictures lie.
const (
	iconHead  = 6
	iconEntry = 16
)

// iconSized is the picture as an icon, which is square: made smaller where it is too large, in the middle of a
// transparent ground.
func iconSized(ctx context.Context, img image.Image) (image.Image, error) {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	longest := max(w, h)
	if longest > MaxIcon {
		small, err := Scaled(ctx, ToNRGBA(img), max(1, (w*MaxIcon+longest/2)/longest), max(1, (h*MaxIcon+longest/2)/longest))
		if err != nil {
			return nil, err
		}
		img, longest = small, MaxIcon
	}
	at := img.Bounds()
	if at.Dx() == at.Dy() {
		return img, nil
	}
	icon := image.NewNRGBA(image.Rect(0, 0, longest, longest))
	draw.Draw(icon, at.Sub(at.Min).Add(image.Pt((longest-at.Dx())/2, (longest-at.Dy())/2)), img, at.Min, draw.Src)
	return icon, nil
}

// EncodeIcons writes an icon file with several square pictures, which may have at most [MaxIcon] pixels a side.
func EncodeIcons(ctx context.Context, path string, icons ...image.Image) error {
	return writeFile(ctx, path, func(w io.Writer) error { return encodeICO(w, icons...) })
}

// encodeICO writes an icon file, its pictures as PNG.
func encodeICO(w io.Writer, icons ...image.Image) error {
	var pictures bytes.Buffer
	b := binary.LittleEndian.AppendUint16(nil, 0)
	b = binary.LittleEndian.AppendUint16(b, 1) // an icon
	b = binary.LittleEndian.AppendUint16(b, uint16(len(icons)))
	for _, icon := range icons {
		from := pictures.Len()
		if err := png.Encode(&pictures, icon); err != nil {
			return err //nolint:wrapcheck // the caller tells of what
		}
		const large = 0 // stands for 256
		b = append(b, uint8(icon.Bounds().Dx()%MaxIcon), uint8(icon.Bounds().Dy()%MaxIcon), large, 0)
		b = binary.LittleEndian.AppendUint16(b, 1)  // plane
		b = binary.LittleEndian.AppendUint16(b, 32) // bits for each pixel
		b = binary.LittleEndian.AppendUint32(b, uint32(pictures.Len()-from))
		b = binary.LittleEndian.AppendUint32(b, uint32(iconHead+len(icons)*iconEntry+from))
	}
	_, err := w.Write(append(b, pictures.Bytes()...))
	return err //nolint:wrapcheck // the same
}

// largestIcon is the largest picture of an icon file, which is a PNG.
func largestIcon(b []byte) ([]byte, error) {
	if len(b) < iconHead {
		return nil, io.ErrUnexpectedEOF
	}
	var best []byte
	largest := 0
	for i := range int(binary.LittleEndian.Uint16(b[4:])) {
		at := iconHead + i*iconEntry
		if at+iconEntry > len(b) {
			return nil, io.ErrUnexpectedEOF
		}
		e := b[at:]
		side := func(n byte) int { return (int(n)+MaxIcon-1)%MaxIcon + 1 }
		size, from := int64(binary.LittleEndian.Uint32(e[8:])), int64(binary.LittleEndian.Uint32(e[12:]))
		if from+size > int64(len(b)) {
			return nil, io.ErrUnexpectedEOF
		}
		if area := side(e[0]) * side(e[1]); area > largest {
			best, largest = b[from:from+size], area
		}
	}
	if !bytes.HasPrefix(best, []byte("\x89PNG")) {
		return nil, errOldIcon
	}
	return best, nil
}

func iconConfig(r io.Reader) (image.Config, error) {
	b, err := io.ReadAll(io.LimitReader(r, headLength))
	if err == nil {
		b, err = largestIcon(b)
	}
	if err != nil {
		return image.Config{}, err
	}
	return png.DecodeConfig(bytes.NewReader(b)) //nolint:wrapcheck // the caller tells of what
}

// surveyICO gives the largest picture of the file as one of its own.
func surveyICO(b []byte) (survey, error) {
	still, err := largestIcon(b)
	return survey{still: still}, err
}
