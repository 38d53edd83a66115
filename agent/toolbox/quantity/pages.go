package quantity

import (
	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
)

// maxPage is the highest page number.
const maxPage = 9999

// maxPages is the maximum number of pages in a selection.
const maxPages = 10_000

// PageRange is a range of pages. Negative numbers count from the end: -1 is the last page.
type PageRange struct{ From, To int }

// Pages is a selection of pages, in order. Without ranges it is all pages.
type Pages struct {
	Ranges []PageRange
	// Every is 2 for odd or even pages; First is the first page then.
	Every, First int
	// Others selects the pages that are in no range.
	Others bool
}

// All reports whether every page is selected.
func (p Pages) All() bool { return len(p.Ranges) == 0 && p.Every == 0 }

// Of returns the selected pages of a document with count pages. missing is the first selected page
// that does not exist; 0 if all exist.
func (p Pages) Of(count int) (pages []int, missing int) {
	if p.All() || p.Every > 0 {
		for n := max(1, p.First); n <= count; n += max(1, p.Every) {
			pages = append(pages, n)
		}
		return pages, 0
	}
	for _, r := range p.Ranges {
		from, to := fromEndOf(r.From, count), fromEndOf(r.To, count)
		if r.From < 0 && r.To < 0 {
			from = max(1, from) // "the last 3 pages" of two
		}
		step := 1
		if from > to {
			step = -1
		}
		for n := from; ; n += step {
			if n < 1 || n > count {
				return nil, max(1, n)
			}
			if pages = append(pages, n); n == to || len(pages) > maxPages {
				break
			}
		}
	}
	if !p.Others {
		return pages, 0
	}
	var others []int
	for n := 1; n <= count; n++ {
		if !slices.Contains(pages, n) {
			others = append(others, n)
		}
	}
	return others, 0
}

func fromEndOf(n, count int) int {
	if n < 0 {
		return count + 1 + n
	}
	return n
}

// String returns the canonical form: "all", "even", "2", "1,3-5", "7-last", "last 2", "all but 2".
func (p Pages) String() string {
	switch {
	case p.Every > 0 && p.First == 2:
		return "even"
	case p.Every > 0:
		return "odd"
	case p.All():
		return "all"
	}
	parts := make([]string, len(p.Ranges))
	for i, r := range p.Ranges {
		switch {
		case r.From == -1 && r.To == -1:
			parts[i] = "last"
		case r.From < 0 && r.To == -1:
			parts[i] = "last " + strconv.Itoa(-r.From)
		case r.To == -1:
			parts[i] = strconv.Itoa(r.From) + "-last"
		case r.From == r.To:
			parts[i] = strconv.Itoa(r.From)
		default:
			parts[i] = strconv.Itoa(r.From) + "-" + strconv.Itoa(r.To)
		}
	}
	if p.Others {
		return allBut + strings.Join(parts, ",")
	}
	return strings.Join(parts, ",")
}

// allBut is the prefix of the canonical form with Others.
const allBut = "all but "

const (
	rankWord = `first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d{1,4}(?:st|nd|rd|th)`
	pageTo   = ` ?(?:-|–|to|until|till|through|up to) ?(?:page |the )?`
	pageAnd  = `(?:, ?and | ?, ?| and | ?& ?| plus )(?:page |the )?`
	pageWord = `(?:pages?|pp?\.) ?(?:number |no\.? ?|nr\.? ?|# ?)?`
	onePage  = `(?:\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|last|the end)`
	someNth  = `(?:` + onePage + `|` + rankWord + `)`
	// mixed matches a list that may contain ordinals: "page 2 and the last page".
	mixed  = `(?:the )?(?:pages? )?` + someNth + `(?: pages?| one)?(?:` + pageAnd + `(?:the )?(?:pages? )?` + someNth + `(?: pages?| one)?)*\b`
	listed = onePage + `(?:` + pageTo + onePage + `|` + pageAnd + onePage + `)*`
)

