package english

import (
	"strconv"
	"strings"
	"unicode"

	"atelier/agent/lazyregexp"
)

// Tidy makes the request valid text of a bounded length.
func (g *Grammar) Tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	if len(text) > maxRequest {
		text = strings.ToValidUTF8(text[:maxRequest], "")
	}
	text = spelling(text)
	text = blackAndWhite.ReplaceAllString(text, "black and white")
	text = contracted.ReplaceAllString(text, "$1's")
	text = jpegXL.ReplaceAllString(text, "jxl")
	text = chartTitle.ReplaceAllString(text, `$1 "$2"`)
	text = keptPart.ReplaceAllString(text, "$2 everything except $1")
	text = sizedPages.ReplaceAllString(text, "$1, then make them $2")
	text = inZip.ReplaceAllString(text, "$1, then zip them$2")
	text = chartData.ReplaceAllString(text, "$1: $2")
	text = captions.ReplaceAllStringFunc(text, quotedCaptions)
	text = copyright.ReplaceAllString(text, `$1"$2"$3`)
	if strings.ToUpper(text) != text {
		text = shouted.ReplaceAllString(text, `$1"$2"$3`)
	}
	text = bothEnds.ReplaceAllString(text, "$1 1 $2")
	text = g.noThing.ReplaceAllString(text, "${1}without $2")
	return strings.TrimSpace(listMark.ReplaceAllString(steps(text), "$1$2; "))
}

