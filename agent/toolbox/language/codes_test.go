package language

import "testing"

func TestCodes(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"German": "deu_Latn", "into german": "deu_Latn", "de": "deu_Latn", "DE-at": "deu_Latn", "Deutsch": "deu_Latn", "the French language": "fra_Latn",
		"Chinese": "zho_Hans", "zh-TW": "zho_Hant", "Chinese (traditional)": "zho_Hant", "simplified Chinese": "zho_Hans", "Brazilian Portuguese": "por_Latn",
		"日本語": "jpn_Jpan", "pt_BR": "por_Latn", "deu_Latn": "deu_Latn", "Klingon": "", "": "",
	} {
		if l, err := Named(said); l.Flores != want || (err == nil) != (want != "") {
			t.Errorf("%q is %+v, %v; want %s", said, l.Flores, err, want)
		}
	}
	for text, want := range map[string]string{
		"The quick fox is on the hill.": "en", "Der Hund ist nicht im Haus.": "de", "Le chat est sur les toits.": "fr", "El perro es muy bueno y los gatos no.": "es",
		"これは日本のテキストです。": "ja", "这是一个中文句子。": "zh", "이것은 한국어입니다": "ko", "Это не мой дом, и что это?": "ru", "Αυτό είναι ελληνικά": "el",
		"xyzzy": "", "": "", "42": "",
	} {
		if l, ok := Guess(text); ok != (want != "") || ok && l.ISO != want {
			t.Errorf("%q is in %s, %v; want %s", text, l.ISO, ok, want)
		}
	}
}
