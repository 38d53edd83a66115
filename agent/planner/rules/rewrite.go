package rules

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// quotePasted puts quotation marks around a table in a request, so that its lines and commas do not separate
// orders: "a bar chart of this:\nMon,3\nTue,5".
func (p *Planner) quotePasted(wish string) string {
	lines := strings.Split(strings.ReplaceAll(wish, "\r\n", "\n"), "\n")
	for from := range lines {
		for _, separator := range []string{"|", "\t", ";", ","} {
			to := from
			for to < len(lines) && strings.Count(lines[to], separator) == strings.Count(lines[from], separator) {
				to++
			}
			if !strings.Contains(lines[from], separator) || !p.isTable(lines[from:to]) {
				continue
			}
			before, after := unfenced(lines[:from]), unfenced(lines[to:])
			table := strings.Join(lines[from:to], english.LineEnd)
			return strings.TrimSpace(strings.Join(before, "\n")) + " “" + table + "” " + strings.TrimSpace(strings.Join(after, "\n"))
		}
	}
	return wish
}

// isTable reports whether lines with equal numbers of cells are a table: at most half of them begin with a verb.
func (p *Planner) isTable(lines []string) bool {
	orders := 0
	for _, l := range lines {
		if words := p.Lexicon.Words(l, []retrieve.Span{}); len(words) > 0 && p.IsVerb(words[0]) { // a column may be called "name"
			orders++
		}
	}
	return len(lines) > 1 && 2*orders <= len(lines) && !strings.ContainsAny(strings.Join(lines, ""), "“”")
}

// unfenced removes the fences of code blocks.
func unfenced(lines []string) []string {
	var rest []string
	for _, l := range lines {
		if !strings.HasPrefix(strings.TrimSpace(l), "```") {
			rest = append(rest, l)
		}
	}
	return rest
}

// unquotePasted restores the line ends of a pasted table in an outcome.
func unquotePasted(o *outcome) {
	restore := func(s string) string { return strings.ReplaceAll(s, english.LineEnd, "\n") }
	for i := range o.subtasks {
		sub := &o.subtasks[i]
		for j := range sub.Said {
			if strings.Contains(sub.Said[j].Text(), english.LineEnd) { // the words beside the table may name a column
				sub.Said[j] = plan.Said{Words: beside(sub.Description), Type: sub.Said[j].Type}
			}
		}
		for j := range sub.Args {
			sub.Args[j].Source.Value = restore(sub.Args[j].Source.Value)
		}
		sub.Description = restore(sub.Description)
	}
	for i := range o.left {
		o.left[i] = plan.Unhandled{Part: restore(o.left[i].Part), Unknown: o.left[i].Unknown}
	}
}

// beside returns the words of a description before and after its pasted table.
func beside(description string) string {
	before, after, _ := strings.Cut(description, english.LineEnd)
	_, after, _ = strings.Cut(after, "”")
	if at := strings.LastIndex(before, "“"); at >= 0 {
		before = before[:at]
	}
	return strings.TrimSpace(strings.TrimRight(before, " :") + " " + strings.TrimSpace(after))
}

// People leave out the verb or the quotation marks for text to write on a picture or a video: "SALE at the top right",
// "title: Summer 2024, top center". Such text is quoted before the request is split, so that its commas and "and"s
// stay part of it.

const (
	aPlace = `(?:(?:very )?(?:top|bottom|upper|lower|left|right|cent(?:er|re)|middle)(?:[ -](?:left|right|cent(?:er|re)|middle|corner|edge|part|side))*|corner)`
	// places matches a place, possibly in parts: "in the corner, bottom right".
	places = `(?:(?:,\s*|\s+)(?:(?:in|at|on|near|across|along|over)\s+)?(?:the\s+)?` + aPlace + `)+`
	// capitals matches capitalized words, with small words between them: "Sold Out", "Back to School".
	capitals = `(?:©\s?)?\p{Lu}[\p{L}\d'’.!?&-]*(?:\s+(?:(?:of|the|and|to|for|in|a|&)\s+)*[\p{Lu}\d][\p{L}\d'’.!?&-]*)*`
	textNoun = `(?i:(?:the\s+|a\s+|my\s+|our\s+)?(?:text|words?|title|caption|heading|headline|watermark|name|slogan|initials))`
)

