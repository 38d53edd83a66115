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
	// leading words come before a name: "with SDXL".
	leading = setOf("with using by via through in on mit avec con com")
	// placing words are leading words that may also introduce a place.
	placing = setOf("in on")
	// ordering words begin an order to use something.
	ordering = setOf("use take try let have nimm nutze benutze verwende utilise usa")
	// handing words are ordering words that make the name the subject: "let SDXL draw".
	handing = setOf("let have")
	// before holds words that may come before such an order.
	before = setOf("and then please but you to instead just und et y")
	polite = setOf("can could would will you please i want hey")
	// joining words connect two orders.
	joining = setOf("and then")
	// fillers come between a leading word and a name; trailing words follow a name.
	fillers  = setOf("the my our your model program server dem der die das le la el o")
	trailing = setOf("model engine backend server program instead please here again")
	// pointing words are fillers that also come before things.
	pointing = setOf("the my our your dem der die das le la el o")
	// between holds the only words allowed between two linked names: "with SDXL and one with flux".
	between = setOf("and or then one once another also again und oder et ou y o")
	// counting words come before "with" if there are several names: "once with SDXL".
	counting = setOf("once einmal")
	// After an exchanging verb, a replacing word introduces the replacement.
	replacing  = setOf("with by mit durch avec par con por com")
	exchanging = setOf("replace swap exchange substitute fill cover change replacing swapping filling changing ersetze tausche fülle remplace reemplaza")
	// done holds participles after which the name describes the thing: "the sign made with SDXL".
	done = setOf("made drawn painted created generated rendered written produced")
	// places are prepositions of place, which may follow a name that is an ordinary word.
	places = setOf("in on at")
	// tongues are languages; they are not places.
	tongues = setOf("english german french spanish italian portuguese dutch polish russian turkish arabic hindi chinese mandarin cantonese japanese korean")
	// following words may come directly after a name.
	following = setOf("and then to for from of in on at as with but or please into so that which while not using by via a an the this it my")
)
