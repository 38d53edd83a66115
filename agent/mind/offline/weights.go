package offline

// All that is weighed stands here, so that the whole scoring is seen at a glance. A
// nearness lies in 0 to 1 and tells how near a clause is to a tool; a score lies in 1 to
// 5 and tells how sure a tool or a solution is. Names that end in "Times" multiply,
// names that end in "Plus" add, and a floor is what something gets at least.

// How near the best tool must be (decompose.go, clauses.go).
const (
	standing = 0.55 // above it words are a wish of their own, though they seem to go on
	told     = 0.5  // below it a statement only tells of something
	sure     = 0.34 // below it the mind asks, unless the words are a plain question
	hopeful  = 0.22 // below it no tool is meant
)

// The nearness of a tool to the words of a clause (aim.go).
const (
	plainHit      = 0.4  // a tool nearer than that is asked for plainly
	namePlus      = 0.4  // the tool's own name is said
	wantedTimes   = 1.3  // the tool gives the kind of thing that is asked for by name …
	wantedPlus    = 0.1  // … even where hardly another word fits
	unwantedTimes = 0.75 // the tool gives another kind than the one asked for by name
	afterTimes    = 1.5  // the tool makes something new after the map that is spoken of
	uncountTimes  = 0.5  // "how many" wants a number in words, and the tool gives none
	quoteTimes    = 1.25 // the tool takes the text that is quoted
	explainedPlus = 0.08 // the tool explains every word, which tells near ones apart …
	explainedFrom = 0.15 // … but is no merit in a tool that is far …
	explainedTo   = 0.5  // … and not needed by one that is plain
	paintFloor    = 0.55 // the tool paints after the map that was made last
	unsaidTimes   = 0.7  // the tool must be told a format, a language or an amount, and is not
	placeTimes    = 1.3  // the tool can be told the place that is said

	unmeasuredTimes = 0.5 // the tool takes quantities, but none of the kind that is said
)

// The floors of tools that any wish of a form can be put to (prior.go).
const (
	nearTimes      = 0.15 // a floor rises with the nearness of the words
	outspokenTimes = 0.8  // another tool is asked for plainly, and this one is only general
	inscribeFloor  = 0.42 // quoted words are put on something at hand
	questionFloor  = 0.44 // any question can be put to a tool that answers questions
	questionOrigin = 0.02 // a tool of several origins is the more general one
	classifyFloor  = 0.26 // a question about a file may be one of what kind it is
	changeFloor    = 0.26 // an order to change a picture in a way that words say
	demandFloor    = 0.34 // a statement of how a picture has to be
	changeOrigin   = 0.03 // a tool of several origins is the more general one
	needFloor      = 0.3  // "I need …" with words that no tool explains
	writeFloor     = 0.4  // an order to write
	partFloor      = 0.3  // an order to change the marked part as words say …
	fillPartFloor  = 0.8  // … and what comes to it
	changePartPlus = 0.15 // … by a verb that says just that
)

// How many words that nobody explains say something.
const (
	quoteWords     = 2 // what a quotation counts as
	ownWords       = 2 // so many are a wish of their own beside the tool's words
	maskedWords    = 3 // no more than that only say what the mask or the box covers
	pictureWords   = 3 // fewer than that hold no prompt for a new picture
	phraseWords    = 4 // more than that name no single object
	placeNameWords = 5 // more than that name no place
	longClause     = 6 // a longer clause names what it is about
	objectWords    = 3 // an object has no longer name in a subtask
)

// What the words do to the fit of a tool (fit.go).
const (
	inevidentTimes = 0.6  // nothing says that the sound, picture or video is wanted
	longNameTimes  = 0.6  // the words are too many for the place that the tool takes
	pickTimes      = 0.85 // an object can be told on the way, but the words are many
	restTimes1     = 0.85 // one word is lost on a tool that takes no text
	restTimes2     = 0.7  // two words are lost on it
	restTimes3     = 0.5  // three or more are lost on it
	partTimes      = 0.35 // a part of the picture is meant, and the tool changes the whole
	wordlessTimes  = 0.8  // the tool wants a text and the clause leaves none over
)

