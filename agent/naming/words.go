package naming

import "strings"

// set is a set of words.
type set map[string]bool

func (s set) has(word string) bool { return s[word] }

func setOf(words string) set {
	s := set{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}

// The words around a name.
var (
	// leading words stand before a name: "with SDXL".
	leading = setOf("with using by via through in on mit avec con com")
	// placing are those of them that stand before a place as well.
	placing = setOf("in on")
	// ordering words begin an order to use something.
	ordering = setOf("use take try let have nimm nutze benutze verwende utilise usa")
	// handing are those of them behind which the name does something: "let SDXL draw".
	handing = setOf("let have")
	// before such an order.
	before = setOf("and then please but you to instead just und et y")
	polite = setOf("can could would will you please i want hey")
	// joining words join two orders.
	joining = setOf("and then")
	// fillers stand between a leading word and a name, trailing ones behind it.
	fillers  = setOf("the my our your model program server dem der die das le la el o")
	trailing = setOf("model engine backend server program instead please here again")
	// pointing are those of the fillers that stand before things as well.
	pointing = setOf("the my our your dem der die das le la el o")
	// between two names stand these at most: "with SDXL and one with flux".
	between = setOf("and or then one once another also again und oder et ou y o")
	// counting words stand before "with" where there are several: "once with SDXL".
	counting = setOf("once einmal")
	// exchanging orders say behind "with" what comes in place of something.
	replacing  = setOf("with by mit durch avec par con por com")
	exchanging = setOf("replace swap exchange substitute fill cover change replacing swapping filling changing ersetze tausche fülle remplace reemplaza")
	// done is what the thing itself may be by what is named: "the sign made with SDXL".
	done = setOf("made drawn painted created generated rendered written produced")
	// places follow these, which a name that may be a word stands before as well.
	places = setOf("in on at")
	// tongues are languages, which are no place.
	tongues = setOf("english german french spanish italian portuguese dutch polish russian turkish arabic hindi chinese mandarin cantonese japanese korean")
	// following words begin what a name does not belong to.
	following = setOf("and then to for from of in on at as with but or please into so that which while not using by via a an the this it my")
)
