// Package document makes documents: PDF files of pictures and texts, web pages of videos, and pictures
// of texts and code.
//
// Guarantees:
//   - A web page contains no script and loads nothing from other servers, and its video has no metadata.
package document

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

const (
	// pageSide is the longer side of a page in points, as for A4.
	pageSide = 842
	// pageQuality is the JPEG quality of photos.
	pageQuality = 90
	// mostLossless is the size of the largest picture that is stored losslessly, in pixels.
	mostLossless = 6_000_000
)

// papers are the paper sizes in portrait orientation, in points.
var papers = map[string]struct{ width, height float64 }{
	"a3": {841.89, 1190.55}, "a4": {595.28, 841.89}, "a5": {419.53, 595.28}, "letter": {612, 792}, "legal": {612, 1008},
}

// paperOf returns the page for a picture of that size, and the picture's place on it. Without a paper size or an
// orientation the page has the aspect ratio of its picture.
func paperOf(c toolbox.Call, width, height int) (page, lies rectangle) {
	name, sized := toolbox.Param[string](c, "paper")
	direction, turned := toolbox.Param[string](c, "orientation")
	long := float64(max(width, height))
	page = rectangle{w: max(1, float64(width)*pageSide/long), h: max(1, float64(height)*pageSide/long)}
	if !sized && !turned {
		return page, page
	}
	p, ok := papers[name]
	if !ok {
		p = papers["a4"]
	}
	if direction == "landscape" || direction == "" && width > height {
		p.width, p.height = p.height, p.width
	}
	scale := min(p.width/float64(width), p.height/float64(height))
	lies = rectangle{w: float64(width) * scale, h: float64(height) * scale}
	lies.x, lies.y = (p.width-lies.w)/2, (p.height-lies.h)/2
	return rectangle{w: p.width, h: p.height}, lies
}

// rectangle is an area of a page, in points.
type rectangle struct{ x, y, w, h float64 }

// imagesToPDF makes a document with one page per picture, in order.
func (o operations) imagesToPDF(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	given := slices.Concat(c.Args["image"], c.Args["images"])
	switch {
	case len(given) == 0:
		return toolbox.Output{}, operation.Problem("The picture to work on is missing.")
	case len(given) > operation.Most:
		return toolbox.Output{}, picture.TooMany(len(given))
	}
	out := toolbox.Output{Path: filepath.Join(c.Dir, "pictures.pdf")}
	out.About = operation.OneOrMany(len(given), plan.Say("a document with one page"), plan.Say("a document with %d pages", len(given)))
	err := operation.Create(out.Path, func(w io.Writer) error { return o.writePDF(ctx, w, given, c) })
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("write a document: %w", err)
	}
	return out, nil
}

// writePDF writes a document with one page per picture.
func (o operations) writePDF(ctx context.Context, w io.Writer, pictures []toolbox.Value, c toolbox.Call) error {
	d := newDocument(w, len(pictures))
	for _, v := range pictures {
		p, err := media.ReadPicture(ctx, v.Path, o.limits)
		if err != nil {
			return err
		}
		if err := d.page(p, c); err != nil {
			return fmt.Errorf("write a page: %w", err)
		}
	}
	return d.end()
}

// pictureDocument writes a PDF document of pictures. Objects 1 and 2 are the catalogue and the list
// of pages. Each page has three objects: the page, its picture and its content stream.
type pictureDocument struct {
	w       *bufio.Writer
	at      int64
	offsets []int64 // of the objects, in order

	err error
}

func newDocument(w io.Writer, pages int) *pictureDocument {
	d := &pictureDocument{w: bufio.NewWriter(w)}
	d.printf("%%PDF-1.4\n%%\xe2\xe3\xcf\xd3\n")
	d.object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 3+3*i)
	}
	d.object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", pages, kids.String()))
	return d
}

func (d *pictureDocument) printf(format string, args ...any) {
	d.write(fmt.Appendf(nil, format, args...))
}

func (d *pictureDocument) write(b []byte) {
	if d.err != nil {
		return
	}
	var n int
	n, d.err = d.w.Write(b)
	d.at += int64(n)
}

// begin starts the next object.
func (d *pictureDocument) begin() {
	d.offsets = append(d.offsets, d.at)
	d.printf("%d 0 obj\n", len(d.offsets))
}

func (d *pictureDocument) object(body string) {
	d.begin()
	d.printf("%s\nendobj\n", body)
}

func (d *pictureDocument) stream(dictionary string, data []byte) {
	d.begin()
	d.printf("<< %s /Length %d >>\nstream\n", dictionary, len(data))
	d.write(data)
	d.printf("\nendstream\nendobj\n")
}

// page adds a page with a picture. Photos and large pictures are stored as JPEG, others losslessly.
func (d *pictureDocument) page(p media.Picture, c toolbox.Call) error {
	img := image.NewRGBA(p.Image.Bounds())
	draw.Draw(img, img.Rect, image.NewUniform(color.White), image.Point{}, draw.Src) // transparent parts become white like paper
	draw.Draw(img, img.Rect, p.Image, p.Image.Bounds().Min, draw.Over)
	width, height := img.Rect.Dx(), img.Rect.Dy()
	photo := p.Info.MIME == "image/jpeg" || width*height > mostLossless
	data, filter := lossless, "FlateDecode"
	if photo {
		data, filter = lossy, "DCTDecode"
	}
	encoded, err := data(img)
	if err != nil {
		return err
	}
	paper, lies := paperOf(c, width, height)
	number := len(d.offsets) + 1
	d.object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Resources << /XObject << /P %d 0 R >> >> /Contents %d 0 R >>",
		paper.w, paper.h, number+1, number+2))
	d.stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /%s",
		width, height, filter), encoded)
	d.stream("", fmt.Appendf(nil, "q %.2f 0 0 %.2f %.2f %.2f cm /P Do Q", lies.w, lies.h, lies.x, lies.y))
	return d.err
}

func lossy(img *image.RGBA) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: pageQuality})
	return b.Bytes(), err
}

func lossless(img *image.RGBA) ([]byte, error) {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	row := make([]byte, 3*img.Rect.Dx())
	for y := range img.Rect.Dy() {
		from := img.Pix[y*img.Stride:]
		for x := range img.Rect.Dx() {
			copy(row[3*x:3*x+3], from[4*x:])
		}
		if _, err := z.Write(row); err != nil {
			return nil, err //nolint:wrapcheck // the caller adds context
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// end writes the cross-reference table and the trailer.
func (d *pictureDocument) end() error {
	table := d.at
	d.printf("xref\n0 %d\n0000000000 65535 f \n", len(d.offsets)+1)
	for _, at := range d.offsets {
		d.printf("%010d 00000 n \n", at)
	}
	d.printf("trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(d.offsets)+1, table)
	return errors.Join(d.err, d.w.Flush())
}
