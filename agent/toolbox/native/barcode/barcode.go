// Package barcode reads QR codes and bar codes from pictures, and draws bar codes.
package barcode

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/aztec"
	"github.com/makiuchi-d/gozxing/datamatrix"
	multidetector "github.com/makiuchi-d/gozxing/multi/qrcode/detector"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode/decoder"
	"github.com/makiuchi-d/gozxing/qrcode/detector"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/native/prose"
)

// operations holds the limits for reading files.
type operations struct{ limits media.Limits }

// Operations returns the operations of this package by the names that backings use.
func Operations(limits media.Limits) map[string]operation.Func {
	o := operations{limits}
	return map[string]operation.Func{
		"make_bar_code": makeBarCode,
		"read_code":     o.readCode,
	}
}

// codeSides are the longer sides to which the picture is scaled before searching. A code that fills a
// large photo is found at small sizes, a distant code at large ones.
var codeSides = []int{1000, 2000, 500}

// readCode reads the QR codes and bar codes on a picture.
func (o operations) readCode(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	paper := image.NewNRGBA(p.Image.Rect)
	draw.Draw(paper, paper.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(paper, paper.Rect, p.Image, image.Point{}, draw.Over)
	long := max(paper.Rect.Dx(), paper.Rect.Dy())
	for i, side := range codeSides {
		if i > 0 && long <= codeSides[0] && side > long {
			continue // already searched at its own size
		}
		img := paper
		if long > side {
			f := float64(side) / float64(long)
			w, h := max(1, int(float64(paper.Rect.Dx())*f)), max(1, int(float64(paper.Rect.Dy())*f))
			if img, err = media.Scaled(ctx, paper, w, h); err != nil {
				return toolbox.Output{}, err
			}
		}
		found, err := decode(ctx, img)
		if err != nil {
			return toolbox.Output{}, err
		}
		if len(found) > 0 {
			return toolbox.Output{Value: strings.Join(found, "\n"), About: plan.Say("what the code says")}, nil
		}
	}
	return toolbox.Output{}, operation.Problem(
		"I found no readable QR code or bar code in the picture. A sharp, straight picture of the code alone works best.")
}

// decode returns the texts of the codes on a picture, dark on light or light on dark.
func decode(ctx context.Context, img *image.NRGBA) ([]string, error) {
	hints := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true}
	readers := []gozxing.Reader{
		oned.NewCode128Reader(), oned.NewMultiFormatUPCEANReader(hints), oned.NewCode39Reader(), oned.NewITFReader(),
		datamatrix.NewDataMatrixReader(), aztec.NewAztecReader(),
	}
	source := gozxing.NewLuminanceSourceFromImage(img)
	for _, light := range []gozxing.LuminanceSource{source, source.Invert()} {
		bitmap, err := gozxing.NewBinaryBitmap(gozxing.NewHybridBinarizer(light))
		if err != nil {
			return nil, nil //nolint:nilerr // too small for a code
		}
		found, err := decodeQR(ctx, bitmap)
		if err != nil || len(found) > 0 {
			return found, err
		}
		for _, r := range readers {
			if err := media.Stopped(ctx); err != nil {
				return nil, err
			}
			if one, err := r.Decode(bitmap, hints); err == nil && one.GetText() != "" {
				return []string{prose.Clean(one.GetText())}, nil
			}
		}
	}
	return nil, nil
}

// Three squares mark a QR code. A halftone print has thousands of similar shapes, and trying all
// triples takes hours, so the search is limited.
const (
	mostSquares = 300
	mostTries   = 1000
)

// decodeQR returns the texts of the QR codes on a picture.
func decodeQR(ctx context.Context, bitmap *gozxing.BinaryBitmap) ([]string, error) {
	matrix, err := bitmap.GetBlackMatrix()
	if err != nil {
		return nil, nil //nolint:nilerr // the picture is a single colour
	}
	candidates := findQR(matrix)
	detect, read := detector.NewDetector(matrix), decoder.NewDecoder()
	var found []string
	for _, c := range candidates[:min(len(candidates), mostTries)] {
		if err := media.Stopped(ctx); err != nil {
			return nil, err
		}
		code, err := detect.ProcessFinderPatternInfo(c)
		if err != nil {
			continue
		}
		result, err := read.Decode(code.GetBits(), nil)
		if err != nil {
			continue
		}
		if text := prose.Clean(result.GetText()); text != "" && !slices.Contains(found, text) {
			found = append(found, text)
		}
	}
	return found, nil
}