var (
	// unquoted matches a possible text: its introduction, the text, and its place.
	unquoted = lazyregexp.New(`(^|[.;,]\s*|\b(?i:and|then)\s+)((?i:write|put|add|place|print|stamp|stick)\s+)?(` + textNoun + `:?\s+)?` +
		`(` + capitals + `|"[^"]+"|“[^”]+”)(` + places + `)\b`)
	// labelled matches a request that is only a text after a noun for it: "caption: our first house".
	labelled = lazyregexp.New(`^` + textNoun + `\s*:\s*([^"“]+?)(` + places + `)?[.!]?$`)
	// memeLines matches the two lines of a meme, each after its place.
	memeLines = lazyregexp.New(`(?i)^(.*?)\b(?:the )?(?:top|upper)` + ofLine + aLine + `\s*[,;]?\s+(?:and |with )?(?:the )?` +
		`(?:bottom|lower)` + ofLine + aLine + `[.!]?$`)
	// memeTexts matches the same lines, each before its place.
	memeTexts = lazyregexp.New(`(?i)^(.*\bmeme\b.*?)(?:\bwith|\bsaying|\bthat says|:)\s+` + aLine + ` (?:on|at|in) (?:the )?top,? (?:and )?(?:with )?` +
		aLine + ` (?:on|at|in) (?:the )?bottom[.!]?$`)
	preposition = lazyregexp.New(`(?i)^,?\s*(?:in|at|on|near|across|along|over)\b`)
)

const (
	ofLine = `(?: (?:text|line|caption|row))?(?: (?:says?|saying|is|reads?|reading))?\s*:?\s+`
	aLine  = `("[^"]+"|'[^']+'|“[^”]+”|[^,;:"“/]+?)`
)

// quoted quotes the text to write, and adds the missing verb. It changes nothing if the words may mean another file:
// "Logo at the top right" with a logo.
func (p *Planner) quoted(r plan.Request, text string) string {
	files := r.Given
	if len(files) == 0 {
		files = r.Earlier
	}
	if len(files) != 1 || profile.Base(files[0].Type) != plan.Image && files[0].Type != plan.Video {
		return text
	}
	if meme := asMeme(text); meme != "" {
		return meme
	}
	if m := labelled.FindStringSubmatch(text); m != nil {
		return `write "` + m[1] + `"` + at(m[2])
	}
	orders := 0
	return unquoted.ReplaceAllStringFunc(text, func(found string) string {
		m := unquoted.FindStringSubmatch(found)
		before, verb, noun, said, place := m[1], m[2], m[3], m[4], m[5]
		if !strings.ContainsAny(said, `"“`) && noun == "" && !p.isWritten(said) {
			return found
		}
		if listed := strings.TrimSpace(before); verb == "" && (orders == 0 || listed != "and" && listed != ",") {
			verb = "write "
		}
		orders++
		return before + verb + `"` + unmarked(said) + `"` + at(place)
	})
}

// asMeme returns a request for a meme with its two lines as one quotation; "" if the text is not such a request.
func asMeme(text string) string {
	for _, lines := range []lazyregexp.Regexp{memeLines, memeTexts} {
		m := lines.FindStringSubmatch(text)
		if m == nil || strings.EqualFold(m[2], "and") {
			continue
		}
		order := strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(m[1]), "with"), " ,:")
		if order == "" {
			order = "make a meme"
		}
		if strings.Contains(strings.ToLower(order), "meme") {
			return order + ` that says "` + unmarked(m[2]) + " / " + unmarked(m[3]) + `"`
		}
	}
	return ""
}

// unmarked removes the quotation marks around a text.
func unmarked(text string) string { return strings.Trim(text, `"“”'`) }

// at returns a place with its preposition.
func at(place string) string {
	if place == "" || preposition.MatchString(place) {
		return place
	}
	place = strings.TrimSpace(strings.TrimPrefix(place, ","))
	return " at the " + strings.TrimPrefix(place, "the ")
}

// isWritten reports whether capitalized words can only be a text: none of them asks for a tool or names a file.
func (p *Planner) isWritten(said string) bool {
	words := p.Lexicon.Words(said, []retrieve.Span{})
	upper := strings.ToUpper(said) == said && len(said) > 3
	for _, w := range words {
		known := p.Index.Known(w.Stem) || p.Listed(w.Lower()) && !p.Is("video nouns", w) || p.IsVerb(w) || retrieve.IsFormat(w.Lower())
		if known && len(words) == 1 && !upper || retrieve.IsFormat(w.Lower()) && len(words) == 1 {
			return false
		}
	}
	return len(words) > 0 && (len(words) == 1 || upper || !p.IsVerb(words[0]))
}

// People say which of several files they do not mean, or which one comes first: "all of them except the last one",
// "merge these, the invoice first". Such wishes are rewritten with the names of the files before they are split, since
// these words apply to the whole wish.

