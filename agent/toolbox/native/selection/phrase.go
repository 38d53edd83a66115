package selection

import (
	"slices"
	"strconv"
	"strings"

	"atelier/agent/toolbox/native/prose"
)

// wanted is a parsed phrase such as "the two largest dogs on the left".
type wanted struct {
	nouns  []string   // all words for the thing: "red", "car"
	short  []string   // the same, up to the first preposition
	many   bool       // whether it is plural
	count  int        // how many, 0 if not given
	index  int        // ordinal from 1, negative from the end, 0 if not given
	orders []ordering // position or size, in the order given
}

// ordering ranks boxes by position or size, best first.
type ordering string

// The orderings.
const (
	byLeft    ordering = "left"
	byRight   ordering = "right"
	byTop     ordering = "top"
	byBottom  ordering = "bottom"
	byMiddle  ordering = "middle"
	byLargest ordering = "largest"
	bySmall   ordering = "smallest"
	byScore   ordering = "surest"
)

// placed reports whether the ordering is a position, which several things can share.
func (o ordering) placed() bool { return o != byLargest && o != bySmall && o != byScore }

var orderings = map[string]ordering{
	"left": byLeft, "leftmost": byLeft, "lefthand": byLeft,
	"right": byRight, "rightmost": byRight, "righthand": byRight,
	"top": byTop, "upper": byTop, "topmost": byTop, "highest": byTop, "uppermost": byTop, "above": byTop,
	"bottom": byBottom, "lower": byBottom, "lowest": byBottom, "bottommost": byBottom,
	"middle": byMiddle, "center": byMiddle, "centre": byMiddle, "central": byMiddle, "middlemost": byMiddle,
	"largest": byLargest, "biggest": byLargest, "larger": byLargest, "bigger": byLargest, "large": byLargest, "big": byLargest,
	"nearest": byLargest, "closest": byLargest,
	"smallest": bySmall, "tiniest": bySmall, "smaller": bySmall, "small": bySmall, "little": bySmall, "tiny": bySmall,
	"farthest": bySmall, "furthest": bySmall,
	"surest": byScore, "likeliest": byScore, "best": byScore, "likely": byScore, "probable": byScore, "confident": byScore,
}

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6, "7th": 7, "8th": 8, "9th": 9, "10th": 10, "last": -1,
}

var numbers = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"single": 1, "both": 2, "pair": 2, "couple": 2,
}

// prepositions end the main part of a phrase.
var prepositions = prose.Set(`of on in at with near by from under behind beside next to over above below inside
	that which who whose wearing holding standing sitting lying riding walking around between`)

// fillers are words that do not help to select.
var fillers = prose.Set(`the a an my your our their his her its this that these those all every each any some only just please
	select keep choose pick take show me single out find get want i hand side most corner part half area region object objects thing things
	item items box boxes mask masks label labels category categories segment segments bounding regions
	everything else them it picture image photo frame one ones class classes hand is are there and`)

// readPhrase parses a phrase.
func readPhrase(phrase string) wanted {
	var w wanted
	var rest []string
	all := prose.Tokens(strings.NewReplacer("_", " ", "-hand", " hand", "-most", "most").Replace(phrase))
	for i, t := range all {
		word := strings.TrimSuffix(t.Lower(), "'s")
		if o, ok := orderings[word]; ok && !slices.Contains(w.orders, o) {
			w.orders = append(w.orders, o)
			continue
		}
		if n, ok := ordinals[word]; ok && w.index == 0 {
			w.index = n
			continue
		}
		n, ok := numbers[word]
		if digits, err := strconv.Atoi(word); err == nil && digits > 0 && digits < 1000 {
			n, ok = digits, true
		}
		last := i == len(all)-1
		if ok && w.count == 0 && (word != "one" || !last) {
			w.count = n
			continue
		}
		rest = append(rest, word)
	}
	content := func(words []string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(s string) bool { return fillers[s] || prepositions[s] })
	}
	w.nouns = nouns(strings.Join(content(rest), " "))
	head := rest
	for i, word := range rest {
		if prepositions[word] && len(content(rest[:i])) > 0 {
			head = rest[:i]
			break
		}
	}
	short := content(head)
	w.short = nouns(strings.Join(short, " "))
	if n := len(short); n > 0 {
		w.many = singular(short[n-1]) != short[n-1]
	} else {
		w.many = slices.ContainsFunc(rest, func(s string) bool { return fillers[s] && singular(s) != s && s != "this" && s != "his" })
	}
	return w
}

// any reports whether the phrase names no thing: "all", "the largest".
func (w wanted) any() bool { return len(w.nouns) == 0 }
