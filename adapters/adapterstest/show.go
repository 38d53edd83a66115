package adapterstest

import (
	"fmt"
	"slices"
	"strings"

	"atelier/adapters"
)

func sending() map[string]check {
	return map[string]check{
		"a text":                  {nil, aText},
		"nobody is notified":      {nil, nobodyNotified},
		"one person is notified":  {nil, oneNotified},
		"many are never notified": {[]Feature{Spellings}, manyNotified},
		"one of two is notified":  {[]Feature{Spellings, Company}, oneOfTwoNotified},
		"choices":                 {nil, choices},
		"what is answered":        {[]Feature{Answers}, answered},
		"answers to what is gone": {[]Feature{Answers, Removals}, answersToGone},
		"other threads":           {nil, otherThreads},
		"direct threads":          {[]Feature{Private}, directThreads},
	}
}

func aText(s *scene) {
	thread := s.thread()
	for _, language := range []string{"", "en", "zh-Hans"} {
		ref := s.send(adapters.Reply{Thread: thread, Text: "Here it is.", Language: language})
		if got := s.of(thread, ref); len(got) != 1 || letters(got) != "Here it is." || len(got[0].Files)+len(got[0].Links)+len(got[0].Choices) != 0 {
			s.Errorf("in %q: shown as %+v", language, got)
		}
	}
	if n := len(s.own(thread)); n != 3 {
		s.Errorf("3 replies became %d messages", n)
	}
}

// shouts are texts that notify many people on some platform.
var shouts = []string{
	"@everyone", "@here", "@channel", "@all", "<!channel>", "<!here>", "<!everyone>", "<!subteam^S1>", "<@&1>", "<@U1>",
	"<@!1>", "<#C1>", "@room", "@Ana", "@Bob",
}

// notified checks whom a reply notifies.
func (s *scene) notified(what string, thread adapters.Thread, r adapters.Reply, want ...string) {
	s.Helper()
	r.Thread = thread
	ref := s.send(r)
	var got []string
	for _, m := range s.of(thread, ref) {
		got = append(got, m.Notified...)
	}
	if !equal(got, want) {
		s.Errorf("%s: notifies %q, want %q", what, got, want)
	}
	s.shows(s.of(thread, ref), r.Text)
}

func nobodyNotified(s *scene) {
	thread := s.thread()
	s.notified("a plain text", thread, adapters.Reply{Text: "Hello, Ana."})
	for _, shout := range shouts {
		s.notified(shout, thread, adapters.Reply{Text: "Hear, " + shout + "!"})
	}
	s.notified("the id of a person", thread, adapters.Reply{Text: s.ana.ID + " @" + s.ana.ID + " <@" + s.ana.ID + ">"})
}

func oneNotified(s *scene) {
	thread := s.thread()
	s.notified("a mention", thread, adapters.Reply{Text: "Here it is.", Mention: s.ana.ID}, s.ana.ID)
	s.notified("a mention and shouts", thread, adapters.Reply{Text: strings.Join(shouts, " "), Mention: s.ana.ID}, s.ana.ID)
	s.notified("a long text", thread, adapters.Reply{Text: longText(800), Mention: s.ana.ID}, s.ana.ID)
	s.notified("a block of code", thread, adapters.Reply{Text: "```\n@everyone <!channel>\n```", Mention: s.ana.ID}, s.ana.ID)
}

// hiding are formats with a place that a platform could interpret by its own rules.
var hiding = []string{"%s", "`%s`", "**%s**", "```\n%s\n```", "- %s", "> %s", "[%s](https://example.com)", "a\n%s"}

// everywhere returns replies with the text in every possible place.
func (st *stage) everywhere(text string) []adapters.Reply {
	var all []adapters.Reply
	for _, format := range hiding {
		all = append(all, adapters.Reply{Text: fmt.Sprintf(format, text)})
	}
	file := st.shelf.put("a.txt", "text/plain", []byte("a"))
	file.Alt, file.Note = text, text
	named := st.shelf.put(text+".txt", "text/plain", []byte("a"))
	return append(all, adapters.Reply{Text: "See.", Files: []adapters.Attachment{file}}, adapters.Reply{Text: "See.", Files: []adapters.Attachment{named}},
		adapters.Reply{Text: "Choose.", Choices: []adapters.Choice{{ID: "a", Text: text}}})
}

func manyNotified(s *scene) {
	thread := s.thread()
	for _, shout := range as[Spelling](s, s.p).Shouts() {
		for _, r := range s.everywhere(shout) {
			s.notified(shout, thread, r)
			r.Mention = s.ana.ID
			s.notified(shout+" and a mention", thread, r, s.ana.ID)
		}
	}
}

