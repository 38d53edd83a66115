package messages_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"atelier/adapters/messages"
)

// said is a message as those who make them have it.
type said struct {
	format string
	args   []any
}

func (s said) Phrase() (string, []any) { return s.format, s.args }

func of(t *testing.T, files map[string]string) *messages.Catalogue {
	t.Helper()
	c, err := messages.New(folder(files))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func folder(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func TestSay(t *testing.T) {
	t.Parallel()
	c := of(t, map[string]string{
		"zh-Hans.json": `{
			"(a test) %q is too large: %d MB.": "（测试）“%s”太大：%d MB。",
			"(a test) the first %s, then %s": "（测试）先%[2]s，再%[1]s",
			"(a test) %d files in %s": "（测试）%[2]s里有 %[1]d 个文件",
			"(a test) half": "一半", "(a test) %d%%": "百分之 %d"
		}`,
		"en.json": `{"(a test) %d files in %s": {"argument": 1, "one": "(a test) one file in %[2]s", "other": "(a test) %d files in %s"}}`,
		"de.json": `{"(a test) half": "halb"}`,
	})
	for _, s := range []struct {
		tag, format string
		args        []any
		want        string
	}{
		{"en", "(a test) %q is too large: %d MB.", []any{"a.png", 20}, `(a test) "a.png" is too large: 20 MB.`},
		{"zh-Hans", "(a test) %q is too large: %d MB.", []any{"50%s ${x}.png", 2000}, `（测试）“50%s ${x}.png”太大：2,000 MB。`},
		{"zh-CN", "(a test) half", nil, "一半"},
		{"zh", "(a test) half", nil, "一半"},
		{"de-AT", "(a test) half", nil, "halb"},
		{"de", "(a test) %d%%", []any{5}, "(a test) 5%"},
		{"zh-Hans", "(a test) %d%%", []any{5}, "百分之 5"},
		{"zh-Hans", "(a test) the first %s, then %s", []any{"A", "B"}, "（测试）先B，再A"},
		{"zh-Hans", "(a test) the first %s, then %s", []any{said{"(a test) half", nil}, said{"(a test) %d%%", []any{3}}}, "（测试）先百分之 3，再一半"},
		{"en", "(a test) the first %s, then %s", []any{said{"(a test) half", nil}, "B"}, "(a test) the first (a test) half, then B"},
		{"en", "(a test) %d files in %s", []any{1, "it"}, "(a test) one file in it"},
		{"en-GB", "(a test) %d files in %s", []any{1000, "it"}, "(a test) 1,000 files in it"},
		{"zh-Hans", "(a test) %d files in %s", []any{1, "相册"}, "（测试）相册里有 1 个文件"},
		{"zh-Hans", "(a test) not known: %s", []any{"50%"}, "(a test) not known: 50%"},
		{"fr", "(a test) half", nil, "(a test) half"},
		{"", "(a test) half", nil, "(a test) half"},
		{"no tag at all", "(a test) half", nil, "(a test) half"},
	} {
		if got := c.Say(s.tag, s.format, s.args...); got != s.want {
			t.Errorf("in %q, %q %v is %q, want %q", s.tag, s.format, s.args, got, s.want)
		}
		if got := c.Tell(s.tag, said{s.format, s.args}); got != s.want {
			t.Errorf("in %q, %q %v is %q, want %q", s.tag, s.format, s.args, got, s.want)
		}
	}
}

// TestOneSentenceAfterAnother checks that a space separates a Chinese sentence from one in another language.
func TestOneSentenceAfterAnother(t *testing.T) {
	t.Parallel()
	c := of(t, map[string]string{"zh-Hans.json": `{"(a test) half": "一半。"}`})
	half := said{"(a test) half", nil}
	for _, s := range []struct {
		tag           string
		first, second any
		want          string
	}{
		{"zh-Hans", half, half, "一半。一半。"},
		{"zh-Hans", "It did not work.", half, "It did not work. 一半。"},
		{"zh-Hans", half, "It did not work.", "一半。It did not work."},
		{"zh-Hans", "One.", "Two.", "One. Two."},
		{"zh-Hans", said{"%s %s", []any{"One.", "Two."}}, half, "One. Two. 一半。"},
		{"zh-Hans", "", half, "一半。"},
		{"zh-Hans", "One.\n", half, "One.\n一半。"},
		{"en", "One.", "Two.", "One. Two."},
	} {
		if got := c.Say(s.tag, "%s %s", s.first, s.second); got != s.want {
			t.Errorf("in %s: %q, want %q", s.tag, got, s.want)
		}
	}
}

func TestSayAtOnce(t *testing.T) {
	t.Parallel()
	c := of(t, map[string]string{"zh-Hans.json": `{"(a test) %s %d": "（测试）%[2]d %[1]s"}`})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				want := fmt.Sprintf("（测试）%d %d", j, i)
				if got := c.Say("zh-Hans", "(a test) %s %d", strconv.Itoa(i), j); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
	all.Wait()
}

// Say does not change its arguments: another caller may use them for another language.
func TestSayLeavesTheArguments(t *testing.T) {
	t.Parallel()
	c := of(t, map[string]string{"zh-Hans.json": `{"(a test) half": "一半"}`})
	args := []any{said{"(a test) half", nil}}
	c.Say("zh-Hans", "%s", args...)
	if got := c.Say("en", "%s", args...); got != "(a test) half" {
		t.Error(got)
	}
}

func TestBadCatalogues(t *testing.T) {
	t.Parallel()
	for why, files := range map[string]map[string]string{
		"must be a language tag":      {"no language.json": `{}`},
		"not a JSON object":           {"zh-Hans.json": `[]`},
		"EOF":                         {"zh-Hans.json": `{"a": "b"`},
		`duplicate "a"`:               {"zh-Hans.json": `{"a": "b", "a": "c"}`},
		"duplicate file":              {"zh-Hans.json": `{"a": "b"}`, "zh-hans.json": `{"a": "c"}`},
		"cannot unmarshal":            {"zh-Hans.json": `{"a": 3}`},
		"the text is empty":           {"zh-Hans.json": `{"a": " "}`},
		"has an invalid verb":         {"zh-Hans.json": `{"a": "${b}"}`},
		"has different arguments":     {"zh-Hans.json": `{"a %s": "b"}`},
		`"b %s" has different`:        {"zh-Hans.json": `{"a": "b %s"}`},
		`"b %d" has different`:        {"zh-Hans.json": `{"a %s": "b %d"}`},
		`"b %q" has different`:        {"zh-Hans.json": `{"a %s": "b %q"}`},
		`"%[2]s %[1]d" has different`: {"zh-Hans.json": `{"%s %d": "%[2]s %[1]d"}`},
		`"%[2]s" has different`:       {"zh-Hans.json": `{"%s %s": "%[2]s"}`},
		`"%" is not a verb`:           {"zh-Hans.json": `{"%!": "b"}`},
		`in "50% !": "% " is not`:     {"zh-Hans.json": `{"a": "50% !"}`},
		"has two different verbs":     {"zh-Hans.json": `{"%d %[1]s": "b"}`},
		"must be an argument number":  {"zh-Hans.json": `{"%d": {"argument": 1, "others": "b"}}`},
		`"argument" or "other"`:       {"zh-Hans.json": `{"%d": {"argument": 1, "one": "b"}}`},
		"must be a number":            {"zh-Hans.json": `{"%s": {"argument": 1, "other": "%s"}}`},
		`"b" has different`:           {"zh-Hans.json": `{"%d %s": {"argument": 1, "one": "b", "other": "%d %s"}}`},
	} {
		if _, err := messages.New(folder(files)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v: %v, want %q", files, err, why)
		}
	}
}

// A part of the program may have its own translation of a word.
func TestLastFolderCounts(t *testing.T) {
	t.Parallel()
	one := folder(map[string]string{"zh-Hans.json": `{"(a test) half": "一半", "(a test) stop": "停"}`})
	two := folder(map[string]string{"zh-Hans.json": `{"(a test) half": "半个"}`})
	c, err := messages.New(one, two)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Say("zh-Hans", "(a test) half") + c.Say("zh-Hans", "(a test) stop"); got != "半个停" {
		t.Error(got)
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for wish, want := range map[string]string{
		"":                                "en",
		"👍":                               "en",
		"make it a cartoon":               "en",
		"把它变成卡通":                          "zh-Hans",
		"你好":                              "zh-Hans",
		"請把這張照片變成黑白":                      "zh-Hans",
		"把 photo.jpg 变成 cartoon style":    "zh-Hans",
		"把photo.jpg变成卡通":                  "zh-Hans",
		"把 https://a.example/b/c.html 翻译": "zh-Hans",
		"@Atelier 裁剪一下":                   "zh-Hans",
		"抠图":                              "zh-Hans",
		"照片.jpg":                          "zh-Hans",
		"rotate 照片.jpg":                   "en",
		"write 春节快乐 on the picture":       "en",
		`translate "你好，世界" to English`:    "en",
		"add the title 中华人民共和国成立 to it":          "en",
		"给这张图加上文字“Happy New Year to all of you”": "zh-Hans",
		"把《The Old Man and the Sea》的封面变成卡通":      "zh-Hans",
		"给图片加上文字「こんにちは」":                         "zh-Hans",
		"写真を白黒にして":                               "en",
		"写真変換して":                                 "en",
		"東京タワーの絵":                                "en",
		"사진을 흑백으로":                               "en",
		"漢字 사진":                                  "en",
		"сделай картинку":                        "en",
		"“你好”":                                   "zh-Hans",
		"3 + 4 = ?":                              "en",
		"90° rotate":                             "en",
		"旋转90度":                                  "zh-Hans",
	} {
		if got := messages.Language(wish); got != want {
			t.Errorf("%q is in %s, want %s", wish, got, want)
		}
	}
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"👍", "", "把它变成卡通", "make it red"}, "zh-Hans"},
		{[]string{"ok", "把它变成卡通"}, "zh-Hans"},
		{[]string{"OK!", "make it red"}, "en"},
		{[]string{"2", "1"}, "en"},
	} {
		if got := messages.Language(c.texts[0], c.texts[1:]...); got != c.want {
			t.Errorf("%q are in %s, want %s", c.texts, got, c.want)
		}
	}
}

