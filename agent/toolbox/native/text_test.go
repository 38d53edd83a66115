package native

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
)

// given is a call with small values: argument and value in turn.
func given(pairs ...string) toolbox.Call {
	c := toolbox.Call{Args: map[string][]toolbox.Value{}}
	for pair := range slices.Chunk(pairs, 2) {
		c.Args[pair[0]] = []toolbox.Value{{Resource: plan.Resource{Value: pair[1]}}}
	}
	return c
}

// perform runs an operation by its name in the table.
func perform(t *testing.T, run string, c toolbox.Call) (toolbox.Output, error) {
	t.Helper()
	n, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	candidate := toolbox.Candidate{Backing: toolbox.Backing{Kind: "native", Run: run, Device: "cpu"}}
	out, err := n.Run(t.Context(), candidate, c)
	if err == nil {
		toolboxtest.Effects(t, candidate, c, out)
	}
	return out, err
}

// wantFault fails the test unless err tells people something that holds the words.
func wantFault(t *testing.T, err error, words string) {
	t.Helper()
	f, ok := errors.AsType[*plan.Fault](err)
	if !ok {
		t.Fatalf("the error %v has no sentence for people", err)
	}
	if !strings.Contains(f.Sentence.String(), words) {
		t.Fatalf("the sentence %q does not hold %q", f.Sentence.String(), words)
	}
}

const harbour = `The harbour of Porto was built by merchants. Dr. Silva, who came from Lisbon in Jan. 1890, paid 3.5 million for the first dock. It burned in 1902! The docks were rebuilt with stone from the quarry. "Will it last?" asked the mayor. Merchants of the harbour still meet at the old dock every year. Ships bring wine, cork and fish to the harbour. The U.S. Navy visited once. Today the harbour museum tells the story of merchants and docks. Visitors enjoy the museum.`