// findQR returns possible positions of QR codes, or nothing if the picture has more than mostSquares squares.
func findQR(matrix *gozxing.BitMatrix) (candidates []*detector.FinderPatternInfo) {
	type tooMany struct{}
	squares := 0
	count := gozxing.ResultPointCallback(func(gozxing.ResultPoint) {
		if squares++; squares > mostSquares {
			panic(tooMany{}) // the only way to stop the library's search
		}
	})
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(tooMany); !ok {
				panic(p)
			}
		}
	}()
	hints := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true}
	candidates, err := multidetector.NewMultiFinderPatternFinder(matrix, count).FindMulti(hints)
	if err != nil {
		return nil // no code found
	}
	return candidates
}

const mostBarCode = 80 // characters

// barCodes maps the supported kinds to their formats and encoders.
var barCodes = map[string]struct {
	format gozxing.BarcodeFormat
	writer func() gozxing.Writer
}{
	"code128": {gozxing.BarcodeFormat_CODE_128, oned.NewCode128Writer},
	"code39":  {gozxing.BarcodeFormat_CODE_39, oned.NewCode39Writer},
	"ean13":   {gozxing.BarcodeFormat_EAN_13, oned.NewEAN13Writer},
	"ean8":    {gozxing.BarcodeFormat_EAN_8, oned.NewEAN8Writer},
	"upc":     {gozxing.BarcodeFormat_UPC_A, oned.NewUPCAWriter},
}

// makeBarCode draws a bar code with its text below.
func makeBarCode(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	text := strings.Trim(prose.OneLine(prose.Clean(c.Text("text"))), `"'“”`)
	kind, _ := toolbox.Param[string](c, "kind")
	code, ok := barCodes[kind]
	switch {
	case !ok:
		return toolbox.Output{}, errors.New("unknown kind of bar code " + kind)
	case text == "":
		return toolbox.Output{}, operation.Problem("Please say what the bar code should contain, such as a number.")
	case utf8.RuneCountInString(text) > mostBarCode:
		return toolbox.Output{}, operation.Problem("A bar code can hold at most %d characters; a QR code can hold more.", mostBarCode)
	}
	if kind == "code39" {
		text = strings.ToUpper(text)
	}
	bars, err := code.writer().Encode(text, code.format, 1, 1, nil)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: cannotBe(kind), Err: err, Final: true}
	}
	if kind == "ean13" || kind == "ean8" || kind == "upc" {
		text = withCheck(text, map[string]int{"ean13": 13, "ean8": 8, "upc": 12}[kind])
	}
	const module, height, strip, quiet = 4, 220, 70, 12
	d := canvas.New(module*(bars.GetWidth()+2*quiet), height+strip+2*module*quiet/2, color.White)
	for x := range bars.GetWidth() {
		if bars.Get(x, 0) {
			left := module * (x + quiet)
			picture.Fill(d.NRGBA, image.Rect(left, module*quiet/2, left+module, module*quiet/2+height), color.NRGBA{A: 255})
		}
	}
	letters, err := canvas.NewLetters(canvas.Mono, 36)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The text cannot be drawn."), Err: err}
	}
	d.Write(letters, letters.Shorten(text, float64(d.Rect.Dx())-20), float64(d.Rect.Dx())/2, height+module*quiet/2+strip/2, 0.5, color.Black)
	return picture.Save(ctx, c, 0, media.Picture{}, picture.Edited{Image: d.NRGBA, Format: media.PNG, About: plan.Say("a bar code of %s", text)})
}

// withCheck appends the check digit to a product number that lacks it.
func withCheck(digits string, length int) string {
	if len(digits) == length {
		return digits
	}
	sum := 0
	for i := range len(digits) {
		weight := 1 + 2*((len(digits)-i)%2) // weights alternate, 3 for the last digit
		sum += weight * int(digits[i]-'0')
	}
	return digits + string(rune('0'+(10-sum%10)%10))
}

// cannotBe says what a bar code of the kind can hold.
func cannotBe(kind string) plan.Message {
	switch kind {
	case "ean13":
		return plan.Say("An EAN-13 code holds 12 digits, or 13 with the right check digit.")
	case "ean8":
		return plan.Say("An EAN-8 code holds 7 digits, or 8 with the right check digit.")
	case "upc":
		return plan.Say("A UPC code holds 11 digits, or 12 with the right check digit.")
	}
	return plan.Say("That kind of bar code cannot hold all of these characters; ask for a QR code.")
}
