package hftasktest

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// world is what the server knows apart from a request.
type world struct {
	words map[string]string // names of objects by colour
	heard string            // the transcript of every recording
}

// tasks are the server's functions by task. Each answers a valid request with a file, or with a value that
// is sent as JSON.
var tasks = map[string]func(*world, *request) (any, error){
	"audio-classification":         classifySound,
	"audio-to-audio":               cleanSound,
	"automatic-speech-recognition": transcribe,
	"depth-estimation":             estimateDepth,
	"document-question-answering":  askDocument,
	"image-classification":         classifyPicture,
	"image-segmentation":           segment,
	"image-to-image":               editPicture,
	"image-to-text":                describe,
	"image-to-video":               animate,
	"keypoint-detection":           findKeypoints,
	"mask-generation":              segment,
	"object-detection":             detect,
	"summarization":                summarize,
	"table-question-answering":     askTable,
	"text-classification":          classifyText,
	"text-generation":              func(wd *world, q *request) (any, error) { return generateText(wd, q) },
	"text-to-audio":                playMusic,
	"text-to-image":                drawPicture,
	"text-to-speech":               speak,
	"text-to-video":                film,
	"token-classification":         tagTokens,
	"translation":                  translate,
	"video-classification":         classifyVideo,
	"video-text-to-text":           describeVideo,
	"visual-question-answering":    askPicture,
	"zero-shot-classification":     sortText,
	"zero-shot-object-detection":   detectNamed,
}

// blob is a connected region of one colour that differs from the background.
type blob struct {
	colour string
	box    image.Rectangle
	area   int
	places []image.Point
}

// score returns the confidence of a detection.
func (b *blob) score() float64 {
	return min(0.99, 0.6+float64(b.area)/float64(4*max(b.box.Dx()*b.box.Dy(), 1)))
}

// shape distinguishes discs from squares by how much of its box a blob fills; π/4 is a disc.
func (b *blob) shape() string {
	fill := float64(b.area) / float64(max(b.box.Dx()*b.box.Dy(), 1))
	round := b.box.Dx()*4 < b.box.Dy()*5 && b.box.Dy()*4 < b.box.Dx()*5
	switch {
	case round && fill > 0.70 && fill < 0.86:
		return "disc"
	case round && fill > 0.95:
		return "square"
	case fill > 0.95:
		return "bar"
	}
	return "shape"
}

// scene is the content of a picture.
type scene struct {
	img    *image.NRGBA
	ground color.NRGBA
	blobs  []blob // from left to right, and from top to bottom
}

// near is the largest distance between two colours that count as the same.
const near = 60 * 60

// mostBlobs is the limit for blobs; the largest are kept.
const mostBlobs = 40

// look finds the blobs of a picture. The background is the most frequent colour along the border.
func look(img *image.NRGBA) scene {
	s := scene{img: img, ground: groundOf(img)}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	seen := make([]bool, w*h)
	least := max(12, w*h/2000)
	for y := range h {
		for x := range w {
			if c := img.NRGBAAt(x, y); !seen[y*w+x] && distance(c, s.ground) > near {
				if places := flood(img, seen, image.Pt(x, y), c); len(places) >= least {
					s.blobs = append(s.blobs, blobOf(places, c))
				}
			}
		}
	}
	slices.SortStableFunc(s.blobs, func(a, b blob) int { return cmp.Compare(b.area, a.area) })
	s.blobs = s.blobs[:min(len(s.blobs), mostBlobs)]
	slices.SortStableFunc(s.blobs, func(a, b blob) int {
		return cmp.Or(cmp.Compare(a.box.Min.X, b.box.Min.X), cmp.Compare(a.box.Min.Y, b.box.Min.Y))
	})
	return s
}

// groundOf returns the most frequent colour along the border.
func groundOf(img *image.NRGBA) color.NRGBA {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	count := map[color.NRGBA]int{}
	var best color.NRGBA
	add := func(x, y int) {
		c := img.NRGBAAt(x, y)
		coarse := color.NRGBA{c.R &^ 15, c.G &^ 15, c.B &^ 15, 255}
		count[coarse]++
		if count[coarse] > count[color.NRGBA{best.R &^ 15, best.G &^ 15, best.B &^ 15, 255}] || best.A == 0 {
			best = c
		}
	}
	for x := range w {
		add(x, 0)
		add(x, h-1)
	}
	for y := range h {
		add(0, y)
		add(w-1, y)
	}
	return best
}

// flood returns the connected pixels of about the same colour, and marks them as seen.
func flood(img *image.NRGBA, seen []bool, from image.Point, c color.NRGBA) []image.Point {
	w := img.Bounds().Dx()
	places := []image.Point{from}
	seen[from.Y*w+from.X] = true
	for next := 0; next < len(places); next++ {
		for _, d := range []image.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
			p := places[next].Add(d)
			if p.In(img.Bounds()) && !seen[p.Y*w+p.X] && distance(img.NRGBAAt(p.X, p.Y), c) <= near {
				seen[p.Y*w+p.X] = true
				places = append(places, p)
			}
		}
	}
	return places
}