func oneOfTwoNotified(s *scene) {
	thread, bob := s.thread(), s.bob()
	for _, r := range s.everywhere(as[Spelling](s, s.p).Spell(s.T, bob)) {
		s.notified("another one's mention", thread, r)
		r.Mention = s.ana.ID
		s.notified("two mentions", thread, r, s.ana.ID)
	}
}

// choices checks that choices are readable, whatever their text.
func choices(s *scene) {
	thread := s.thread()
	r := adapters.Reply{Thread: thread, Text: "Choose."}
	for i := range adapters.MaxChoices {
		//nolint:gosmopolitan // other scripts are what is tested
		text := []string{"another way", "**bold** `code` _it_", "<b>&amp;</b>", "日本語 👩‍👩‍👧‍👦", strings.Repeat("long ", 12) + "end"}[i%5]
		r.Choices = append(r.Choices, adapters.Choice{ID: fmt.Sprintf("choice-%d", i), Text: text})
	}
	messages := s.of(thread, s.send(r))
	var got []string
	for _, m := range messages {
		got = append(got, m.Choices...)
	}
	if len(got) != len(r.Choices) {
		s.Fatalf("%d choices are shown as %q", len(r.Choices), got)
	}
	for i, c := range r.Choices {
		begin := []rune(c.Text)
		if !strings.Contains(got[i], string(begin[:min(len(begin), 40)])) { // a button may not have room for all
			s.Errorf("choice %d is shown as %q, want %q", i+1, got[i], c.Text)
		}
	}
	s.shows(messages, r.Text)
}

func answered(s *scene) {
	e := s.listen()
	thread := s.thread()
	asked := e.write(s.post(thread, "do it")).Message.Ref
	e.write(s.post(thread, "and that"))
	messages := s.of(thread, s.send(adapters.Reply{Thread: thread, Text: longText(800), AnswerTo: asked}))
	if messages[0].AnswerTo != asked.ID {
		s.Errorf("shown as an answer to %q", messages[0].AnswerTo)
	}
	if m := s.of(thread, s.say(thread, "By the way.")); m[0].AnswerTo != "" {
		s.Errorf("an answer to nothing is shown as an answer to %q", m[0].AnswerTo)
	}
}

// answersToGone checks that an answer is posted even if the message that it answers is gone.
func answersToGone(s *scene) {
	thread := s.thread()
	asked := s.p.Write(s.T, s.post(thread, "do it"))
	as[Removing](s, s.p).Remove(s.T, s.ana, asked)
	ref := s.send(adapters.Reply{Thread: thread, Text: "Done.", AnswerTo: asked})
	s.shows(s.of(thread, ref), "Done.")
}

func otherThreads(s *scene) {
	one, two := s.thread(), s.thread()
	if one.Key() == two.Key() {
		s.Fatal("two threads are the same")
	}
	first, second := s.say(one, "in the first"), s.say(two, "in the second")
	s.only(one, first)
	s.only(two, second)
}

func directThreads(s *scene) {
	thread := s.place(true)
	ref := s.send(adapters.Reply{Thread: thread, Text: "Between us.", Mention: s.ana.ID})
	s.shows(s.of(thread, ref), "Between us.")
	s.only(thread, ref)
}

func showing() map[string]check {
	return map[string]check{
		"markdown":                 {nil, markdown},
		"letter by letter":         {nil, letterByLetter},
		"texts of others":          {nil, textsOfOthers},
		"long texts":               {nil, longTexts},
		"long code":                {nil, longCode},
		"long lines of many bytes": {nil, longClusters},
	}
}

// letters returns the text of messages line by line, without blanks and the markers of unordered lists.
func letters(messages []Shown) string {
	var lines []string
	for _, m := range messages {
		lines = append(lines, lettersOf(m.Blocks)...)
	}
	return strings.Join(lines, "\n")
}