func TestSentences(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing":        {" \n\t ", nil},
		"plain":          {"One is here. Two is there! Is three? Yes", []string{"One is here.", "Two is there!", "Is three?", "Yes"}},
		"title":          {"Dr. Who met Mrs. Fox. They left.", []string{"Dr. Who met Mrs. Fox.", "They left."}},
		"initials":       {"J. S. Bach wrote it. We listen.", []string{"J. S. Bach wrote it.", "We listen."}},
		"decimals":       {"It costs 3.50 now. Before it was 2.1 million.", []string{"It costs 3.50 now.", "Before it was 2.1 million."}},
		"numbered":       {"See fig. 3 and No. 7. He said no. Then he went.", []string{"See fig. 3 and No. 7.", "He said no.", "Then he went."}},
		"lower goes on":  {"Use a tool, e.g. a saw. “Stop!” he cried.", []string{"Use a tool, e.g. a saw.", "“Stop!” he cried."}},
		"country":        {"The U.S. Navy came. She lives in the U.S. The end.", []string{"The U.S. Navy came.", "She lives in the U.S.", "The end."}},
		"quotes":         {`He said "Go." Then (at last!) she went. "Why?"`, []string{`He said "Go."`, "Then (at last!) she went.", `"Why?"`}},
		"dots":           {"Wait... what? Well… Fine.", []string{"Wait... what?", "Well…", "Fine."}},
		"addresses":      {"Look at example.com today. It is new.", []string{"Look at example.com today.", "It is new."}},
		"wrapped lines":  {"This goes\non here. And\r\nends.", []string{"This goes on here.", "And ends."}},
		"paragraphs":     {"A heading\n\nThe text begins. It ends.", []string{"A heading", "The text begins.", "It ends."}},
		"no punctuation": {"milk\neggs\nbread", []string{"milk", "eggs", "bread"}},
		"list":           {"Buy:\n- milk.\n- eggs.\n1. Go home.\n2. Eat.", []string{"Buy:", "- milk.", "- eggs.", "1. Go home.", "2. Eat."}},
		"Chinese":        {"这是第一句。这是第二句！“真的吗？”好", []string{"这是第一句。", "这是第二句！", "“真的吗？”", "好"}},
		"Japanese":       {"「こんにちは。」彼は言った。終わり", []string{"「こんにちは。」", "彼は言った。", "終わり"}},
		"bad UTF-8":      {"a\xff. B", []string{"a\uFFFD.", "B"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sentences(tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRunOnTextsAreCut(t *testing.T) {
	t.Parallel()
	text := strings.TrimSpace(strings.Repeat("and so we walked along ", 100))
	got := sentences(text)
	if len(got) < 5 || strings.Join(got, " ") != text {
		t.Errorf("500 words without a stop became %d pieces", len(got))
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("Dr. A. Fox paid 3.5. “Why?” No. 7 stayed; I did not.")
	f.Add("a. b.\n\n- c. 1. D... “e”。f\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := sentences(text)
		if !slices.Equal(strings.Fields(strings.Join(got, " ")), strings.Fields(strings.Join(got, "\n"))) {
			t.Error("a sentence holds odd white space")
		}
		if have, want := squeeze(strings.Join(got, "")), squeeze(clean(text)); have != want {
			t.Errorf("the text changed: %q, not %q", have, want)
		}
		for _, s := range got {
			if strings.TrimSpace(s) == "" || !utf8.ValidString(s) {
				t.Errorf("bad sentence %q", s)
			}
		}
	})
}

// squeeze leaves out white space.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func TestSummaryHasAsManySentencesAsAsked(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{"two sentences": 2, "1": 1, "3 sentences": 3, "20": len(sentences(harbour))} {
		out, err := tabled(t, "summarization", "text", harbour, "sentences", said)
		if got := sentences(out.Value); err != nil || len(got) != want {
			t.Errorf("%s: got %q and %v", said, got, err)
		}
	}
	if _, err := tabled(t, "summarization", "text", harbour, "sentences", "ten words"); err == nil {
		t.Error("ten words were taken for ten sentences")
	}
}

func TestSummarization(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text      string
		sentences int
		note      string
	}{
		"a fifth":       {harbour, 2, ""},
		"short":         {"Only this. And that.", 2, "too short"},
		"at most five":  {strings.Repeat(harbour+"\n\n", 6), 5, ""},
		"very long":     {strings.Repeat("The cat sat on mat number one. A dog barked at a tree. Rain fell on the hills. ", 400), 5, ""},
		"no stop words": {"milk\neggs\nbread\nbutter", 1, ""},
		"signs only":    {"!!!\n\n???\n\n...\n\n,,,", 1, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := perform(t, "summarization", given("text", tt.text))
			if err != nil {
				t.Fatal(err)
			}
			got := sentences(out.Value)
			if tt.note == "" && len(got) > tt.sentences || len(got) == 0 || !strings.Contains(out.Note.String(), tt.note) {
				t.Errorf("got %q with the note %q", out.Value, out.Note.String())
			}
			at := 0
			whole := strings.Join(sentences(tt.text), " ")
			for _, s := range got { // in their order
				i := strings.Index(whole[at:], s)
				if i < 0 {
					t.Fatalf("%q is not in the text after what came before it", s)
				}
				at += i
			}
		})
	}
}

func TestSummaryTakesWhatMatters(t *testing.T) {
	t.Parallel()
	out, err := perform(t, "summarization", given("text", harbour))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.Value, "merchants") || strings.Contains(out.Value, "Will it last") {
		t.Errorf("the summary is %q", out.Value)
	}
}

