package language

import "testing"

func TestLanguagesAreFoundOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello world, how are you?":             "en-us",
		"42":                                    "en-us",
		"Das ist nicht der richtige Weg.":       "de",
		"Le chat est dans la maison.":           "fr-fr",
		"El niño está en la casa.":              "es",
		"Привет, как дела?":                     "ru",
		"Привіт, як справи? Їжак.":              "uk",
		"Καλημέρα κόσμε":                        "el",
		"مرحبا بالعالم":                         "ar",
		"שלום עולם":                             "he",
		"नमस्ते दुनिया":                         "hi",
		"สวัสดีชาวโลก":                          "th",
		"你好，世界":                                 "cmn",
		"他用 iPhone 拍了一张照片":                      "cmn",
		"こんにちは、世界":                              "ja",
		"東京に行きます":                               "ja",
		"안녕하세요":                                 "ko",
		"Please read the word 你好 to me slowly.": "en-us",
	} {
		if got, _ := Guess(text); got.Voice != want {
			t.Errorf("%q is in %s, want %s", text, got.Voice, want)
		}
	}
	for said, want := range map[string]string{
		"German": "de", "in French, please": "fr-fr", "british english": "en-gb", "zh-CN": "cmn", "de": "de", "pt-BR": "pt-br",
		"日语": "ja", "Mandarin Chinese": "cmn", "ukr": "uk", "Brazilian Portuguese": "pt-br",
	} {
		if got, err := Named(said); err != nil || got.Voice != want {
			t.Errorf("%q is %s, %v; want %s", said, got.Voice, err, want)
		}
	}
}

// TestShortPhrasesAreInTheirLanguage: what people have spoken is mostly a greeting.
func TestShortPhrasesAreInTheirLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Guten Morgen": "de", "Herzlichen Glückwunsch!": "de", "Alles Gute zum Geburtstag": "de", "Wie geht es dir?": "de",
		"Bonjour": "fr-fr", "Merci beaucoup, monsieur": "fr-fr", "Je t'aime": "fr-fr", "café au lait": "fr-fr", "À bientôt, mes amis": "fr-fr",
		"Hola, amigo": "es", "Buenos días a todos": "es", "¿Dónde está la biblioteca?": "es", "Muchas gracias": "es",
		"Ciao a tutti": "it", "Buongiorno, come stai?": "it", "Grazie mille": "it",
		"Olá": "pt", "Obrigado, bom dia": "pt", "Goedemorgen allemaal": "nl", "Dank je wel": "nl",
		"God morgon, hur mår du?": "sv", "Dzień dobry": "pl", "Dobrý den všem": "cs", "Jó napot kívánok": "hu", "Günaydın": "tr",
		"Hyvää huomenta": "fi", "Selamat pagi semuanya": "id", "Xin chào các bạn": "vi", "Bună ziua tuturor": "ro",
		"Привет": "ru", "Доброго ранку": "uk", "早上好": "cmn",
		"naïve résumé is what she wrote": "en-us", "I love a good café": "en-us", "Robert De Niro": "en-us", "Hello": "en-us",
		"No, a hotel in Los Angeles": "en-us", "Happy birthday, Tom!": "en-us", "Worcestershire": "en-us", "3, 2, 1": "en-us",
	} {
		if got, _ := Guess(text); got.Voice != want {
			t.Errorf("%q is in %s, want %s", text, got.Voice, want)
		}
	}
}