func lettersOf(blocks []adapters.Block) []string {
	var lines []string
	for _, b := range blocks {
		b = counted(b)
		var text strings.Builder
		text.WriteString(b.Code)
		for _, s := range b.Spans {
			text.WriteString(s.Text)
		}
		for l := range strings.SplitSeq(text.String(), "\n") {
			if l = visible(l); l != "" {
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// counted converts an ordered list item to a line with the number in its text. Adapters do that where the platform
// would number items differently; people see the same.
func counted(b adapters.Block) adapters.Block {
	if b.Kind != adapters.Item || b.Marker == "-" {
		return b
	}
	number := adapters.Span{Text: strings.Repeat("  ", b.Indent) + b.Marker + " "}
	return adapters.Block{Spans: append([]adapters.Span{number}, b.Spans...)}
}

// unseen are characters that are invalid or invisible. An adapter may add the latter to keep the platform from
// interpreting the text around them, such as "```" in code.
const unseen = "\x00\ufffd\u200b\u2060\ufeff"

// visible returns the visible characters of a line.
func visible(l string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if strings.ContainsRune(unseen, r) {
			return -1
		}
		return r
	}, l), " \t")
}

// shows checks that messages show a text with its meaning, and nothing else before it.
func (s *scene) shows(messages []Shown, text string) {
	s.Helper()
	want, got := strings.Join(lettersOf(adapters.Parse(text)), "\n"), letters(messages)
	if len(messages) > 1 { // lines may be cut
		want, got = strings.Join(strings.Fields(want), ""), strings.Join(strings.Fields(got), "")
	}
	if !strings.HasPrefix(got, want) {
		s.Errorf("%.300q is shown as %.300q", want, got)
	}
	if len(messages) == 1 && !s.lacks(Styles) {
		want, got := styled(adapters.Parse(text)), styled(messages[0].Blocks)
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			s.Errorf("%.300q is shown in the style %.300q, want %.300q", text, got, want)
		}
	}
}

// styled returns the non-empty blocks, each as one word.
func styled(blocks []adapters.Block) []string {
	var all []string
	for _, b := range blocks {
		b = counted(b)
		var line strings.Builder
		last := ""
		for _, span := range b.Spans {
			style := fmt.Sprintf("{%t %t %t %s}", span.Bold, span.Italic, span.Code, span.URL)
			if style != last {
				line.WriteString(style)
			}
			last = style
			line.WriteString(span.Text)
		}
		switch text := visible(line.String()); {
		case b.Kind == adapters.Code:
			all = append(all, "code:"+visible(b.Code))
		case b.Kind != adapters.Line || text != "":
			all = append(all, fmt.Sprintf("%d %d %s:%s", b.Kind, b.Indent, b.Marker, text))
		}
	}
	return all
}

func markdown(s *scene) {
	thread := s.thread()
	for _, text := range []string{
		"one\ntwo\n\nthree", "**bold** and *italic*, and ***both***", "run `name_of_tool` and `a*b*`", "**bold `code` *italic***",
		"[a link](https://example.com/a_b?c=d&e=f#g)!", "[**bold**](https://example.com)", "- one\n- two\n  - deeper\n- three", "* one\n* two",
		"1. one\n2. two\n10. ten", "> quoted\n> more\nnot quoted", "```\ncode\n\n  and more\n```", "```go\nfunc f() { return \"<b>\" & `x` }\n```\nafter",
		"before\n```\na\n```\nbetween\n```\nb\n```", "````\n```\n````",
		"- **bold** item with `code`\n\n> *quoted*", `\*a\* \[b\](c) \\ \` + "`x\\`", "https://example.com/a_b_c",
		"snake**bold**case", "**a**b**c**", "a *b*, (*c*) *d*.", "**bold\nnot", "`open", "2 * 3 * 4",
		"- one\n\n- two", "**** ** *", "```\n**no** <b> &amp; @everyone\n```",
	} {
		s.shows(s.of(thread, s.say(thread, text)), text)
	}
}

// plain are texts without a meaning for [adapters.Parse], but with one elsewhere.
var plain = []string{
	"# no heading", "## none", "-# small", "__underlined__ _italic_ ~~struck~~ ||hidden||", "~struck~ _it_", "a_b_c",
	"<b>bold?</b> <script>alert(1)</script>", "&lt;b&gt; &amp; &#64;",
	"| a | b |\n|---|---|\n| c | d |", "![picture](x.png)", "***", "---", "===", "___",
	">>> all of this\nand this", ":smile: :+1:", "<@U1> <#C1> <!channel|x> <https://example.com|x> <t:0:R>",
	"<https://example.com>", "[x](javascript:alert(1))", "[x]: https://example.com", "[^1]", "$x^2$ \\(y\\)",
	"1) one", "+ one", "~~~\nno code\n~~~", "    four spaces", "a  \nb", "-one", ">one", "#tag @name",
	"<a href=\"https://example.com\">x</a>", "\u202eesrever\u202c",
	"𝕏 👩‍👩‍👧‍👦 e\u0301 日本語", //nolint:gosmopolitan // other scripts are what is tested
	"a\u200bb\u00a0c",
	"{{ .Name }} ${x} %s %d", "'quoted' \"too\"", "\\x41 C:\\new\\table", "/tools", "!x", "\x00a\x00", "*", "_", "~", "`", "|", "\\",
	"*no\nitalic*", "a*b*c", "http://user:secret@example.com", "https://example.com/(a)_b_*c*",
}