// shorthand is how people write words in a chat, and what they stand for.
var shorthand = []struct {
	written lazyregexp.Regexp
	means   string
}{
	{lazyregexp.New(`(?i)\bw/o\b`), "without"},
	{lazyregexp.New(`(?i)\bw/(\s|\pL)`), "with $1"},
	{lazyregexp.New(`(?i)(\pL) n (\pL)`), "$1 and $2"},
	{lazyregexp.New(`(?i)\bsb\b`), "somebody"},
	{lazyregexp.New(`(?i)\bppl\b`), "people"},
	{lazyregexp.New(`(?i)\bsubs\b`), "subtitles"},
	{lazyregexp.New(`(?i)\b(can|won|don|doesn|isn|aren|didn|wasn)t\b`), "$1't"},
	{lazyregexp.New(`(?i)\bits (too|not|a|an|the|in|on|for|way|so|very|lying|upside|sideways)\b`), "it's $1"},
	{lazyregexp.New(`(?i)\b(counter|anti)[ -]clockwise\b`), "${1}clockwise"},
	{lazyregexp.New(`(?i)\bslow?[ -]?mo\b`), "slow motion"},
	{lazyregexp.New(`(?i)\bkeep (?:it|this|them) as (?:an? )?(jpe?g|png|webp|gif|mp4|mp3|wav)\b`), "save it as $1"},
	{lazyregexp.New(`([^\d\s])\s+(?:[—–]|--)\s+([^\d\s])`), "$1. $2"},
	{lazyregexp.New(`(?i)\b(\d+) and a half (seconds?|secs?|minutes?|mins?|hours?|times)\b`), "$1.5 $2"},
	{lazyregexp.New(`(?i)\b(?:normal|regular|ordinary|standard|plain) (jpe?g|png|pdf|mp4|mp3|wav|gif)\b`), "$1"},
	{lazyregexp.New(`(?i)\b(borders?|frames?|edges?|margins?|box|line|outline|circle) round\b`), "$1 around"},
	{lazyregexp.New(`(?i)\b(?:make|use) ((?:the|this|that|my|our)(?: \pL+)?) (?:as |into )?the soundtrack` +
		`(?: (?:of|for) (?:the|this|that|my|our) (?:video|clip|film))?\b`),
		"put $1 under the video"},
	// the label of a mark: "a circle around the top left with the number 1"
	{lazyregexp.New(`(?i)\b((?:circle|box|arrow|dot|rectangle|ring|frame)\b[^,.;]*?) ` +
		`with (?:the |an? )?(?:number|letter) (\pL|\d{1,3})\b`), `$1 with the label "$2"`},
	{lazyregexp.New(`(?i)\bauto[ -]?(enhance|correct)\b`), "auto $1"},
	{lazyregexp.New(`(?i)\b(?:resize|scale|make) ([^,.;]*?),? (?:and )?(?:stretched|by stretching(?: it)?)\b`), "stretch $1"},
	// bars by other words: "fill the rest with black", "don't crop, white bars"
	{lazyregexp.New(`(?i),? (?:and |then )*fill(?: up)? (?:the )?(?:rest|remaining (?:space|area)|empty (?:space|area)|gaps?|sides?|edges)(?: of it)? ` +
		`(?:with|in) (\pL+)(?: bars)?\b`), " with $1 bars"},
	{lazyregexp.New(`(?i),? (?:but |and )?(?:(?:don['’]?t|do not) crop(?: it| anything)?|no crop(?:ping)?|without cropping(?: it| anything)?),? ` +
		`(?:and |but |just )?(?:add |use |with |put )?(\pL+) (?:bars|borders)\b`), " with $1 bars"},
	// the verb that goes on: "crop the left half, then the top half of that"
	{lazyregexp.New(`(?i)\b(crop|cut|trim|blur|pixelate|black out|keep) ((?:it |this )?(?:out |off |to )?the [^,.;]*?),? (?:and )?then ` +
		`(the (?:top|bottom|upper|lower|left|right|middle|first|last)\b)`), "$1 $2, then $1 $3"},
	{lazyregexp.New(`(?i)\b(?:everyone|everybody|people|(?:the|these|all) people|(?:the |these |all )?(?:kids|children))['’]?s?['’]? faces?\b`), "the faces"},
	{lazyregexp.New(`(?i)\bsee[- ]?through\b`), "transparent"},
	{lazyregexp.New(`(?i)\blook (?:like|as if it (?:is|was|were)) (?:an? )?(?:really |very )?(?:old|antique|vintage|old[- ]fashioned) ` +
		`(?:photo|picture|photograph|pic)\b`), "sepia"},
	{lazyregexp.New(`(?i)\b(?:remove|drop|delete|kill|ditch|lose|get rid of|take out|throw out) (?:the |all |any )?` +
		`(?:doubles|dupes|repeats|double (?:lines|entries|ones|rows))\b`), "remove the duplicates"},
	{lazyregexp.New(`(?i)\b(?:mask|(?:blank|star|x) out) ((?:all |the |any |every |their )*(?:e-?mails?|phone|links?|urls?|dates?)\b)`), "redact $1"},
	// how loud what is put under something is: "add the music, quiet"
	{lazyregexp.New(`(?i)\b((?:music|song|track|sound|audio|background)\b[^,.;]*), ` +
		`(?:but |and )?(?:keep it |make it |very |really )?(quiet|soft)([.!]?$)`), "$1 ${2}ly$3"},
	// a fade in is at the start anyway
	{lazyregexp.New(`(?i)\b(fades?(?: (?:it|this|the \pL+))? in) (?:at|from) the (?:very )?(?:start|beginning)\b`), "$1"},
	{lazyregexp.New(`(?i)\b(fades?(?: (?:it|this|the \pL+))? in),? and (?:then )?(?:fades? )?(?:it )?out(?: at the (?:very )?end)?\b`), "$1 and out"},
	// what is complained of is what the order puts right: "it's too dark, brighten it"
	{lazyregexp.New(`(?i)^(?:it['’]?s|it is|this is|that['’]?s|(?:the|this|my) \pL+ is|this one['’]?s|way|far|much|a bit|a little)` +
		`(?: (?:way|far|much|a bit|a little|still|really))* too (?:dark|bright|light|dim|dull|pale|blurry|soft|cold|warm|flat)[,;.!]? ` +
		`(?:so |and |please |can you |could you |pls )*(brighten|darken|lighten|sharpen|warm|cool)\b`), "$1"},
	{lazyregexp.New(`(?i)\b(make|scale|resize|upscale|get|turn|convert) (it|this|that|the \pL+)(?: up)?(?: (?:to|into|in))? 4k\b`), "$1 $2 3840 px wide"},
	{lazyregexp.New(`(?i)\b(?:centered|centred)\b`), "in the centre"},
	{lazyregexp.New(`(?i)\b((?:replace|swap|substitute) (?:all |the |every |any |their )*` +
		`(?:e-?mails?|phones?|(?:e-?mail|mail) addresses|phone numbers?|links?|urls?|dates?|numbers?) (?:with|by|for)) ([^\s"“,.!]+)([.!]?$)`), `$1 "$2"$3`},
	{lazyregexp.New(`(?i)\b(frame ?rate\b[^,.;\d]*?(?:to|at) \d+)([,.!]?$|,? (?:and|then)\b)`), "$1 fps$2"},
	{lazyregexp.New(`(?i)\bspeed (it|this|that|the \pL+) up (a (?:little )?bit|a little|slightly)\b`), "make $1 $2 faster"},
	{lazyregexp.New(`(?i)\bslow (it|this|that|the \pL+) down (a (?:little )?bit|a little|slightly)\b`), "make $1 $2 slower"},
	{lazyregexp.New(`(?i)\b(split|cut|chop|divide) (it|this|that|the \pL+) (?:in|into) (?:half|halves|two (?:equal )?halves)\b`), "split $2 into 2 parts"},
	// what becomes of pages: "make page 2 black and white"
	{lazyregexp.New(`(?i)\b(?:make|turn) ((?:the )?(?:first|second|last) page|pages? \d+)((?: of| from)? (?:the|this|my|that) (?:pdf|document|file|doc))? ` +
		`((?:black and white|grey|gray|gr[ae]yscale|sepia|brighter|darker|lighter|sharper|blurry|warmer)\b)`), "make a picture of $1$2, then make it $3"},
	// several files of a format: "as jpgs"
	{lazyregexp.New(`(?i)\b(jpe?g|png|gif|webp|heic|tiff|bmp|avif|mp3|mp4|wav|flac|mov|webm)s\b`), "$1"},
	// what is not wanted: "1600x900 instead of square"
	{lazyregexp.New(`(?i)\s+instead of (?:an? |the )?(?:jpe?g|png|gif|webp|heic|mov|mp4|avi|mkv|webm|wav|mp3|m4a|flac|ogg|pdf|` +
		`square|portrait|landscape|vertical|horizontal|round|cropping|stretching|squashing|\d+:\d+)(,|;|\s+(?:please|pls|and)\b|[.!?]?$)`), "$1"},
}

