// Package language knows the languages of translation models: their names, their codes in several models,
// and how to guess the language of a text.
package language

import (
	"slices"
	"strings"
	"unicode"
)

// Language is a language that models translate from and to.
type Language struct {
	ISO    string // ISO 639-1, for M2M100 and tool servers
	flores string // of FLORES-200, for NLLB
	mbart  string // of mBART-50, "" if it lacks the language
	names  []string
	script *unicode.RangeTable // the script, if hardly any other language uses it, or nil
	common []string            // frequent words, to tell languages with the same script apart
}

// languages are the languages of the translation models in use. The codes are from the model cards of
// facebook/nllb-200, facebook/mbart-large-50 and facebook/m2m100.
var languages = []Language{
	{"en", "eng_Latn", "en_XX", []string{"english"}, nil, []string{"the", "and", "is", "of", "to", "with", "that", "you"}},
	{"de", "deu_Latn", "de_DE", []string{"german", "deutsch"}, nil, []string{"der", "und", "ist", "das", "nicht", "ein", "ich", "mit"}},
	{"fr", "fra_Latn", "fr_XX", []string{"french", "français", "francais"}, nil, []string{"le", "les", "et", "est", "une", "des", "je", "pas"}},
	{"es", "spa_Latn", "es_XX", []string{"spanish", "español", "espanol", "castilian"}, nil, []string{"el", "los", "es", "y", "una", "del", "por", "muy"}},
	{"it", "ita_Latn", "it_IT", []string{"italian", "italiano"}, nil, []string{"il", "che", "è", "di", "gli", "della", "sono", "per"}},
	{"pt", "por_Latn", "pt_XX", []string{"portuguese", "português"}, nil, []string{"o", "é", "uma", "não", "os", "do", "da", "em"}},
	{"nl", "nld_Latn", "nl_XX", []string{"dutch", "nederlands", "flemish"}, nil, []string{"het", "een", "van", "niet", "is", "de", "ik", "zijn"}},
	{"pl", "pol_Latn", "pl_PL", []string{"polish", "polski"}, nil, []string{"się", "jest", "nie", "na", "że", "w", "i", "to"}},
	{"sv", "swe_Latn", "sv_SE", []string{"swedish", "svenska"}, nil, []string{"och", "att", "är", "det", "som", "inte", "jag", "en"}},
	{"da", "dan_Latn", "", []string{"danish", "dansk"}, nil, []string{"og", "er", "ikke", "det", "af", "jeg", "til", "på"}},
	{"no", "nob_Latn", "", []string{"norwegian", "norsk", "bokmål"}, nil, nil},
	{"fi", "fin_Latn", "fi_FI", []string{"finnish", "suomi"}, nil, []string{"ja", "on", "ei", "että", "se", "hän", "mutta", "olen"}},
	{"cs", "ces_Latn", "cs_CZ", []string{"czech", "čeština"}, nil, []string{"je", "se", "že", "na", "jsem", "není", "ale", "jako"}},
	{"sk", "slk_Latn", "", []string{"slovak", "slovenčina"}, nil, nil},
	{"hu", "hun_Latn", "", []string{"hungarian", "magyar"}, nil, []string{"és", "egy", "nem", "hogy", "az", "van", "ez", "meg"}},
	{"ro", "ron_Latn", "ro_RO", []string{"romanian", "română"}, nil, []string{"și", "este", "nu", "în", "care", "pentru", "cu", "sunt"}},
	{"hr", "hrv_Latn", "hr_HR", []string{"croatian", "hrvatski"}, nil, nil},
	{"sl", "slv_Latn", "sl_SI", []string{"slovenian", "slovene"}, nil, nil},
	{"et", "est_Latn", "et_EE", []string{"estonian", "eesti"}, nil, nil},
	{"lv", "lvs_Latn", "lv_LV", []string{"latvian", "latviešu"}, nil, nil},
	{"lt", "lit_Latn", "lt_LT", []string{"lithuanian", "lietuvių"}, nil, nil},
	{"tr", "tur_Latn", "tr_TR", []string{"turkish", "türkçe"}, nil, []string{"ve", "bir", "bu", "için", "değil", "ile", "çok", "ben"}},
	{"id", "ind_Latn", "id_ID", []string{"indonesian", "bahasa indonesia"}, nil, []string{"yang", "dan", "di", "ini", "itu", "tidak", "saya", "dengan"}},
	{"ms", "zsm_Latn", "", []string{"malay", "bahasa melayu"}, nil, nil},
	{"vi", "vie_Latn", "vi_VN", []string{"vietnamese", "tiếng việt"}, nil, []string{"và", "là", "của", "không", "một", "tôi", "có", "được"}},
	{"tl", "tgl_Latn", "tl_XX", []string{"tagalog", "filipino"}, nil, nil},
	{"sw", "swh_Latn", "sw_KE", []string{"swahili", "kiswahili"}, nil, nil},
	{"ca", "cat_Latn", "", []string{"catalan", "català"}, nil, nil},
	{"ru", "rus_Cyrl", "ru_RU", []string{"russian", "русский"}, nil, []string{"и", "в", "не", "что", "на", "это", "с", "как"}},
	{"uk", "ukr_Cyrl", "uk_UA", []string{"ukrainian", "українська"}, nil, []string{"і", "та", "що", "не", "це", "є", "з", "як"}},
	{"bg", "bul_Cyrl", "", []string{"bulgarian", "български"}, nil, nil},
	{"sr", "srp_Cyrl", "", []string{"serbian", "српски"}, nil, nil},
	{"el", "ell_Grek", "", []string{"greek", "ελληνικά"}, unicode.Greek, nil},
	{"he", "heb_Hebr", "he_IL", []string{"hebrew", "עברית"}, unicode.Hebrew, nil},
	{"ja", "jpn_Jpan", "ja_XX", []string{"japanese", "日本語"}, unicode.Hiragana, nil}, //nolint:gosmopolitan // it is called so
	{"ko", "kor_Hang", "ko_KR", []string{"korean", "한국어"}, unicode.Hangul, nil},
	{"zh", "zho_Hans", "zh_CN", []string{"chinese", "simplified chinese", "mandarin", "中文", "汉语"}, unicode.Han, nil}, //nolint:gosmopolitan // it is called so
	{"zh", "zho_Hant", "zh_CN", []string{"traditional chinese", "繁體中文"}, nil, nil},                                   //nolint:gosmopolitan // it is called so
	{"th", "tha_Thai", "th_TH", []string{"thai", "ไทย"}, unicode.Thai, nil},
	{"hi", "hin_Deva", "hi_IN", []string{"hindi", "हिन्दी"}, unicode.Devanagari, nil},
	{"bn", "ben_Beng", "bn_IN", []string{"bengali", "bangla", "বাংলা"}, unicode.Bengali, nil},
	{"ta", "tam_Taml", "ta_IN", []string{"tamil", "தமிழ்"}, unicode.Tamil, nil},
	{"ar", "arb_Arab", "ar_AR", []string{"arabic", "العربية"}, unicode.Arabic, nil},
	{"fa", "pes_Arab", "fa_IR", []string{"persian", "farsi", "فارسی"}, nil, nil},
	{"ur", "urd_Arab", "ur_PK", []string{"urdu", "اردو"}, nil, nil},
}