func TestTextToTags(t *testing.T) {
	t.Parallel()
	text := "The iPhone camera is great. NASA uses machine learning for image recognition, and machine learning finds forest fires. Forest fires burn."
	out, err := perform(t, "text_to_tags", given("text", text))
	if err != nil {
		t.Fatal(err)
	}
	tags := strings.Split(out.Value, ", ")
	for _, want := range []string{"machine learning", "iPhone camera", "image recognition", "NASA"} {
		if !slices.ContainsFunc(tags, func(tag string) bool { return strings.HasPrefix(tag, want) }) {
			t.Errorf("%q is not among %q", want, tags)
		}
	}
	if len(tags) > maxTags || strings.Contains(out.Value, "\n") {
		t.Errorf("%d tags: %q", len(tags), out.Value)
	}
	out, err = perform(t, "text_to_tags", given("text", "two dogs play on the beach"))
	if err != nil || !strings.Contains(out.Value, "beach") {
		t.Errorf("a caption gave %q, %v", out.Value, err)
	}
	_, err = perform(t, "text_to_tags", given("text", "it is what it is, 12 + 4"))
	wantFault(t, err, "no words")
}

func FuzzKeyphrases(f *testing.F) {
	f.Add("Dr. A. Fox paid 3.5. “Why?” No. 7 stayed; I did not.")
	f.Add("naïve café, 你好世界。İstanbul ǅ")
	f.Fuzz(func(t *testing.T, text string) {
		tags := keyphrases(text, maxTags)
		if len(tags) > maxTags {
			t.Errorf("%d tags", len(tags))
		}
		for i, tag := range tags {
			if strings.TrimSpace(tag) == "" || strings.ContainsAny(tag, ",\n") || slices.Contains(tags[:i], tag) {
				t.Errorf("bad or repeated tag %q", tag)
			}
		}
		if title := titleOf(text); strings.Contains(title, "\n") || utf8.RuneCountInString(title) > maxTitleRunes {
			t.Errorf("bad title %q", title)
		}
	})
}

func TestTitleGeneration(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"caption":       {"a dog sitting on a bench in a park", "Dog Sitting on a Bench in a Park"},
		"filler":        {"There is a red bicycle, and it leans against the wall.", "Red Bicycle"},
		"own spelling":  {"NASA tests the iPhone.", "NASA Tests the iPhone"},
		"Chinese":       {"夏天的海边，孩子在玩", "夏天的海边"},
		"one long word": {strings.Repeat("abc", 100), "Abc" + strings.Repeat("abc", 25) + "a…"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := perform(t, "title_generation", given("text", tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if out.Value != tt.want {
				t.Errorf("the title is %q, not %q", out.Value, tt.want)
			}
		})
	}
	out, err := perform(t, "title_generation", given("text", harbour))
	if n := len(strings.Fields(out.Value)); err != nil || n < 2 || n > maxTitleWords || !strings.Contains(out.Value, "Harbour") {
		t.Errorf("the title of a text is %q, %v", out.Value, err)
	}
	_, err = perform(t, "title_generation", given("text", "?! ..."))
	wantFault(t, err, "no words")
}

func TestSentimentAnalysis(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"positive":   {"I love this wonderful place, it’s great!", "very positive"},
		"negative":   {"This is a terrible, ugly mess. I hate it.", "very negative"},
		"neutral":    {"The table has four legs.", "sounds neutral (0.00 "},
		"no":         {"The food isn’t good.", "negative"},
		"whitespace": {"What a\ngreat\n\n\nday", "positive"},
		"mixed": {"I love this wonderful picture. But the frame is terrible and ugly.",
			"on a scale from -1 to 1)."},
		"one word": {"happy", "positive"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := perform(t, "sentiment_analysis", given("text", tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.Value, tt.want) {
				t.Errorf("got %q, not %q", out.Value, tt.want)
			}
		})
	}
}

func TestTextIsNeeded(t *testing.T) {
	t.Parallel()
	for _, run := range []string{"summarization", "text_to_tags", "title_generation", "sentiment_analysis"} {
		for _, text := range []string{"", " \n\x00"} {
			_, err := perform(t, run, given("text", text))
			wantFault(t, err, "There is no text")
		}
		_, err := perform(t, run, given("text", strings.Repeat("word ", maxText/5+1)))
		wantFault(t, err, "longer than 4 MB")
	}
}

func TestSummaryStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := summarization(ctx, given("text", strings.Repeat("Some words stand here. ", 2000)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
