package text

import (
	"strings"
	"testing"

	"atelier/agent/toolbox/native/nativetest"
)

func TestTextsAreEdited(t *testing.T) {
	t.Parallel()
	const contacts = "Ada Byron <ada@example.org>, +44 20 7946 0958\nsee https://example.org/a?b=1, and 12 May 2026\nBob: bob.m@mail.example.co.uk"
	tests := []struct {
		tool, text string
		params     []string // names and values
		want       string
	}{
		{"redact_text", contacts, []string{"what", "emails", "by", "[x]"}, "Ada Byron <[x]>, +44 20 7946 0958\nsee https://example.org/a?b=1, and 12 May 2026\nBob: [x]"},
		{"redact_text", "call 030 1234567 now", []string{"what", "phones", "by", "$1"}, "call $1 now"},
		{"extract_from_text", contacts, []string{"what", "emails"}, "ada@example.org\nbob.m@mail.example.co.uk"},
		{"extract_from_text", contacts, []string{"what", "links"}, "https://example.org/a?b=1"},
		{"extract_from_text", contacts, []string{"what", "dates"}, "12 May 2026"},
		{"find_lines", "a\nERROR one\nb\nan error too\n", []string{"find", "Error"}, "ERROR one\nan error too"},
		{"sort_lines", "pear\nApple\n\nfig\n", nil, "Apple\nfig\npear"},
		{"sort_lines", "pear\r\nApple\r\nfig\r\n", []string{"direction", "descending"}, "pear\nfig\nApple"},
		{"remove_duplicates", "a\nb\na\nB\n", nil, "a\nb\nB"},
		{"change_case", "straße nach Ulm", []string{"style", "upper"}, "STRASSE NACH ULM"},
		{"change_case", "the old harbour", []string{"style", "title"}, "The Old Harbour"},
		{
			"html_to_text",
			"<html><head><title>Desks</title><style>p{}</style></head><body><h1>Our <b>desks</b></h1>\n<p>All prices\n include &amp; show tax.<br>Ask us.</p>" +
				"<table><tr><td>Desk</td><td>120</td></tr></table><script>alert('x')</script></body></html>",
			nil, "Desks\nOur desks\nAll prices include & show tax.\nAsk us.\nDesk\t120",
		},
	}
	for _, tt := range tests {
		out, err := nativetest.New(t, Operations()).Typed(tt.tool, append([]string{"text", tt.text}, tt.params...)...)
		if err != nil || out.Value != tt.want {
			t.Errorf("%s %v of %q: got %q and %v, want %q", tt.tool, tt.params, tt.text, out.Value, err, tt.want)
		}
	}
}

// TestMarkdownBecomesAPage checks that the page has the text's structure, and no script of the text.
func TestMarkdownBecomesAPage(t *testing.T) {
	t.Parallel()
	out, err := nativetest.New(t, Operations()).Perform("markdown_to_html",
		nativetest.Call("text", "# Notes & <b>plans</b>\n\n- one\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n<script>alert(1)</script>\n\n[x](javascript:alert(2))"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!doctype html>", "<title>Notes &amp; &lt;b&gt;plans&lt;/b&gt;</title>", "<li>one</li>", "<td>2</td>"} {
		if !strings.Contains(out.Value, want) {
			t.Errorf("the page lacks %s:\n%s", want, out.Value)
		}
	}
	if strings.Contains(out.Value, "alert") {
		t.Errorf("the page has a script:\n%s", out.Value)
	}
}

func TestEditsThatFindNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool   string
		params []string
		fault  string
	}{
		{"redact_text", []string{"what", "emails", "by", "x"}, "The text contains none of them."},
		{"extract_from_text", []string{"what", "links"}, "The text contains none of them."},
		{"find_lines", []string{"find", "%s\n\"x"}, "No line contains"},
	} {
		_, err := nativetest.New(t, Operations()).Typed(tt.tool, append([]string{"text", "nothing here"}, tt.params...)...)
		nativetest.WantFault(t, err, tt.fault)
	}
	_, err := nativetest.New(t, Operations()).Perform("html_to_text", nativetest.Call("text", "<script>x</script>"))
	nativetest.WantFault(t, err, "The web page has no text.")
	_, err = nativetest.New(t, Operations()).Perform("html_to_text", nativetest.Call("text", "# Notes\n\n1 < 2 & 3"))
	nativetest.WantFault(t, err, "This text is no web page: it has no HTML tags.")
}
