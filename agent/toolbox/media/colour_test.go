package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/kovidgoyal/imaging"
	"github.com/kovidgoyal/imaging/prism/meta/icc"
)

// profile is a minimal colour profile: the XYZ values of the three primaries for D50, and one gamma for all.
func profile(primaries [3][3]float64, gamma float64) []byte {
	fixed := func(b []byte, v float64) []byte {
		return binary.BigEndian.AppendUint32(b, uint32(int32(math.Round(v*65536))))
	}
	xyz := func(v [3]float64) []byte {
		b := []byte("XYZ \x00\x00\x00\x00")
		for _, c := range v {
			b = fixed(b, c)
		}
		return b
	}
	white := [3]float64{0.9642, 1, 0.8249}
	curve := []byte("curv\x00\x00\x00\x00\x00\x00\x00\x01")
	curve = append(binary.BigEndian.AppendUint16(curve, uint16(math.Round(gamma*256))), 0, 0)
	type tag struct {
		name string
		data []byte
	}
	tags := []tag{
		{"wtpt", xyz(white)}, {"rXYZ", xyz(primaries[0])}, {"gXYZ", xyz(primaries[1])}, {"bXYZ", xyz(primaries[2])},
		{"rTRC", curve}, {"gTRC", curve}, {"bTRC", curve},
	}
	header := make([]byte, 128)
	copy(header[8:], "\x04\x30\x00\x00mntrRGB XYZ ")
	copy(header[36:], "acsp")
	copy(header[68:], fixed(fixed(fixed(nil, white[0]), white[1]), white[2]))
	table := binary.BigEndian.AppendUint32(nil, uint32(len(tags)))
	var body []byte
	for _, t := range tags {
		table = append(table, t.name...)
		table = binary.BigEndian.AppendUint32(table, uint32(len(header)+4+12*len(tags)+len(body)))
		table = binary.BigEndian.AppendUint32(table, uint32(len(t.data)))
		body = append(body, t.data...)
	}
	whole := slices.Concat(header, table, body)
	binary.BigEndian.PutUint32(whole, uint32(len(whole)))
	return whole
}

// TestColoursAreTakenAsTheirProfileMeansThem: phones write Display P3, whose red is outside sRGB;
// without the profile all colours would be paler.
func TestColoursAreTakenAsTheirProfileMeansThem(t *testing.T) {
	t.Parallel()
	displayP3 := [3][3]float64{{0.5151, 0.2412, -0.0011}, {0.2919, 0.6922, 0.0419}, {0.1572, 0.0666, 0.7841}}
	src := quarters(16, 16)
	src.SetNRGBA(15, 15, color.NRGBA{128, 128, 128, 255})
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(profile(displayP3, 2.2)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	img := decode(t, "p3.png", withChunk(pngOf(t, src), "iCCP", append([]byte("p3\x00\x00"), packed.Bytes()...)))
	if got := img.NRGBAAt(15, 15); !near(got, color.NRGBA{128, 128, 128, 255}, 2) {
		t.Errorf("a grey became %v", got)
	}
	before, after := src.NRGBAAt(1, 15), img.NRGBAAt(1, 15) // bluish, inside sRGB
	if before == after {
		t.Errorf("the colour %v did not change", before)
	}
	green := img.NRGBAAt(15, 1) // {30, 200, 30} in P3 is a stronger green in sRGB
	if green.G < 190 || green.R >= 20 {
		t.Errorf("the green became %v", green)
	}
}

// TestColourCubeIsTheProfile compares the interpolation with the library's results.
func TestColourCubeIsTheProfile(t *testing.T) {
	t.Parallel()
	wide := profile([3][3]float64{{0.6097, 0.3111, 0.0195}, {0.2053, 0.6257, 0.0609}, {0.1492, 0.0632, 0.7448}}, 2.2)
	src := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	for i := range src.Pix {
		src.Pix[i] = uint8(i * 37)
	}
	p, err := icc.DecodeProfile(bytes.NewReader(wide))
	if err != nil {
		t.Fatal(err)
	}
	got, err := toSRGB(t.Context(), imaging.Clone(src), wide)
	if err != nil {
		t.Fatal(err)
	}
	want, err := imaging.ConvertToSRGB(p, imaging.Relative, true, imaging.Clone(src))
	if err != nil {
		t.Fatal(err)
	}
	off, worst := 0, 0
	for i, w := range ToNRGBA(want).Pix {
		if src.Pix[i|3] == 0 {
			continue // an invisible colour
		}
		d := max(int(w)-int(got.Pix[i]), int(got.Pix[i])-int(w))
		off, worst = off+d, max(worst, d)
	}
	if mean := float64(off) / float64(len(src.Pix)); mean > 1 || worst > 24 {
		t.Errorf("the colours differ by %.2f greys on average and %d at worst", mean, worst)
	}
}

// TestPhotosAreConvertedExactly: JPEG colours match package color for every chroma subsampling.
func TestPhotosAreConvertedExactly(t *testing.T) {
	t.Parallel()
	for _, ratio := range []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
	} {
		whole := image.NewYCbCr(image.Rect(0, 0, 41, 37), ratio)
		for _, plane := range [][]uint8{whole.Y, whole.Cb, whole.Cr} {
			for i := range plane {
				plane[i] = uint8(i * i * 31)
			}
		}
		part := whole.SubImage(image.Rect(4, 4, 40, 35))
		got, err := converted(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		want := image.NewNRGBA(image.Rect(0, 0, 36, 31))
		for y := range 31 {
			for x := range 36 {
				want.Set(x, y, part.At(x+4, y+4))
			}
		}
		if got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: other pixels", ratio)
		}
	}
}