// blobOf returns the blob that consists of the pixels.
func blobOf(places []image.Point, c color.NRGBA) blob {
	b := blob{colour: nameOf(c), area: len(places), places: places}
	for _, p := range places {
		b.box = b.box.Union(image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))})
	}
	return b
}

// largest returns the blob with the most pixels.
func (s scene) largest() (blob, bool) {
	if len(s.blobs) == 0 {
		return blob{}, false
	}
	return slices.MaxFunc(s.blobs, func(a, b blob) int { return cmp.Compare(a.area, b.area) }), true
}

// segmented is one segment of a picture.
type segmented struct {
	label

	Mask string `json:"mask"`
}

// segment returns the masks of all blobs, or of those selected by points, boxes, words or a rough mask.
func segment(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	found := []blob{}
	switch {
	case len(q.numbers("points")) > 0:
		found = append(found, pointed(sc.img, q))
	case len(q.numbers("boxes")) > 0:
		for _, b := range q.numbers("boxes") {
			found = append(found, sc.within(image.Rect(b[0], b[1], b[2], b[3])))
		}
	case q.has("mask_image"):
		rough, err := q.picture("mask_image")
		if err != nil {
			return nil, err
		}
		found = append(found, sc.under(rough))
	default:
		found = wd.meant(sc, q.word("prompt"))
	}
	all := []segmented{}
	for _, b := range found {
		encoded, err := base64PNG(maskOf(sc.img.Rect, b.places))
		if err != nil {
			return nil, err
		}
		all = append(all, segmented{label{wd.wordFor(b.colour), b.score()}, encoded})
	}
	return all, nil
}

// maskOf returns a mask that is white at the pixels.
func maskOf(r image.Rectangle, places []image.Point) *image.Gray {
	mask := image.NewGray(r)
	for _, p := range places {
		mask.SetGray(p.X, p.Y, color.Gray{Y: 255})
	}
	return mask
}

// pointed returns the areas at the included points, without those at the excluded points.
func pointed(img *image.NRGBA, q *request) blob {
	labels, _ := q.params["labels"].([]any) //nolint:errcheck // absent is all on it
	wanted, unwanted := make([]bool, len(img.Pix)/4), make([]bool, len(img.Pix)/4)
	var colour color.NRGBA
	var on, sum []image.Point
	for i, p := range q.numbers("points") {
		at := image.Pt(p[0], p[1])
		c := img.NRGBAAt(at.X, at.Y)
		switch {
		case i < len(labels) && labels[i] == 0.0:
			flood(img, unwanted, at, c)
		case !wanted[at.Y*img.Rect.Dx()+at.X]:
			on = append(on, flood(img, wanted, at, c)...)
			colour = c
		}
	}
	for _, p := range on {
		if !unwanted[p.Y*img.Rect.Dx()+p.X] {
			sum = append(sum, p)
		}
	}
	return blobOf(sum, colour)
}

// within returns the parts of blobs in a box, or else the box.
func (s scene) within(r image.Rectangle) blob {
	var sum []image.Point
	colour := s.ground
	for _, b := range s.blobs {
		for _, p := range b.places {
			if p.In(r) {
				sum = append(sum, p)
				colour = s.img.NRGBAAt(p.X, p.Y)
			}
		}
	}
	if len(sum) == 0 {
		sum = placesIn(r.Intersect(s.img.Rect), func(image.Point) bool { return true })
	}
	return blobOf(sum, colour)
}

// under returns the blobs that are more than half covered by a rough mask, or else the mask.
func (s scene) under(rough *image.NRGBA) blob {
	var sum []image.Point
	covered := func(p image.Point) bool { return light(rough.NRGBAAt(p.X, p.Y)) > 127 }
	colour := s.ground
	for _, b := range s.blobs {
		n := 0
		for _, p := range b.places {
			if covered(p) {
				n++
			}
		}
		if n*2 > b.area {
			sum = append(sum, b.places...)
			colour = s.img.NRGBAAt(b.places[0].X, b.places[0].Y)
		}
	}
	if len(sum) == 0 {
		sum = placesIn(s.img.Rect, covered)
	}
	return blobOf(sum, colour)
}

// placesIn returns the wanted pixels of a rectangle.
func placesIn(r image.Rectangle, wanted func(image.Point) bool) []image.Point {
	var all []image.Point
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if p := image.Pt(x, y); wanted(p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// greyOf returns a picture in greyscale.
func greyOf(img *image.NRGBA) *image.Gray {
	g := image.NewGray(img.Rect)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			g.SetGray(x, y, color.Gray{Y: uint8(light(img.NRGBAAt(x, y)))}) //nolint:gosec // 0 to 255
		}
	}
	return g
}
