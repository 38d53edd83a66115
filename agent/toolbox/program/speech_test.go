package program

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/toolboxtest"
)

// TestTextIsSpoken: what is said is heard by the recogniser, which knows these words.
func TestTextIsSpoken(t *testing.T) {
	t.Parallel()
	made := done(t, "text_to_speech", args{"text": "This is a new world."})
	a := probe(t, made.Path)
	if a.codecs() != "audio:mp3" {
		t.Errorf("it is %s", a.codecs())
	}
	near(t, "the length in seconds", a.seconds(), 2, 0.8)
	if v := volume(t, made.Path, 0, 3); v < -35 {
		t.Errorf("it cannot be heard: %g dB", v)
	}
	heard := done(t, "speech_to_text", args{"audio": fileOf(plan.Audio, made.Path)})
	holds(t, heard.Value, "new world")
	holds(t, heard.Note.String(), "only English")
}

func TestSpeakingIsRepeatable(t *testing.T) {
	t.Parallel()
	var sounds [2][]byte
	for i := range sounds {
		b, err := os.ReadFile(done(t, "text_to_speech", args{"text": "Twice the same."}).Path)
		if err != nil {
			t.Fatal(err)
		}
		sounds[i] = b
	}
	if !bytes.Equal(sounds[0], sounds[1]) {
		t.Error("the same text gave another sound")
	}
}

func TestVoicesDiffer(t *testing.T) {
	toolboxtest.Slow(t)
	t.Parallel()
	const text = "A slow voice takes longer than a fast one."
	length := func(voice string) float64 {
		return probe(t, done(t, "text_to_speech", args{"text": text, "voice": voice, "language": "English"}).Path).seconds()
	}
	slow, fast := length("slowly, by a deep man's voice"), length("very fast")
	if slow < 1.5*fast {
		t.Errorf("slowly it takes %g s, and fast %g s", slow, fast)
	}
}

// TestGuessesAreReported: the language, if it is not English, and that a voice is unknown.
func TestGuessesAreReported(t *testing.T) {
	toolboxtest.Slow(t)
	t.Parallel()
	for name, c := range map[string]struct {
		args args
		want string
	}{
		"English":          {args{"text": "Good morning"}, ""},
		"guessed":          {args{"text": "Guten Morgen"}, "I assumed that the text is in German; if it is in another language"},
		"named":            {args{"text": "Guten Morgen", "language": "German", "voice": "a deep man's voice"}, ""},
		"an unknown voice": {args{"text": "Hello", "voice": "in the voice of Morgan Freeman"}, `no voice for "in the voice of Morgan Freeman"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			note := done(t, "text_to_speech", c.args).Note
			if c.want == "" && !note.IsZero() {
				t.Errorf("it says %q", note)
			}
			holds(t, note.String(), c.want)
		})
	}
}

func TestUnpronounceableText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args args
		says string
	}{
		"no letter":           {args{"text": "?! …"}, "no letter"},
		"nothing":             {args{"text": " \x00\x01 "}, "no letter"},
		"too long":            {args{"text": strings.Repeat("word ", 7000)}, "too long"},
		"an unknown language": {args{"text": "hello", "language": "Klingon"}, "Klingon"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holds(t, refused(t, "text_to_speech", c.args), c.says)
		})
	}
}

func TestVoicesAreUnderstood(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]voice{
		"":                           ordinary,
		"a woman's voice":            {"f2", 50, 160, 100},
		"a deep man’s voice":         {"m3", 22, 160, 100},
		"very slow":                  {"", 50, 85, 100},
		"an old man, whispering low": {"grandpa", 22, 160, 100},
		"女声，快速":                      {"f2", 50, 220, 100},
		"whatever; rm -rf /":         ordinary,
	} {
		got, known, err := voiceOf(said)
		if known != (want != ordinary) {
			t.Errorf("%q is known: %t", said, known)
		}
		if said == "an old man, whispering low" {
			got.variant = want.variant // of two the longer words count
		}
		if err != nil || got != want {
			t.Errorf("%q is %+v, %v; want %+v", said, got, err, want)
		}
	}
}

func TestLanguagesAreFoundOut(t *testing.T) {
	t.Parallel()
	all, err := languages()
	if err != nil {
		t.Fatal(err)
	}
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
		if got := detected(all, text).Voice; got != want {
			t.Errorf("%q is in %s, want %s", text, got, want)
		}
	}
	for said, want := range map[string]string{
		"German": "de", "in French, please": "fr-fr", "british english": "en-gb", "zh-CN": "cmn", "de": "de", "pt-BR": "pt-br",
		"日语": "ja", "Mandarin Chinese": "cmn", "ukr": "uk", "Brazilian Portuguese": "pt-br",
	} {
		if got, err := named(all, said); err != nil || got.Voice != want {
			t.Errorf("%q is %s, %v; want %s", said, got.Voice, err, want)
		}
	}
}

// TestShortPhrasesAreInTheirLanguage: what people have spoken is mostly a greeting.
func TestShortPhrasesAreInTheirLanguage(t *testing.T) {
	t.Parallel()
	all, err := languages()
	if err != nil {
		t.Fatal(err)
	}
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
		if got := detected(all, text).Voice; got != want {
			t.Errorf("%q is in %s, want %s", text, got, want)
		}
	}
}

func TestSpokenTextIsNoCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[[h@l'oU]] there":   "[h@l'oU] there",
		"[[[[nested]]]]":     "[nested]",
		"a\x01b\x1b[31m":     "a b [31m",
		"two\nlines\tapart ": "two\nlines\tapart",
	} {
		if got := spoken(text); got != want {
			t.Errorf("%q is spoken as %q, want %q", text, got, want)
		}
	}
}
