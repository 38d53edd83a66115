package token

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestCount compares estimates with the measured counts of cl100k_base and o200k_base. An estimate is at least the
// smaller count, and at least nine tenths of the larger.
func TestCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text         string
		older, newer int
	}{
		{"", 0, 0},
		{`{"thought":"The edge map","subtasks":[{"description":"Resize turm-9e0f.edge-5a6b.png to half its size","task":["image-editing"],"id":0,"dep":[],"args":[{"type":"edge","value":"turm-9e0f.edge-5a6b.png","meaning":""}]}]}`, 73, 77},
		{strings.Repeat("- \"IMG_20240713_182344-7c1e.jpg\": image, earlier, the file \"IMG_20240713_182344.jpg\"\n- \"Scan 2024-03-11 (2)-ab42.pdf\": text\n", 3), 159, 159},
		{"Bitte entferne den Regenschirm aus dem Bild und mache danach eine Zusammenfassung der Aufzeichnung, die ich gestern über die Straßenbahnverbindungen geschickt habe. Übersetze das Ergebnis ins Französische.", 54, 40},
		{"Enlève le parapluie de la photo, puis résume l'enregistrement que j'ai envoyé hier à propos des tramways, et traduis-le en allemand s'il te plaît.", 44, 39},
		{"Пожалуйста, убери зонтик с фотографии, а потом сделай краткое изложение записи, которую я прислал вчера, и переведи его на французский язык.", 69, 36},
		{"من فضلك أزل المظلة من الصورة ثم لخص التسجيل الذي أرسلته أمس وترجمه إلى الفرنسية.", 55, 25},
		{"कृपया तस्वीर से छाता हटा दें और फिर कल भेजी गई रिकॉर्डिंग का सारांश बनाएं।", 77, 25},
		{"请把照片里的雨伞去掉,然后把我昨天发的录音总结一下,再翻译成法语。这是一张深度图。照着它画一座水下图书馆。", 69, 46},
		{"사진에서 우산을 지우고 어제 보낸 녹음을 요약한 다음 프랑스어로 번역해 주세요.", 40, 29},
		{"😀🎉👩‍👩‍👧‍👦🔥❤️ nice 👍🏽", 35, 20},
		{strings.Repeat("9f86d081884c7d659a2feaa0c55ad015", 4), 76, 76},
	} {
		got := Count(c.text)
		if got < min(c.older, c.newer) || 10*got < 9*max(c.older, c.newer) || got > 4*c.newer {
			t.Errorf("%q has %d or %d tokens, not about %d", c.text, c.older, c.newer, got)
		}
	}
}

func TestClipTo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		most := rapid.IntRange(2, 40).Draw(t, "most")
		got := ClipTo(s, most)
		if Count(got) > most || got != s && (Count(s) <= most || !strings.HasSuffix(got, "…") || !strings.HasPrefix(s, strings.TrimSuffix(got, "…"))) {
			t.Fatalf("%q cut to %d tokens is %q", s, most, got)
		}
	})
}

func TestClip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		most := rapid.IntRange(0, 40).Draw(t, "most")
		got := Clip(s, most)
		if len(got) > most || !strings.HasPrefix(s, got) || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%q cut to %d bytes is %q", s, most, got)
		}
		if len(got)+utf8.UTFMax <= min(most, len(s)) {
			t.Fatalf("%q lost more than it had to: %q", s, got)
		}
	})
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", " short ", strings.Repeat("词", 50), "a" + strings.Repeat("é", 60), "\xff" + strings.Repeat("x", 90)} {
		got := Excerpt(s, 40)
		if !utf8.ValidString(got) || len(got) > 40+len(" […] ") {
			t.Errorf("%q of %q", got, s)
		}
	}
	if got := Excerpt("0123456789abcdefghijklmnop", 8); got != "012345 […] op" {
		t.Errorf("%q", got)
	}
}
