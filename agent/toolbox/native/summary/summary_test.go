package summary

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"atelier/agent/toolbox/native/nativetest"
	"atelier/agent/toolbox/native/prose"
)

const harbour = `The harbour of Porto was built by merchants. Dr. Silva, who came from Lisbon in Jan. 1890, paid 3.5 million for the first dock. It burned in 1902! The docks were rebuilt with stone from the quarry. "Will it last?" asked the mayor. Merchants of the harbour still meet at the old dock every year. Ships bring wine, cork and fish to the harbour. The U.S. Navy visited once. Today the harbour museum tells the story of merchants and docks. Visitors enjoy the museum.`

func TestSummaryHasAsManySentencesAsAsked(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{"two sentences": 2, "1": 1, "3 sentences": 3, "20": len(prose.Sentences(harbour))} {
		out, err := nativetest.New(t, Operations()).Typed("summarization", "text", harbour, "sentences", said)
		if got := prose.Sentences(out.Value); err != nil || len(got) != want {
			t.Errorf("%s: got %q and %v", said, got, err)
		}
	}
	if _, err := nativetest.New(t, Operations()).Typed("summarization", "text", harbour, "sentences", "ten words"); err == nil {
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
			out, err := nativetest.New(t, Operations()).Perform("summarization", nativetest.Call("text", tt.text))
			if err != nil {
				t.Fatal(err)
			}
			got := prose.Sentences(out.Value)
			if tt.note == "" && len(got) > tt.sentences || len(got) == 0 || !strings.Contains(out.Note.String(), tt.note) {
				t.Errorf("got %q with the note %q", out.Value, out.Note.String())
			}
			at := 0
			whole := strings.Join(prose.Sentences(tt.text), " ")
			for _, s := range got { // in order
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
	out, err := nativetest.New(t, Operations()).Perform("summarization", nativetest.Call("text", harbour))
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
	out, err := nativetest.New(t, Operations()).Perform("text_to_tags", nativetest.Call("text", text))
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
	out, err = nativetest.New(t, Operations()).Perform("text_to_tags", nativetest.Call("text", "two dogs play on the beach"))
	if err != nil || !strings.Contains(out.Value, "beach") {
		t.Errorf("a caption gave %q, %v", out.Value, err)
	}
	_, err = nativetest.New(t, Operations()).Perform("text_to_tags", nativetest.Call("text", "it is what it is, 12 + 4"))
	nativetest.WantFault(t, err, "no words")
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
			out, err := nativetest.New(t, Operations()).Perform("title_generation", nativetest.Call("text", tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if out.Value != tt.want {
				t.Errorf("the title is %q, not %q", out.Value, tt.want)
			}
		})
	}
	out, err := nativetest.New(t, Operations()).Perform("title_generation", nativetest.Call("text", harbour))
	if n := len(strings.Fields(out.Value)); err != nil || n < 2 || n > maxTitleWords || !strings.Contains(out.Value, "Harbour") {
		t.Errorf("the title of a text is %q, %v", out.Value, err)
	}
	_, err = nativetest.New(t, Operations()).Perform("title_generation", nativetest.Call("text", "?! ..."))
	nativetest.WantFault(t, err, "no words")
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
			out, err := nativetest.New(t, Operations()).Perform("sentiment_analysis", nativetest.Call("text", tt.text))
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
			_, err := nativetest.New(t, Operations()).Perform(run, nativetest.Call("text", text))
			nativetest.WantFault(t, err, "There is no text")
		}
		_, err := nativetest.New(t, Operations()).Perform(run, nativetest.Call("text", strings.Repeat("word ", prose.Most/5+1)))
		nativetest.WantFault(t, err, "longer than 4 MB")
	}
}

func TestSummaryStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := summarization(ctx, nativetest.Call("text", strings.Repeat("Some words stand here. ", 2000)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
