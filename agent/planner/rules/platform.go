package rules

import (
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/quantity"
)

// wishes matches the boundary between two orders.
var wishes = lazyregexp.New(`(?i)(?:[.;,]\s|\n|\s(?:and|then)\s)+`)

// whole matches a wish not to crop the picture, and blurs one for blurred bars.
var (
	whole = lazyregexp.New(`(?i)\b(?:do(?:n['’]t| not)|not|no|never|without)\s+(?:cut|crop)\w*|\bbars\b|\bblur\w*`)
	blurs = lazyregexp.New(`(?i)\bblur\w*`)
)

// madeFor matches something made for a platform: "a slideshow of these for insta story".
var (
	madeFor = lazyregexp.New(`(?i)^(.*\b(slideshow|collage|video|film|movie|reel|clip)\b.* (?:of|with|from|out of|per|each)\b.*?),? ` +
		`for (?:an? |my |the |our )?([\pL ]+?)[.!]?$`)
	movie = lazyregexp.New(`(?i)^(?:slideshow|video|film|movie|reel|clip)$`)
)

// sized replaces the name of a platform with its size in pixels: "make this fit an instagram story" becomes "make it
// 1080x1920 cropped".
func (p *Planner) sized(r plan.Request, text string) string {
	files := r.Given
	if len(files) == 0 {
		files = r.Earlier
	}
	if len(files) == 0 {
		return text
	}
	of := "it"
	if len(r.Given) > 1 {
		of = "them"
	}
	video := files[0].Type == plan.Video
	if !video && profile.Base(files[0].Type) != plan.Image {
		return text
	}
	if m := madeFor.FindStringSubmatch(text); m != nil {
		if size, more, ok := p.platforms.Size("make it " + m[3]); ok && more == "" {
			if image := profile.Base(files[0].Type) == plan.Image && !movie.MatchString(m[2]); image {
				return m[1] + ", then make it " + size + " cropped"
			}
			return m[1] + ", then crop it to " + ratioOf(size) + ", then resize it to " + size
		}
	}
	var b strings.Builder
	from := 0
	for _, at := range append(wishes.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		wish := text[from:at[0]]
		if size, more, ok := p.platforms.Size(wish); ok {
			switch {
			case more == "" && whole.MatchString(text): // "instagram story, don't cut anybody off"
				more = "with bars"
				if blurs.MatchString(text) {
					more = "with a blurred background"
				}
				fallthrough
			case more != "":
				wish = "make " + of + " " + size + " " + more
			case video:
				wish = "crop " + of + " to " + ratioOf(size) + ", then resize " + of + " to " + size
			default:
				wish = "make " + of + " " + size + " cropped"
			}
		}
		b.WriteString(wish + text[at[0]:at[1]])
		from = at[1]
	}
	return b.String()
}

// ratioOf returns the aspect ratio of a size: "16:9" for "1280x720".
func ratioOf(pixels string) string {
	size, _ := quantity.Size(pixels)
	return english.Ratio(size.Width, size.Height)
}
