package imagefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"io"
)

// MaxIcon is the maximum side of an icon.
const MaxIcon = 256

// ErrOldIcon is returned for an icon that is not stored as PNG.
var ErrOldIcon = errors.New("ico: the icon is not stored as PNG")

// Sizes of the header and of each directory entry of an icon file.
const (
	iconHead  = 6
	iconEntry = 16
)

// EncodeICO writes an icon file with its pictures as PNG.
func EncodeICO(w io.Writer, icons ...image.Image) error {
	var pictures bytes.Buffer
	b := binary.LittleEndian.AppendUint16(nil, 0)
	b = binary.LittleEndian.AppendUint16(b, 1) // an icon
	b = binary.LittleEndian.AppendUint16(b, uint16(len(icons)))
	for _, icon := range icons {
		from := pictures.Len()
		if err := png.Encode(&pictures, icon); err != nil {
			return err //nolint:wrapcheck // the caller adds context
		}
		const large = 0 // stands for 256
		b = append(b, uint8(icon.Bounds().Dx()%MaxIcon), uint8(icon.Bounds().Dy()%MaxIcon), large, 0)
		b = binary.LittleEndian.AppendUint16(b, 1)  // plane
		b = binary.LittleEndian.AppendUint16(b, 32) // bits per pixel
		b = binary.LittleEndian.AppendUint32(b, uint32(pictures.Len()-from))
		b = binary.LittleEndian.AppendUint32(b, uint32(iconHead+len(icons)*iconEntry+from))
	}
	_, err := w.Write(append(b, pictures.Bytes()...))
	return err //nolint:wrapcheck // the same
}

// largestIcon returns the largest picture of an icon file, as PNG.
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
		return nil, ErrOldIcon
	}
	return best, nil
}

func iconConfig(r io.Reader) (image.Config, error) {
	b, err := io.ReadAll(io.LimitReader(r, HeadLength))
	if err == nil {
		b, err = largestIcon(b)
	}
	if err != nil {
		return image.Config{}, err
	}
	return png.DecodeConfig(bytes.NewReader(b)) //nolint:wrapcheck // the caller adds context
}

// surveyICO returns the largest picture as a file of its own.
func surveyICO(b []byte) (Survey, error) {
	still, err := largestIcon(b)
	return Survey{Still: still}, err
}