// What the media do to the fit of a tool (fit.go).
const (
	fewTimes           = 0.4  // the tool takes many, and there are not two
	oneTimes           = 0.5  // the tool takes many, and "it" means one
	mapAsPictureTimes  = 0.9  // a map is taken for the picture that it is
	promptlessMapTimes = 0.6  // a picture made after a map wants a prompt
	madeTimes          = 0.93 // what the tool needs can be made from the files
	heldTimes          = 0.75 // the file holds it: the sound of a video, a frame of it
	stillTimes         = 0.2  // a changed still is no changed video
	otherKindTimes     = 0.5  // it can be made, but as another kind of media altogether
	missingTimes       = 0.3  // nothing can give it
	describedTimes     = 0.6  // the tool works on a text, and the files can be put into words
	unusedTimes        = 0.45 // the tool takes no media, and there are files
	singleTimes        = 0.6  // the tool takes many, and one file of the type is named
	leftoverTimes      = 0.35 // a file is left over
)

// What is marked on a picture does to the fit of a tool (fit.go).
const (
	markedTimes    = 1.2  // the tool takes just what is marked
	nearlyTimes    = 0.45 // such a tool is so near beside one that takes a mask made of it …
	turnedTimes    = 0.9  // … which then stands so much below it
	wholeTimes     = 0.35 // the tool changes the whole picture, and a part is meant
	placesTimes    = 0.6  // it finds places, which in the part are other ones
	shownTimes     = 0.9  // the tool only looks, and can be shown the part
	elsewhereTimes = 0.15 // the tool takes no picture at all
)

// What is meant without being named does to the fit of a tool (fit.go).
const (
	pointingTimes    = 0.8  // the clause points at media, and the tool takes none
	resultTimes      = 0.65 // it points at what was made last, and the tool takes no media
	thingTimes       = 0.6  // it speaks of a thing in the picture, and the tool takes no media
	textMeantTimes   = 0.6  // it points at the text that was made, and the tool takes none
	impliedMadeTimes = 0.95 // what the tool needs can be made from what is meant
	unnamedTimes     = 0.45 // nothing is there, and so long a clause would name it
	absentTimes      = 0.7  // nothing is there
	togetherTimes    = 1.5  // "put both together"
	mapLastTimes     = 1.6  // the tool takes the map that was made last
	lastTimes        = 1.25 // the tool takes the thing that was made last
	textLastTimes    = 0.7  // "it" is a text, and the tool takes none
	lastIgnoredTimes = 0.85 // the tool takes something else than was made last
)

// The scores of tools for a subtask (assess.go).
const (
	lowestScore       = 1   // unrelated
	highestScore      = 5   // surely needed
	nearSpread        = 3.6 // the nearest tool comes so far above the lowest
	nearCurve         = 1.5 // above 1, so that tools of middling nearness stay low
	unsuited          = 1.2 // the most for a tool that the subtask's texts cannot serve
	textlessHeadTimes = 0.7 // nothing was said that the head could be told
	deafHeadTimes     = 0.4 // the head can use none of the texts
)

// The lift of what shows the marked part of a picture (part.go).
const partShown = 4.6

// The lift of tools that make what the head lacks (raise.go).
const (
	headLift    = 4.2 // what the head itself lacks
	lastLift    = 2.6 // the level at which lifting ends
	stepLift    = 0.5 // each step away from the head is that less sure
	nearLift    = 0.6 // the nearer of two makers is the likelier
	originLift  = 0.1 // so is the one of more origins
	pickPenalty = 0.7 // picking by name helps only where a name is given, and is needed there
	namedMaker  = 4.9 // the maker that an argument names, and the most that others get
	otherMaker  = 3   // the most for others where a maker is named
	pickGiven   = 4.6 // picks the thing that is meant out of what is given
	pickedPlus  = 0.4 // what is picked from stands so much below what picks
	headPicks   = 4   // makes what the head picks from
	pickOne     = 4.2 // picks one thing where the head finds all
)

// The scores of solutions (settle.go).
const (
	lastShare   = 0.6  // how much the tool that gives the result counts …
	meanShare   = 0.4  // … beside the mean of all
	stepCost    = 0.12 // each step more is a risk
	wrongTool   = 1.5  // a tool of a lower score is surely wrong
	unfit       = 2    // the most for a solution of which one tool is surely wrong
	paddedCost  = 1    // a solution that does more than it must loses that …
	padded      = 2.5  // … and is no alternative worth offering
	strainMeant = 1.5  // a text of the subtask stands where another meaning is asked
	strainMade  = 2    // a text that a tool made stands where people must say it
)