func FuzzLanguage(f *testing.F) {
	for _, s := range []string{"", "把它变成卡通", "write 春节快乐 on it", "“", "\xff把", "a.b", "ー", "…/@#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, wish string) {
		got := messages.Language(wish)
		if got != messages.English && got != messages.SimplifiedChinese {
			t.Fatal(got)
		}
		if got == messages.SimplifiedChinese && !strings.ContainsFunc(wish, func(r rune) bool { return r >= 0x2E80 }) {
			t.Fatalf("%q is not Chinese", wish)
		}
		if again := messages.Language("👍", wish); again != got {
			t.Fatalf("%s alone, %s after a sign", got, again)
		}
	})
}

// FuzzSay checks that user text comes out verbatim, in each language.
func FuzzSay(f *testing.F) {
	c, err := messages.New(folder(map[string]string{"zh-Hans.json": `{
		"(a test) %s, %q, %s and %d.": "（测试）%[4]d、%[3]s、%[2]q 和 %[1]s。"
	}`}))
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"", "%", "%s%d%[9]s%!", "${1}", "<script>*a*`b`", "\xff", "一半", "a\nb", "%%", "(a test) %s, %q, %s and %d."} {
		f.Add("zh-Hans", s, s, 1234567)
	}
	f.Fuzz(func(t *testing.T, tag, a, b string, n int) {
		got := c.Say(tag, "(a test) %s, %q, %s and %d.", a, b, said{"%s", []any{b}}, n)
		digits := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, strconv.Itoa(n))
		for _, arg := range []string{a, fmt.Sprintf("%q", b), b} {
			if !strings.Contains(got, arg) {
				t.Fatalf("%q is lost in %q", arg, got)
			}
		}
		if !strings.Contains(strings.ReplaceAll(got, ",", ""), digits) && !strings.ContainsAny(a+b, ",") {
			t.Fatalf("%d is lost in %q", n, got)
		}
		if _, err := messages.Verbs(a); err != nil && strings.Contains(c.Say("en", "%s", a), "%!") != strings.Contains(a, "%!") {
			t.Fatalf("%q is taken for a format", a)
		}
	})
}