// spelling writes out what people shorten or stretch in a chat: "waaay too dark", "w/ blurred sides".
func spelling(text string) string {
	for _, s := range shorthand {
		text = s.written.ReplaceAllString(text, s.means)
	}
	words := strings.SplitAfter(text, " ")
	for i, w := range words {
		if !strings.ContainsAny(w, "#0123456789./_:\"'“”") && !strings.Contains(strings.ToLower(w), "www") {
			words[i] = unstretched(w)
		}
	}
	return strings.Join(words, "")
}

// unstretched is a word with each letter that is written more than twice in a row written once: "waaay".
func unstretched(word string) string {
	var b strings.Builder
	runes := []rune(word)
	if strings.Trim(word, string(runes[:min(1, len(runes))])+" ,.!") == "" { // "xxx"
		return word
	}
	for i := 0; i < len(runes); {
		end := i + 1
		for end < len(runes) && unicode.ToLower(runes[end]) == unicode.ToLower(runes[i]) {
			end++
		}
		if end-i > 2 && unicode.IsLower(runes[i]) {
			b.WriteRune(runes[i])
		} else {
			b.WriteString(string(runes[i:end]))
		}
		i = end
	}
	return b.String()
}

// maxRequest is the most bytes of a request that are read.
const maxRequest = 8000

// blackAndWhite is how people shorten that: it would be read as three words.
var blackAndWhite = lazyregexp.New(`(?i)\bb ?[/&] ?w\b`)

// contracted are questions that people write without the apostrophe.
var contracted = lazyregexp.New(`(?i)\b(what|where|who|how)s\b`)

// jpegXL is how people call that format: it would be read as JPEG.
var jpegXL = lazyregexp.New(`(?i)\bjpe?g[ -]?xl\b`)

// chartTitle is how people give a chart its title without quotation marks.
var chartTitle = lazyregexp.New(`((?i:\b(?:chart|graph|plot|diagram)\b.*?\b(?:titled|entitled|(?:title|heading|headline)(?: is| should be)?(?: ?: ?)?)))\s+` +
	`([A-Z][^"“”,.;:\n]+?)(?: please)?\s*$`)

// sizedPages is how people say how large the pictures of pages are to be: "each page as a picture, half size".
var sizedPages = lazyregexp.New(`(?i)(\bpages?\b[^,.;]*\b(?:pictures?|images?|pngs?|jpe?gs?)),? (?:at |in |and )?` +
	`((?:half|a quarter|quarter|\d+ ?%)(?: of)?(?: the| its| their)?(?: original)? (?:size|resolution)|half as (?:large|big)|` +
	`\d+ ?(?:px|pixels) (?:wide|high|tall))[.!]?$`)

// chartData is how people give a chart its figures without a colon: "a pie chart of A 10, B 20, C 30".
var chartData = lazyregexp.New(`(?i)\b((?:chart|graph|plot|diagram|histogram)(?: in \w+)?)\s+(?:of|with|for|from|showing)\s+` +
	`((?:\pL[\pL\d ]*?[ =]-?\d+(?:[.,]\d+)?%?\s*(?:,|;|\band\b)\s*)+\pL[\pL\d ]*?[ =]-?\d+(?:[.,]\d+)?%?)\s*$`)