// otherThan matches the words before excluded pages.
const otherThan = `(?:(?:all|every|each|everything)(?: of the)? (?:pages? )?)?(?:but|except(?: for)?|without|apart from|other than) (?:only )?(?:the )?`

var (
	everyPage = lazyregexp.New(`\b(?:every|each|all)(?: of)?(?: (?:the|its|their|my|single))*(?: (odd|even)(?:[- ]numbered)?)?(?: \d{1,4})? pages?\b`)
	halfPages = lazyregexp.New(`\b(odd|even)(?:[- ]numbered)? pages\b`)
	somePages = lazyregexp.New(`\b(first|last) (\d{1,4}|two|three|four|five|six|seven|eight|nine|ten) pages\b`)
	rankPages = lazyregexp.New(`\b((?:` + rankWord + `)(?:` + pageAnd + `(?:` + rankWord + `))*) pages?\b`)
	pagesOn   = lazyregexp.New(`\b` + pageWord + `(\d{1,4})(?: (?:on|onwards?)\b|\+)`)
	pagesSaid = lazyregexp.New(`\b` + pageWord + `(` + listed + `)(?:\b|$)`)
	bareList  = lazyregexp.New(`^(?:` + listed + `|last \d{1,4})(?:(?:,)(?:` + listed + `|last \d{1,4}))*$`)

	// otherPages matches the start of a selection by exclusion.
	otherPages  = lazyregexp.New(`^` + otherThan)
	exceptPages = lazyregexp.New(`\b` + otherThan + `(?:(?:first|last) (?:\d{1,4}|two|three|four|five) pages?\b|` + mixed + `)`)
	mixedPages  = lazyregexp.New(`\b` + mixed)
	mixedList   = lazyregexp.New(`^` + mixed + `$`)

	pageToken = lazyregexp.New(`\d+(?:st|nd|rd|th)?|[a-z]+|[-–]`)
)

var pageRanks = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"last": -1, "end": -1,
}

// FindPages returns the byte range of a page selection in a text: "page 9", "the first 3 pages",
// "pages 2 to 4 and 7", "every page". It returns zeros if there is none.
func FindPages(text string) (start, end int) {
	s := strings.ToLower(text)
	if len(s) != len(text) {
		return 0, 0
	}
	if at := exceptPages.FindStringIndex(s); at != nil && strings.Contains(s[at[0]:at[1]], "page") {
		return at[0], at[1]
	}
	for _, form := range []lazyregexp.Regexp{everyPage, halfPages, somePages, rankPages, pagesOn, pagesSaid} {
		if at := form.FindStringIndex(s); at != nil {
			start, end = at[0], at[1]
			break
		}
	}
	if at := mixedPages.FindStringIndex(s); at != nil && at[1]-at[0] > end-start && strings.Contains(s[at[0]:at[1]], "page") {
		return at[0], at[1] // "page 2 and the last page"
	}
	return start, end
}

// PageList parses a selection of pages: "page 9", "the first 3 pages", "pages 2 to 4 and 7",
// "1,3-5", "the odd pages", "every page", "all but the last page", "without page 2".
func PageList(text string) (Pages, bool) {
	s := strings.ToLower(strings.TrimSpace(text))
	if lead := otherPages.FindString(s); lead != "" {
		p, ok := PageList(s[len(lead):])
		p.Others = true
		return p, ok && len(p.Ranges) > 0
	}
	switch {
	case s == "all" || s == "every" || s == "each" || s == "everything":
		return Pages{}, true
	case s == "odd", s == "even":
		return half(s), true
	case bareList.MatchString(s):
		return ranges(s)
	case mixedList.MatchString(s) && !somePages.MatchString(s):
		return ranges(s)
	}
	if m := everyPage.FindStringSubmatch(s); m != nil {
		return half(m[1]), true
	}
	if m := halfPages.FindStringSubmatch(s); m != nil {
		return half(m[1]), true
	}
	if m := somePages.FindStringSubmatch(s); m != nil {
		n := pageRanks[m[2]]
		if n == 0 {
			n = whole(m[2])
		}
		if m[1] == "last" {
			return checked(PageRange{-n, -1})
		}
		return checked(PageRange{1, n})
	}
	if m := rankPages.FindStringSubmatch(s); m != nil {
		return ranges(m[1])
	}
	if m := pagesOn.FindStringSubmatch(s); m != nil {
		return checked(PageRange{whole(m[1]), -1})
	}
	if m := pagesSaid.FindStringSubmatch(s); m != nil {
		return ranges(m[1])
	}
	return Pages{}, false
}