// Named returns the language that a phrase names: "German", "to Deutsch", "de", "zh-Hant".
func Named(said string) (Language, bool) {
	words := strings.ToLower(strings.Trim(strings.Join(strings.Fields(said), " "), ".,!?\"' "))
	for _, lead := range []string{"into ", "to ", "in "} {
		words = strings.TrimPrefix(words, lead)
	}
	words = strings.TrimSuffix(words, " language")
	code, region, _ := strings.Cut(strings.ReplaceAll(words, "_", "-"), "-")
	if code == "zh" && (region == "hant" || region == "tw" || region == "hk") {
		words = "traditional chinese"
	}
	if b, v, ok := strings.Cut(words, " ("); ok { // "Chinese (traditional)"
		words = strings.TrimSuffix(v, ")") + " " + b
	}
	if i := slices.IndexFunc(languages, func(l Language) bool { return slices.Contains(l.names, words) || l.flores == said }); i >= 0 {
		return languages[i], true
	}
	if i := slices.IndexFunc(languages, func(l Language) bool { return l.ISO == code || slices.ContainsFunc(l.names, lastWord(words).is) }); i >= 0 {
		return languages[i], true
	}
	return Language{}, false
}

// lastWord is a phrase that may end in a language's name: "brazilian portuguese".
type lastWord string

func (w lastWord) is(name string) bool { return strings.HasSuffix(string(w), " "+name) }

// Guess returns the language of a text, judged by its script or its most frequent words. It reports false if
// they are inconclusive.
func Guess(text string) (Language, bool) {
	letters := 0
	counts := make([]int, len(languages))
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		for i, l := range languages {
			if l.script != nil && unicode.Is(l.script, r) {
				counts[i]++
			}
		}
	}
	best := slices.Index(counts, slices.Max(counts))
	if japanese := slices.IndexFunc(languages, func(l Language) bool { return l.ISO == "ja" }); counts[japanese] > 0 {
		best = japanese // Japanese uses Chinese characters too
		counts[best] = letters
	}
	if letters > 0 && counts[best]*2 > letters {
		return languages[best], true
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	clear(counts)
	for _, w := range words {
		for i, l := range languages {
			if slices.Contains(l.common, w) {
				counts[i]++
			}
		}
	}
	best = slices.Index(counts, slices.Max(counts))
	sorted := slices.Sorted(slices.Values(counts))
	sure := counts[best] >= 2 && counts[best] > sorted[len(sorted)-2] && counts[best]*20 >= len(words)
	return languages[best], sure
}

// CodeFor returns the code of a language for a model, "" if the model does not know it.
func (l Language) CodeFor(model string) string {
	model = strings.ToLower(model)
	switch {
	case strings.Contains(model, "nllb"):
		return l.flores
	case strings.Contains(model, "mbart"):
		return l.mbart
	}
	return l.ISO
}

// IsPair reports whether a model translates between two languages only, going by its name
// (Helsinki-NLP/opus-mt-en-de).
func IsPair(model string) bool { return strings.Contains(strings.ToLower(model), "opus-mt") }
