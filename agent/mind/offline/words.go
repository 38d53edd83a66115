package offline

import (
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// Small closed lists of English words that single rules ask for. The longer lists, which
// several rules share, are in phrases.txt.

// set is a list of words in lower case that is only looked into.
type set map[string]bool

// wordSet is the set of the words between the spaces.
func wordSet(words string) set {
	s := set{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}

// has tells whether the set holds the word, in capitals or not.
func (s set) has(w retrieve.Word) bool { return s[lower(w)] }

// hasPlain tells whether the set holds the word and it is one of the sentence itself,
// no quotation and no name.
func (s set) hasPlain(w retrieve.Word) bool { return w.Kind == retrieve.Plain && s.has(w) }

// lower is the text of a word in lower case.
func lower(w retrieve.Word) string { return strings.ToLower(w.Text) }

func isFile(w retrieve.Word) bool { return w.Kind == retrieve.File }

// How wishes are split into clauses.
var (
	// joiningMarks can stand between two clauses.
	joiningMarks = wordSet(", → > & +")
	// arrowMarks say that the next clause goes on with the result.
	arrowMarks = wordSet("→ >")
	// joiningWords can join two clauses that are done one beside the other.
	joiningWords = wordSet("and but plus also")
	// sentenceMarks end a sentence wherever they stand.
	sentenceMarks = wordSet("? ! ; 。 ？ ！ …")
	// questionMarks end a question.
	questionMarks = wordSet("? ？")
	// bulletMarks begin a point of a list at the beginning of a line.
	bulletMarks = wordSet("- * •")
	// orderedThings follow a noun that is meant as a verb: "caption that picture", "frame it".
	orderedThings = wordSet("the this that it them each these both all my")
	// asking begin a question after "and", without politeness before them.
	asking = wordSet("how what is are was were does did can why")
	// relating begin a question after politeness only: "and which …" goes on.
	relating = wordSet("which who whose where when do have has")
	// holding are the verbs by which a sentence says what a file is: "a.png is a sketch".
	holding = wordSet("is holds shows contains was has")
	// obliging say how something has to be: "the new picture should be …".
	obliging = wordSet("should must needs has shall")
)

// How files and things at hand are spoken of.
var (
	// namingWords stand before the name that a result is to have: "save it as edges.png".
	namingWords = wordSet("as to into called named it output")
	// countedThings follow an ordinal that chooses among files: "the second picture".
	countedThings = wordSet("one ones image picture photo video clip file")
	// unpointed follow a "this" or "that" that points at something all the same: "that again".
	unpointed = wordSet("less more look a again instead")
	// determiners make the noun after them a given one.
	determiners = wordSet("the this that these those my our given attached provided same its your both all each new")
	// articles leave the noun after them open.
	articles = wordSet("a an")
	// pluralPointers mean several things at once.
	pluralPointers = wordSet("them both they")
	// shownWords point with the finger.
	shownWords = wordSet("this that these those")
	// puttingWords tell what comes to a place in place of what is there.
	puttingWords = wordSet("with into by to as put add place insert draw")
	// puttingVerbs are those of them after which all that follows comes there.
	puttingVerbs = wordSet("put add place insert draw")
	// lookingWords begin orders that change nothing.
	lookingWords = wordSet("find detect locate spot show get tell describe count read list select look see use save recognise recognize")
	// fillingWords lead to what comes to a place.
	fillingWords = wordSet("with into")
	// comparedThings mean the two things that are compared.
	comparedThings = wordSet("them both they two")
	// pointers can be replaced with the thing that they mean.
	pointers = []string{"it", "them", "that"}
	// everyOne choose all that a question offered.
	everyOne = wordSet("both all each every everything")
	// vagueFillers add nothing to a wish for some change: "make it look a bit better".
	vagueFillers = wordSet("make look way much more bit lot little a do somehow up")
	// smallTalk may stand between the phrases of a greeting.
	smallTalk = []string{"atelier", "bot", "please", "so much", "again", "everyone", "team", "there", "and"}
)

// How objects, prompts and the like are taken out of a clause.
var (
	// auxiliaries are forms of "to be", "to do" and "to have".
	auxiliaries = wordSet("is are was were do does did has have be been being")
	// fillers hang around objects without naming them.
	fillers = wordSet(`file files two three four five me out up down present visible shown showing depicted there here where how many
		much what which who if whether contains contain containing include includes including has have having appear appears exist
		exists using use used only each every all no not don't named look looks like within it single same located based according
		belong belongs belonging whatever specific specified designated certain separately area possible such seen too entire whole
		get rid total exactly`)
	// unspecific leave open which thing is meant, beside the generic nouns of phrases.txt.
	unspecific = wordSet(`different various individual other main visible separate label labels first second third last many detail
		further number original new`)
	// askingClasses are the classes of words that ask for a mask, a box or a number.
	askingClasses = wordSet(`mask box segment count bound highlight detect locat find exist contain categori pixel remov isol crop show
		generat`)
	// askingVerbs are the classes of verbs that come after an object: "is a dog present".
	askingVerbs = wordSet("exist contain visibl highlight stand promin")
	// objectJoints hold the parts of one thing together: "a man with a red hat".
	objectJoints = wordSet("with of")
	// objectArticles can follow such a joint within a thing's name.
	objectArticles = wordSet("the a an")
	// demonstratives begin what points back rather than describes: "the dog of the picture".
	demonstratives = wordSet("the this that")
	// conditions begin what a question asks about.
	conditions = wordSet("if whether")
	// fileWords lead to the name of a file: "in the attached file named a.png".
	fileWords = wordSet("file files named called the this attached given map a an provided and following my")
	// conjunctions are the prepositions of phrases.txt that do not hand a file over.
	conjunctions = wordSet("and or if whether that which")
	// basedWords stand before the preposition that hands a file over: "based on a.png".
	basedWords = wordSet("based according given")
	// takingWords hand a file over by themselves: "using a.png".
	takingWords = wordSet("given using use")
	// depicting begin what something new shows: "a picture of …", "a song about …".
	depicting = wordSet(`of showing shows depicting depicts featuring features where portraying illustrating containing about that which
		with like`)
	// promptFillers stand between the order to make something and what it shows.
	promptFillers = wordSet(`new another result out up come from based using by conditioned real quick short me according use it into map
		prompt`)
	// musicLeads follow a word for music that only says that music is wanted.
	musicLeads = wordSet("about of that for with like")
	// contentClasses are the classes of words that say what kind of text is worked on.
	contentClasses = wordSet("text sentenc audio speech")
	// targets lead from a text to where it goes: "add hello to the picture".
	targets = wordSet("to onto into in on at as from")
	// placeWords are the parts of a picture.
	placeWords = wordSet("top bottom left right centre center middle corner upper lower above below side edge half")
	// ways tell in which direction or shape a picture is changed.
	ways = wordSet("square vertically horizontally upside down mirror portrait landscape quarter third vertical horizontal")
	// whereabouts stand before a place in the world: "what time is it in New York".
	whereabouts = wordSet("in at for")
	// leadsOn go on with an order after the text that it hands over.
	leadsOn = wordSet("at on onto into under below above across over in")
	// mannerLeads begin a phrase that says how: "in a deep voice"; degreeWords say how much so.
	mannerLeads = wordSet("in with by as like")
	degreeWords = wordSet("very quite rather really extremely more")
	// languages are those that a text can be asked for in.
	languages = wordSet(`english german french spanish italian portuguese dutch polish czech slovak russian ukrainian greek turkish arabic
		hebrew hindi bengali urdu persian farsi chinese mandarin cantonese japanese korean vietnamese thai indonesian malay swedish
		norwegian danish finnish hungarian romanian bulgarian croatian serbian slovenian estonian latvian lithuanian catalan basque
		galician irish welsh latin swahili afrikaans icelandic tamil telugu tagalog filipino esperanto`)
	// unsaidThings stand for what a wish leaves open: "do the thing with it".
	unsaidThings = wordSet("thing things something anything everything stuff whatever")
	// asideWords begin what only says why something is wanted: "for our website".
	asideWords = wordSet("for so because since")
	// frameWords mean a picture of a video.
	frameWords = wordSet("frame frames still stills shot shots screenshot snapshot thumbnail cover poster second minute")
	// droppingWords take a part away, and so do cuttingWords before awayWords.
	droppingWords = wordSet("remove drop delete skip lose discard omit without except")
	cuttingWords  = wordSet("cut trim chop take snip leave get")
	awayWords     = wordSet("off out away rid")
	// partNumbers are those into which something is parted.
	partNumbers = wordSet("two three four five half halves")
	// otherFormats are formats of files that no tool writes, beside those that retrieve knows.
	otherFormats = wordSet("svg psd eps ai raw dng avif jxl pptx xlsx key indd")
	// restWords say that what is not named stays.
	restWords = wordSet("keep rest remaining remainder")
	// writingVerbs are followed by the very words.
	writingVerbs = wordSet("write say caption print stamp type inscribe sign title")
	// pictureUses say what a new picture is for: "a cover picture".
	pictureUses = wordSet("cover title banner postcard header background wallpaper")
	// remainingWords stand before "left" where it is no side: "what's left".
	remainingWords = wordSet("is 's ’s what's what’s whats are")
	// fateWords are read in what becomes of a marked part, beside the verbs.
	fateWords = wordSet("without but except excluding rest else away out over only crop cut leave black white block")
	// textThings name a text that is worked on by what it is.
	textThings = wordSet("review letter message email mail comment quote phrase sentence sentences paragraph note notes report document essay")
	// excluding words rule something out, so they always count.
	excluding = wordSet("no without except excluding")
	// amountUnits are the words that go on with an amount: "half" with "as large".
	amountUnits = wordSet(`as large big small wide tall high long fast slow loud the its their size original of width height speed to by
		from left right clockwise counter-clockwise counterclockwise anticlockwise down up degrees degree pixels pixel px percent
		seconds second secs sec s minutes minute min part frame frames half quarter third thirds times x kb mb gb byte bytes kilobytes megabytes
		smaller larger bigger side larger, smaller, taller wider longer faster slower than most at`)
)

// ordinals are the words that tell which of several is meant: 1 the first, -1 the last.
var ordinals = map[string]int{
	"first": 1, "1st": 1, "former": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1, "latter": -1,
}

// pickOrdinals are the words by which an answer picks one of the files that a question offered,
// counted as in ordinals.
var pickOrdinals = map[string]int{
	"first": 1, "1st": 1, "former": 1, "1": 1, "second": 2, "2nd": 2, "2": 2, "third": 3, "3rd": 3, "3": 3,
	"last": -1, "latest": -1, "latter": -1, "newest": -1,
}

// mapNouns are the nouns that name special kinds of pictures.
var mapNouns = map[string]plan.Type{
	"mask": plan.Mask, "masks": plan.Mask, "matte": plan.Mask,
	"segmentation": plan.Segmentation, "segmentations": plan.Segmentation,
	"edge": plan.Edge, "edges": plan.Edge, "canny": plan.Edge,
	"line": plan.Line, "lines": plan.Line, "mlsd": plan.Line, "hough": plan.Line,
	"hed":      plan.HED,
	"scribble": plan.Scribble, "scribbles": plan.Scribble, "sketch": plan.Scribble,
	"pose": plan.Pose, "poses": plan.Pose, "skeleton": plan.Pose, "openpose": plan.Pose,
	"depth":  plan.Depth,
	"normal": plan.Normal, "normals": plan.Normal,
}