const (
	// oneOf matches one of several files, by its position or by a word of its name.
	oneOf     = `(?:the |my |our )?(?:(?:[\w-]+ )?(?:one|picture|photo|image|file|clip|video|recording|sound|track|song|pdf|document)|[\w.-]+)`
	fileNouns = `(?:pictures|photos|images|files|clips|videos|sounds|tracks|recordings|songs|pdfs|documents|scans|screenshots)`
	// theFiles matches a reference to all files.
	theFiles = `(?:(?:all|each|every one|both) of (?:them|these|those)|(?:all|both) (?:of )?(?:the |these |those |my |our )?` + fileNouns + `|` +
		`(?:the |these |those )` + fileNouns + `|all|both|everything|every one|each one|them all|them|these|those)`
	exceptWord = `(?:except(?: for)?|excluding|apart from|other than|but(?: only)? not|but|not|leave out)`
)

var (
	// excepted matches the exclusion of files.
	excepted = lazyregexp.New(`(?i)(?:,\s*|\s+)(?:and |but )?` + exceptWord + ` (` + oneOf + `)`)
	// exceptedFirst matches it at the start: "not the first, the others to png".
	exceptedFirst = lazyregexp.New(`(?i)^not (` + oneOf + `)\s*[,;:.-]\s*`)
	// firstOf matches the choice of the first or last file.
	firstOf = lazyregexp.New(`(?i)(?:[,;:]\s*|\s+)(?:and |but )?(?:with |put |place |have |play |move )?` +
		`(` + oneOf + `) (first|last|(?:at|to) the (?:start|beginning|front|end))\b`)
	// onlyFirstOf matches a wish that only makes this choice: "put the intro last".
	onlyFirstOf = lazyregexp.New(`(?i)^(?:put|place|have|play|move) (` + oneOf + `) (first|last|(?:at|to) the (?:start|beginning|front|end))[.!]?$`)
	// beginning matches another form of it: "starting with the last one".
	beginning = lazyregexp.New(`(?i)(?:,\s*|\s+)(start|begin|end)(?:ing|s)? with (` + oneOf + `)`)
	// inTurn matches all files in their order, and only that: "part2 first, then part1".
	inTurn  = lazyregexp.New(`(?i)(?:^|[,:;] )(?:with |put |play )?(` + oneOf + `) first((?:,? (?:and )?then ` + oneOf + `)+)[.!]?$`)
	thenOne = lazyregexp.New(`(?i),? (?:and )?then (` + oneOf + `)`)
	// backToFront matches the opposite of the order in which the files came.
	backToFront = lazyregexp.New(`(?i),? (?:but )?in (?:the )?(?:reversed?|opposite) order\b`)
	allFiles    = lazyregexp.New(`(?i)\b` + theFiles + `\b`)
	otherOnes   = lazyregexp.New(`(?i)\b(?:the )?(?:others|rest|other (?:ones|two|three|files|pictures|photos|images|clips|videos))\b`)
	joining     = lazyregexp.New(`(?i)^(?:pdf|gif)\b|\b(?:merge|join|combine|concatenate|stitch|glue|append|string|` +
		`put (?:them|these|all|both)? ?together|(?:one|a|single|into a|as a|to) pdf|pdf of|gif of|slideshow)\b`)
	// countOfFiles matches the number of files: "make these 2 pictures smaller".
	countOfFiles = lazyregexp.New(`(?i)\b(these|those|all|the) (\d|two|three|four|five) (` + fileNouns + `|pics)\b`)

	ofPages = lazyregexp.New(`(?i)\bpages?\b`)
)

// whichFiles rewrites a wish about several files with the names of those that it means.
func whichFiles(r plan.Request, text string) string {
	given := slices.DeleteFunc(slices.Clone(r.Given), func(res plan.Resource) bool { return res.On != "" })
	if len(given) < 2 || ofPages.MatchString(text) {
		return text
	}
	if m := countOfFiles.FindStringSubmatchIndex(text); m != nil && numberOf(text[m[4]:m[5]]) == len(given) {
		text = text[:m[4]] + text[m[6]:]
	}
	if m := exceptedFirst.FindStringSubmatch(text); m != nil {
		if one := oneFile(given, m[1]); one >= 0 {
			return withFiles(text[len(m[0]):], slices.Delete(slices.Clone(given), one, one+1))
		}
	}
	if m := excepted.FindStringSubmatchIndex(text); m != nil {
		if one := oneFile(given, text[m[2]:m[3]]); one >= 0 {
			return withFiles(text[:m[0]]+text[m[1]:], slices.Delete(slices.Clone(given), one, one+1))
		}
	}
	if order, rest := turns(given, text); len(order) == len(given) {
		return withFiles(rest, order)
	}
	if onlyFirstOf.MatchString(text) && given[0].Type != plan.Image && ofOneType(given) {
		text = "join them, " + text
	}
	if !joining.MatchString(text) {
		return text
	}
	if at := backToFront.FindStringIndex(text); at != nil {
		slices.Reverse(given)
		return withFiles(text[:at[0]]+text[at[1]:], given)
	}
	for _, form := range []lazyregexp.Regexp{firstOf, beginning} {
		m := form.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		said, where := text[m[2]:m[3]], text[m[4]:m[5]]
		if form.String() == beginning.String() {
			said, where = where, said
		}
		one := oneFile(given, said)
		if one < 0 {
			continue
		}
		rest := slices.Delete(slices.Clone(given), one, one+1)
		order := slices.Concat(given[one:one+1], rest)
		if where = strings.ToLower(where); strings.HasSuffix(where, "last") || strings.HasSuffix(where, "end") {
			order = slices.Concat(rest, given[one:one+1])
		}
		return withFiles(text[:m[0]]+text[m[1]:], order)
	}
	return text
}