// captions are those of several pictures, which people do not quote: "with captions one, two and three".
var (
	captions   = lazyregexp.New(`(?i)\b(?:captions|labels)(?: are)?:? (?:[^\s,"“”]+, ?)*[^\s,"“”]+(?:,? and |, ?| & )[^\s,"“”.!]+[.!]?$`)
	captionEnd = lazyregexp.New(`(?i)^(\w+)(?: are)?:? (.*?)[.!]?$`)
	lastOne    = lazyregexp.New(`(?i),? (?:and|&) `)
)

func quotedCaptions(said string) string {
	m := captionEnd.FindStringSubmatch(said)
	return m[1] + ` "` + lastOne.ReplaceAllString(m[2], ", ") + `"`
}

// ListsFigures reports whether a text has a list of names with their figures behind a colon: "chart: Mon 3, Tue 5".
func ListsFigures(text string) bool { return figures.MatchString(text) }

var figures = lazyregexp.New(`(?i):\s*(?:\pL[\pL\d ]*?[ =:]+-?\d+(?:[.,]\d+)?%?\s*(?:,|;|\band\b)\s*)+\pL[\pL\d ]*?[ =:]+-?\d`)

// copyright is a notice, which people do not quote: "watermark all with © Ada".
var copyright = lazyregexp.New(`(?i)(^|\s)(©\s?[\p{L}\d&.'’@-]+(?: [\p{L}\d&.'’@-]+){0,3}?)` +
	`([,;!?]|\.?$|\s+(?:in|at|on|to|across|along|over|with|and|bottom|top|lower|upper|left|right|please)\b)`)

// shouted are the words of a stamp, which people write in capitals and do not quote: "put DO NOT COPY across it".
var shouted = lazyregexp.New(`((?i:\b(?:put|write|stamp|print|watermark (?:it|them|this|these) with|(?:saying|says|reads|text|word|words|watermark)))\s+)` +
	`([A-Z]{4,}(?: [A-Z]{2,})*|[A-Z]{2,}(?: [A-Z]{2,})+)(\s+(?:on|across|over|all over|in|at|along|to|diagonally)\b|[.!]?$)`)

// bothEnds is how people name one second at each end: "the first and last second".
var bothEnds = lazyregexp.New(`(?i)\b((?:first|opening) and (?:the )?last) (second|minute)\b`)

// inZip is how people want what they list packed at the end: "100 and 200 px wide as webp in a zip".
var inZip = lazyregexp.New(`(?i)(\b(?:as (?:an? )?[a-z0-9]+|px|pixels?|wide|high|versions|sizes|formats)),? ` +
	`(?:all )?(?:in|inside|as) (?:a|one) (?:single )?zip(?: ?file| archive)?( please)?[.!]?$`)

// keptPart is how people name the part that stays before what is done to the rest: "keep the faces sharp and blur
// the rest" is "blur everything except the faces".
var keptPart = lazyregexp.New(`(?i)\b(?:only )?(?:keep|leave) (?:only )?((?:the|all|every|our|my|his|her|their) [^,.;:]{1,60}?)` +
	`(?: (?:sharp|clear|visible|readable|untouched|alone|in focus|(?:just )?as (?:it is|they are|is)))?` +
	`(?:,? (?:and|but)|,)(?: then)? (blur(?: out)?|pixelate|black out|censor|obscure|hide|cover(?: up)?) ` +
	`(?:everything else|all else|all the rest|the rest|(?:its|their|the) surroundings)(?: of (?:it|the (?:picture|image|photo|screenshot|video)))?\b`)

// numberMark is what may begin a step of a numbered list: "2. ", "3) ".
var numberMark = lazyregexp.New(`(?:^|\s)(\d)[.):]\s+`)

// ownVersion speaks of a result of its own.
var ownVersion = lazyregexp.New(`(?i)\b(?:versions?|copy|copies|variants?)\b`)

// listMark is what begins a point of a list: "- rotate it", "2. rotate it", "3) rotate it".
var listMark = lazyregexp.New(`((?:^|\n)\s*)(?:[-*•]|\d[.):])\s+|((?:^|[.!?:;,])\s*)\d[.):]\s+|\s\d\)\s+`)

// steps writes a numbered list as steps that go on from one another: "1. rotate it 2. blur it" is
// "; rotate it; then blur it". A step that asks for a version of its own does not go on.
func steps(text string) string {
	var b strings.Builder
	next, from := 1, 0
	for _, m := range numberMark.FindAllStringSubmatchIndex(text, -1) {
		if text[m[2]:m[3]] != strconv.Itoa(next) {
			continue
		}
		b.WriteString(text[from:m[0]])
		from = m[1]
		b.WriteString("; ")
		if line, _, _ := strings.Cut(text[from:], "\n"); next > 1 && !ownVersion.MatchString(line) {
			b.WriteString("then ")
		}
		next++
	}
	if next <= 2 { // a number that is no list
		return text
	}
	return b.String() + text[from:]
}
