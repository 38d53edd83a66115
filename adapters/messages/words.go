package messages

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Characters that hold Chinese sentences together or begin them, in simplified and traditional
// script.
const (
	chineseFrame = "把将將给給请請帮幫这這那的地得了着著过過吗嗎呢吧啊里裡成是在和与與或从從到对對让讓为為被用去我你您他她它们們个個些" +
		"什么麼怎几幾哪谁誰很都也就还還再不没沒有能会會可要想"
	// chineseOpenings begin a task, a question or a statement. Few names begin with them.
	chineseOpenings = "把将將给給请請帮幫用在从從对對让讓我你您他她它这這那哪谁誰什怎为為能可会會有是想要需以如先再不别別几幾" +
		"删刪去除移抠摳裁剪切翻译譯画畫绘繪写寫加添放缩縮转轉旋变變换換改修调調生做制製合拼提取识識找数數查看读讀听聽说說" +
		"描解总總概模打涂塗圈选選标標设設压壓增降减減分比检檢统統计計告列搜介朗配推创創识讲講处處优優还還替补補重润潤续續"
	// chineseGoverning end a phrase whose object follows.
	chineseGoverning = "成为為到上是叫给給和与與在用像有"
	// chineseComplements and chineseDeterminers follow an English verb in a Chinese sentence; the determiners may
	// also begin the object of an English one.
	chineseComplements = "成到掉为為了过過出"
	chineseDeterminers = "这這那给給是下的个個"
	// neverJapanese do not occur in Japanese.
	neverJapanese = "把这這请吗嗎给們们么麼你您吧呢很译帮图说对为让"
)

// The words that hold English sentences together, those that ask for something to be done,
// and those that ask about the text that follows, in whatever language.
var (
	englishFrame = set("a an the this that these those it its me my i we you your is are was be do does did can could should would will " +
		"please make to in on at by for from into onto with without of and or but then not so")
	englishTasks = set("blur crop resize rotate remove delete erase cut flip mirror change turn put replace fill paint draw sketch colorize " +
		"colourize color colour convert create generate give show find detect count compare combine merge join extract get mask mark " +
		"highlight sharpen brighten darken enhance upscale enlarge shrink zoom scale trim split separate play transcribe describe classify " +
		"recognize segment animate stylize invert adjust increase decrease reduce move use take keep search look list edit fix improve " +
		"restore cartoonize pixelate censor hide build design compose render save send start stop undo redo try let")
	englishTellings = set("what who whom whose how why when where which translate write say read summarize summarise explain define " +
		"pronounce spell repeat type print paraphrase rewrite proofread answer tell")
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// isName reports whether w is not a word of a language: a number, a name, an address, or a word used in all of
// them.
func isName(w string) bool {
	return w == "ok" || !strings.ContainsFunc(w, unicode.IsLetter) || strings.ContainsAny(w, `_./:@#\`) || strings.ContainsFunc(w, unicode.IsNumber)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul) }
