package llm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// What cl100k_base and o200k_base make of a text, as they were measured: the estimate is
// no less than the smaller, and at least nine tenths of the larger.
func TestTokens(t *testing.T) {
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
		got := tokens(c.text)
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
		got := clipTo(s, most)
		if tokens(got) > most || got != s && (tokens(s) <= most || !strings.HasSuffix(got, "…") || !strings.HasPrefix(s, strings.TrimSuffix(got, "…"))) {
			t.Fatalf("%q cut to %d tokens is %q", s, most, got)
		}
	})
}

func TestClip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		most := rapid.IntRange(0, 40).Draw(t, "most")
		got := clip(s, most)
		if len(got) > most || !strings.HasPrefix(s, got) || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%q cut to %d bytes is %q", s, most, got)
		}
		if len(got)+utf8.UTFMax <= min(most, len(s)) {
			t.Fatalf("%q lost more than it had to: %q", s, got)
		}
	})
}

func TestAConversationIsCutFromItsOldestTurn(t *testing.T) {
	t.Parallel()
	var turns []plan.Turn
	for i := range 10 {
		turns = append(turns, plan.Turn{Wish: fmt.Sprintf("wish %d", i), Reply: strings.Repeat("word ", 40), Made: []string{"a.png"}})
	}
	one := perMessage + tokens(turns[0].Wish) + tokens(turns[0].Reply) + tokens("a.png")
	for budget, want := range map[int]int{0: 0, leastTurn: 0, one: 1, 3*one + 1: 3, 100 * one: 10} {
		got := latest(turns, budget)
		if len(got) != want || want > 0 && got[want-1].Wish != "wish 9" {
			t.Errorf("a budget of %d tokens keeps %d turns, not the latest %d", budget, len(got), want)
		}
	}
}

// A turn that is too long is told in part: what it made is what "it" means.
func TestALongTurnIsCut(t *testing.T) {
	t.Parallel()
	turns := []plan.Turn{
		{Wish: "first", Reply: "Here it is.", Made: []string{"first.png"}},
		{Wish: "second, " + strings.Repeat("with words ", 2000), Reply: "Here it is. " + strings.Repeat("It is good. ", 2000), Made: []string{"second.png", "third.png"}},
	}
	const budget = 400
	got := latest(turns, budget)
	if len(got) != 2 || !slices.Equal(got[1].Made, turns[1].Made) || got[0].Wish != "first" {
		t.Fatalf("%d turns are kept: %+v", len(got), got)
	}
	for _, text := range []string{got[1].Wish, got[1].Reply} {
		if !strings.HasSuffix(text, "…") || len(text) < 60 {
			t.Errorf("it is cut to %q", text)
		}
	}
	if !strings.HasPrefix(got[1].Wish, "second, with") || !strings.HasPrefix(got[1].Reply, "Here it is. It is") {
		t.Errorf("it begins with %q, %q", got[1].Wish, got[1].Reply)
	}
	if all := turnTokens(got[0]) + turnTokens(got[1]); all > budget {
		t.Errorf("%d tokens for %d", all, budget)
	}
	turns[1].Reply = "Done." // what it does not need is the wish's
	if got := latest(turns, budget); got[1].Reply != "Done." {
		t.Errorf("a short reply is cut to %q", got[1].Reply)
	}
}

func TestACatalogueIsCutToWhatMatters(t *testing.T) {
	t.Parallel()
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	tools := catalogue.Tools()
	index := retrieve.New(lexicon, tools)
	line := func(t toolbox.Tool) string { return t.Name + ": " + t.Description }
	all := 0
	for _, t := range tools {
		all += tokens(line(t))
	}
	if got := relevant(index, tools, line, "blur it", all); len(got) != len(tools) {
		t.Errorf("%d of %d tools are left although all fit", len(got), len(tools))
	}
	for wish, want := range map[string]string{"blur the photo": "blur_image", "what is said in this recording?": "speech_to_text"} {
		got := relevant(index, tools, line, wish, all/10)
		used := 0
		for _, t := range got {
			used += tokens(line(t))
		}
		if used > all/10 || len(got) == 0 {
			t.Errorf("%d tools take %d of %d tokens", len(got), used, all/10)
		}
		if !slices.ContainsFunc(got, func(t toolbox.Tool) bool { return t.Name == want }) {
			t.Errorf("%q does not keep %s", wish, want)
		}
		if !slices.IsSortedFunc(got, func(a, b toolbox.Tool) int { return strings.Compare(a.Name, b.Name) }) {
			t.Error("the tools that are left are not in the order of the catalogue")
		}
	}
}