func letterByLetter(s *scene) {
	thread := s.thread()
	for _, text := range plain {
		s.shows(s.of(thread, s.say(thread, text)), text)
	}
	all := strings.Join(plain, "\n")
	s.shows(s.of(thread, s.say(thread, all)), all)
}

// textsOfOthers checks quotations: escaped, and as code.
func textsOfOthers(s *scene) {
	thread := s.thread()
	for _, text := range append(slices.Clone(plain), "**bold**", "`code`", "- item", "> quote", "1. one", "[a](https://example.com)", "```\ncode\n```", "\\*") {
		for _, quoted := range []string{"You said: " + adapters.Escape(text), adapters.Escape(text), "````go\n" + text + "\n````"} {
			s.shows(s.of(thread, s.say(thread, quoted)), quoted)
		}
	}
}

// longText returns a text with that many different words.
func longText(words int) string {
	var b strings.Builder
	for i := range words {
		switch {
		case i%97 == 96:
			fmt.Fprintf(&b, "word%d.\n\n", i)
		case i%31 == 30:
			//nolint:gosmopolitan // other scripts are what is tested
			fmt.Fprintf(&b, "**bold%d** `code%d` [link%d](https://example.com/%d) 日本%d👩‍👩‍👧‍👦. ", i, i, i, i, i)
		case i%50 == 49:
			fmt.Fprintf(&b, "\n- item%d\n", i)
		default:
			fmt.Fprintf(&b, "word%d ", i)
		}
	}
	return b.String()
}

// longTexts checks that no word is lost or repeated, and that the parts are known.
func longTexts(s *scene) {
	thread := s.thread()
	text := longText(6000)
	ref := s.say(thread, text)
	messages := s.of(thread, ref)
	s.shows(messages, text)
	s.only(thread, ref)
	if links := strings.Count(text, "]("); !s.lacks(Styles) && countSpans(messages, func(s adapters.Span) bool { return s.URL != "" }) < links {
		s.Errorf("some of %d links are broken", links)
	}
}

func countSpans(messages []Shown, is func(adapters.Span) bool) int {
	n := 0
	for _, m := range messages {
		for _, b := range m.Blocks {
			for _, s := range b.Spans {
				if is(s) {
					n++
				}
			}
		}
	}
	return n
}

// longCode checks that code stays code in all parts.
func longCode(s *scene) {
	thread := s.thread()
	var code []string
	for i := range 1500 {
		code = append(code, fmt.Sprintf("%s%d := f(\"**%d**\", <-c, `x`) // &amp;", strings.Repeat("    ", i%4), i, i))
	}
	text := "Look at this.\n```go\n" + strings.Join(code, "\n") + "\n```\nThat was it."
	ref := s.say(thread, text)
	var got, prose []string
	for _, m := range s.of(thread, ref) {
		for _, b := range m.Blocks {
			if b.Kind == adapters.Code {
				got = append(got, strings.Split(b.Code, "\n")...)
			} else {
				prose = append(prose, lettersOf([]adapters.Block{b})...)
			}
		}
	}
	if !equal(got, code) {
		s.Errorf("%d lines of code are shown as %d, or changed", len(code), len(got))
	}
	if !equal(prose, []string{"Look at this.", "That was it."}) {
		s.Errorf("unexpected text beside the code: %.300q", prose)
	}
}

// longClusters checks that a text without spaces is cut between characters.
func longClusters(s *scene) {
	thread := s.thread()
	//nolint:gosmopolitan // other scripts are what is tested
	for _, cluster := range []string{"日", "👩‍👩‍👧‍👦", "𝕏", "e\u0301", "<", "&", "_", "\\\\"} {
		const times = 2500
		ref := s.say(thread, strings.Repeat(cluster, times))
		want := strings.ReplaceAll(cluster, "\\\\", "\\")
		for line := range strings.SplitSeq(letters(s.of(thread, ref)), "\n") {
			if strings.ReplaceAll(line, want, "") != "" {
				s.Errorf("a line of %q contains something else", want)
			}
		}
		if n := strings.Count(letters(s.of(thread, ref)), want); n != times {
			s.Errorf("%d of %q are shown as %d", times, want, n)
		}
	}
}