func half(which string) Pages {
	switch which {
	case "odd":
		return Pages{Every: 2, First: 1}
	case "even":
		return Pages{Every: 2, First: 2}
	}
	return Pages{}
}

// ranges parses a list: "1, 3 to 5 and 7", "first and last", "last 2".
func ranges(s string) (Pages, bool) {
	var all []PageRange
	joined, counted := false, false
	for _, token := range pageToken.FindAllString(s, -1) {
		switch token {
		case "-", "–", "to", "until", "till", "through", "up":
			joined = len(all) > 0
			continue
		case "and", "plus":
			counted = false
			continue
		case "page", "pages", "the":
			continue
		}
		n, ok := pageRanks[token]
		if !ok {
			n = whole(strings.TrimRight(token, "stndrh"))
		}
		switch {
		case joined:
			all[len(all)-1].To = n
		case counted && !strings.Contains(s, "last,"):
			all[len(all)-1].From = -n // "last 2"
		default:
			all = append(all, PageRange{n, n})
		}
		joined, counted = false, n == -1
	}
	return checked(all...)
}

func checked(all ...PageRange) (Pages, bool) {
	for _, r := range all {
		for _, n := range []int{r.From, r.To} {
			if n == 0 || n > maxPage || n < -maxPage {
				return Pages{}, false
			}
		}
		if r.From < 0 && r.To > 0 {
			return Pages{}, false
		}
	}
	return Pages{Ranges: all}, len(all) > 0 && len(all) <= 100
}

// mostListed is the maximum length of a list.
const mostListed = 20

const (
	listedNumber = `\d{1,6}(?: ?[x×] ?\d{1,6})?(?: ?(?:px|pixels?)\b)?`
	numberAnd    = `(?: ?, ?(?:and |or )?| and | or | ?& ?| ?\+ ?| ?/ ?)`
)

var (
	numberList = lazyregexp.New(`(?:^|[^\w.,:-])(` + listedNumber + `(?:` + numberAnd + listedNumber + `)*)(?:$|[^\w%:.]|\.(?:\D|$))`)
	inList     = lazyregexp.New(`(\d+)(?: ?[x×] ?(\d+))?`)
)

// FindIntegers returns the byte range of the longest list of integers in a text: "16, 32 and 64 px",
// "16x16, 32x32". It returns zeros if there is none.
func FindIntegers(text string) (start, end int) {
	s := strings.ToLower(text)
	if len(s) != len(text) {
		return 0, 0
	}
	most := 0
	for _, at := range numberList.FindAllStringSubmatchIndex(s, -1) {
		if n := len(inList.FindAllString(s[at[2]:at[3]], -1)); n > most {
			start, end, most = at[2], at[3], n
		}
	}
	return start, end
}

// Integers parses a list of integers. A square counts as its side: "32x32" is 32.
func Integers(text string) ([]int, bool) {
	start, end := FindIntegers(text)
	var all []int
	for _, m := range inList.FindAllStringSubmatch(strings.ToLower(text)[start:end], -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || m[2] != "" && m[2] != m[1] {
			return nil, false
		}
		all = append(all, n)
	}
	return all, len(all) > 0 && len(all) <= mostListed
}