// turns returns the files in the order that a wish states for each of them, and the rest of the wish. A wish that states
// nothing else joins them.
func turns(given []plan.Resource, text string) (order []plan.Resource, rest string) {
	m := inTurn.FindStringSubmatchIndex(text)
	if m == nil {
		return nil, ""
	}
	said := []string{text[m[2]:m[3]]}
	for _, next := range thenOne.FindAllStringSubmatch(text[m[4]:m[5]], -1) {
		said = append(said, next[1])
	}
	for _, name := range said {
		one := oneFile(given, name)
		if one < 0 || slices.ContainsFunc(order, func(f plan.Resource) bool { return f.Name == given[one].Name }) {
			return nil, ""
		}
		order = append(order, given[one])
	}
	return order, cmp.Or(text[:m[0]], "join them")
}

// numberOf is a small number in words or in figures; else 0.
func numberOf(said string) int {
	for n, word := range []string{"two", "three", "four", "five"} {
		if strings.EqualFold(said, word) {
			return n + 2
		}
	}
	if len(said) == 1 && said[0] >= '2' && said[0] <= '9' {
		return int(said[0] - '0')
	}
	return 0
}

func ofOneType(files []plan.Resource) bool {
	return !slices.ContainsFunc(files, func(f plan.Resource) bool { return f.Type != files[0].Type })
}

// oneFile returns the index of the only file that is meant, by its position, its name, a word of its name or its
// extension; -1 if there is none or several are meant.
func oneFile(given []plan.Resource, said string) int {
	words := strings.Fields(strings.ToLower(said))
	for _, w := range words {
		if n := english.Ordinals[w]; n > 0 && n <= len(given) {
			return n - 1
		} else if n < 0 {
			return len(given) + n
		}
	}
	found := -1
	for i, res := range given {
		name := strings.ToLower(cmp.Or(res.File, res.Name))
		ending := path.Ext(name)
		stem := english.WordsOf(strings.TrimSuffix(name, ending))
		if !slices.ContainsFunc(words, func(w string) bool { return w == name || "."+w == ending || len(w) > 2 && slices.Contains(stem, w) }) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// withFiles replaces a reference to all files by names, or else appends them to the first clause.
func withFiles(text string, files []plan.Resource) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	listed := strings.Join(names, " and ")
	for _, form := range []lazyregexp.Regexp{otherOnes, allFiles} {
		if at := form.FindStringIndex(text); at != nil {
			return text[:at[0]] + listed + text[at[1]:]
		}
	}
	text = strings.TrimRight(strings.TrimSpace(text), ".!")
	return text + " " + listed
}

// mixesIn matches a wish to add a sound to that of a video: "mix the song in at 20%".
var mixesIn = lazyregexp.New(`(?i)\bmix ((?:the|this|that|my|our|some) )?(music|song|track|audio|sound|tune) in(?:to (?:it|the (?:video|clip)))?\b([^,.;]*)`)

// mixed adds that a video keeps its own sound if another one is mixed in.
func mixed(r plan.Request, text string) string {
	if !slices.ContainsFunc(r.Given, func(f plan.Resource) bool { return f.Type == plan.Video }) {
		return text
	}
	return mixesIn.ReplaceAllString(text, "mix $1$2 into the video$3, keep the original sound")
}

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

// sized replaces the name of a platform, or the size of a print, with a size in pixels: "make this fit an instagram story"
// becomes "make it 1080x1920 cropped".
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
		if size, more, ok := p.platforms.Size(wish); ok && (!video || !isPrint(wish)) {
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

// isPrint reports whether a wish has the size of a print, which no video has.
func isPrint(wish string) bool {
	_, end, _ := quantity.Print(wish)
	return end > 0
}

// ratioOf returns the aspect ratio of a size: "16:9" for "1280x720".
func ratioOf(pixels string) string {
	size, _ := quantity.Size(pixels)
	return english.Ratio(size.Width, size.Height)
}
