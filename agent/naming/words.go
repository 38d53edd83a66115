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
	fillers  = setOf("the a an my our your model program server dem der die das le la el o")
	trailing = setOf("model engine backend server program instead please here again")
	// following words begin what a name does not belong to.
	following = setOf("and then to for from of in on at as with but or please into so that which while not using by via a an the this it my")
)
