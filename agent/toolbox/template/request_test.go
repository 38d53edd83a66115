package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func readRequest(t *testing.T, text string) *Request {
	t.Helper()
	r := new(Request)
	if err := yaml.Unmarshal([]byte(text), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// upload is a file with bytes that are not valid text.
func upload(arg string) (Upload, error) {
	return Upload{Name: arg + ".png", MIME: "image/png", Content: []byte{0xFF, 0xFE, 'x'}}, nil
}

var given = facts(map[string]Value{
	"video": {Kind: File, Text: "video"}, "video.width": Num(640), "video.sound": Truth(true), "caption": {Kind: Words, Text: `say "hi" & go`},
	"way": Text("in"), "count": Num(2.5),
})

func TestFill(t *testing.T) {
	t.Parallel()
	const file = "//54" // the upload in Base64
	for request, want := range map[string]string{
		`{url: "https://h/v1/a%20b/"}`:             "GET https://h/v1/a%20b/",
		`{url: "https://h:8000"}`:                  "GET https://h:8000/",
		`{url: "https://h:443/x"}`:                 "GET https://h/x",
		`{url: "https://H/v1/{way}-{count}.json"}`: "GET https://h/v1/in-2.5.json",
		`{url: "https://h/x/{caption}"}`:           "GET https://h/x/say%20%22hi%22%20&%20go",
		`{url: "https://h/", query: {q: "{caption}", n: 3, w: "w{2 * video.width}"}}`:                                                           "GET https://h/?n=3&q=say+%22hi%22+%26+go&w=w1280",
		`{url: "https://h/", query: {c: "{colour}", d: "x{colour}", e: ""}}`:                                                                    "GET https://h/?e=",
		`{url: "https://h/", json: {a: "{count}", b: "{video.sound}", c: "{count > 3}", d: "{way}", e: "n{count}"}}`:                            `POST https://h/ {"a":2.5,"b":true,"c":false,"d":"in","e":"n2.5"}`,
		`{url: "https://h/", json: {a: 1, b: [x, true, null, 0.5, "{count}", "{colour}"], c: {d: "{colour}"}, e: ""}}`:                          `POST https://h/ {"a":1,"b":["x",true,null,0.5,2.5],"c":{},"e":""}`,
		`{url: "https://h/", json: {words: "{caption}", other: "{colour}"}}`:                                                                    `POST https://h/ {"words":"say \"hi\" \u0026 go"}`,
		`{url: "https://h/", json: {a: "{video}", b: "data:image/png;base64,{video}"}}`:                                                         `POST https://h/ {"a":"` + file + `","b":"data:image/png;base64,` + file + `"}`,
		`{url: "https://h/", json: {a: {if: count > 2, then: "{count}"}, b: {if: count > 3, then: x}, c: {if: colour, then: x, else: {d: y}}}}`: `POST https://h/ {"a":2.5,"c":{"d":"y"}}`,
		`{url: "https://h/", json: "{caption}"}`:                                                                                                `POST https://h/ "say \"hi\" \u0026 go"`,
		`{url: "https://h/", method: PUT, body: "{caption}"}`:                                                                                   `PUT https://h/ say "hi" & go`,
		`{url: "https://h/", body: "{video}"}`:                                                                                                  "POST https://h/ \xFF\xFEx",
	} {
		r := readRequest(t, request)
		made, err := r.Fill(given, upload)
		got := r.Method() + " " + r.Base() + made.Path
		if len(made.Query) > 0 {
			got += "?" + made.Query.Encode()
		}
		if made.Body != nil {
			got += " " + string(made.Body)
		}
		if err != nil || got != want {
			t.Errorf("%s gives\n%s, %v, want\n%s", request, got, err, want)
		}
	}
}

func TestFillForm(t *testing.T) {
	t.Parallel()
	r := readRequest(t, `{url: "https://h/", form: {file: "{video}", words: "{caption}", size: "{video.width}x", gone: "{colour}", 'q"': 1}}`)
	made, err := r.Fill(given, upload)
	if err != nil {
		t.Fatal(err)
	}
	got := formOf(t, made)
	want := map[string]string{"file": "video.png image/png \xFF\xFEx", "words": `  say "hi" & go`, "size": "  640x", `q"`: "  1"}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// formOf returns the fields of a form: file name, media type and content.
func formOf(t *testing.T, made Filled) map[string]string {
	t.Helper()
	_, params, err := mime.ParseMediaType(made.Type)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for r := multipart.NewReader(bytes.NewReader(made.Body), params["boundary"]); ; {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return fields
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		fields[part.FormName()] = fmt.Sprintf("%s %s %s", part.FileName(), part.Header.Get("Content-Type"), content)
	}
}

// TestFillPath: values that would change the path are rejected.
func TestFillPath(t *testing.T) {
	t.Parallel()
	for words, ok := range map[string]bool{
		"plain": true, "50%": true, "a%2Fb": true, "a?b#c&d=e;f": true, "-x": true, "...": true, "é": true, "a\xFFb": true, " x ": true,
		"": false, " ": false, ".": false, "..": false, " .. ": false, "a/b": false, "../../x": false, `a\b`: false, "a\nb": false, "a\x00b": false,
	} {
		r := readRequest(t, `{url: "https://h/v1/{caption}/end"}`)
		made, err := r.Fill(facts(map[string]Value{"caption": {Kind: Words, Text: words}}), upload)
		if (err == nil) != ok || err != nil && !errors.Is(err, ErrSegment) {
			t.Errorf("%q gives %q, %v", words, made.Path, err)
		}
	}
	// Two slots together cannot make a folder.
	r := readRequest(t, `{url: "https://h/v1/{caption}{caption}/end"}`)
	if made, err := r.Fill(facts(map[string]Value{"caption": {Kind: Words, Text: "."}}), upload); !errors.Is(err, ErrSegment) {
		t.Errorf("gives %q, %v", made.Path, err)
	}
}

func TestFillFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	noFile := func(string) (Upload, error) { return Upload{}, broken }
	for _, request := range []string{
		`{url: "https://h/", json: {a: "{video}"}}`, `{url: "https://h/", json: ["x{video}"]}`, `{url: "https://h/", form: {a: "{video}"}}`, `{url: "https://h/", body: "{video}"}`,
	} {
		if _, err := readRequest(t, request).Fill(given, noFile); !errors.Is(err, broken) {
			t.Errorf("%s: %v", request, err)
		}
	}
	unknown := func(string) (Value, error) { return Value{}, broken }
	for _, request := range []string{
		`{url: "https://h/{way}"}`, `{url: "https://h/", query: {a: "{way}"}}`, `{url: "https://h/", json: {a: {if: way, then: x}}}`, `{url: "https://h/", form: {a: "{count + 1}"}}`,
	} {
		if _, err := readRequest(t, request).Fill(unknown, upload); !errors.Is(err, broken) {
			t.Errorf("%s: %v", request, err)
		}
	}
}

func TestReadRequestFails(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{ //nolint:gosec // nobody's password
		`https://h/`:                                               "have the form",
		`{method: GET}`:                                            "url is missing",
		`{url: h/x}`:                                               "invalid URL",
		`{url: "https://{host}/x"}`:                                "must not contain slots",
		`{url: "https://a.{host}/x"}`:                              "must not contain slots",
		`{url: "{scheme}://h/x"}`:                                  "must not contain slots",
		`{url: "https://h:{port}/x"}`:                              "must not contain slots",
		`{url: "https://me:secret@h/x"}`:                           "user or a password",
		`{url: "ftp://h/x"}`:                                       "invalid address",
		`{url: "https://h\\@evil/x"}`:                              "user or a password",
		`{url: "https://h\\.evil/x"}`:                              "invalid address",
		`{url: "https:///x"}`:                                      "invalid URL",
		`{url: "https://h/x?q={text}"}`:                            "under query",
		`{url: "https://h/x#top"}`:                                 "under query",
		`{url: "https://h/../x"}`:                                  "/../",
		`{url: "https://h/%2e%2e/x"}`:                              "/../",
		`{url: "https://h//x"}`:                                    "must not contain //",
		`{url: "https://h/a b"}`:                                   "must be escaped",
		`{url: "https://h/50%"}`:                                   "must be escaped",
		`{url: "https://h/{a"}`:                                    "unmatched {",
		`{url: "https://h/", method: DELETE}`:                      "not one of GET",
		`{url: "https://h/", headers: x}`:                          "mapping of names",
		`{url: "https://h/", headers: {A: [b]}}`:                   "must be a text",
		`{url: "https://h/", headers: {"A b": c}}`:                 "not a valid header name",
		`{url: "https://h/", headers: {"A:": c}}`:                  "not a valid header name",
		`{url: "https://h/", headers: {"{way}": c}}`:               "must not contain slots",
		`{url: "https://h/", headers: {"A\r\nB": c}}`:              "must not contain slots",
		`{url: "https://h/", headers: {A: "b\r\nC: d"}}`:           "printable ASCII",
		`{url: "https://h/", headers: {A: "é"}}`:                   "printable ASCII",
		`{url: "https://h/", headers: {A: {if: way, then: "\n"}}}`: "printable ASCII",
		`{url: "https://h/", headers: {host: h}}`:                  "Host cannot be set",
		`{url: "https://h/", headers: {AUTHORIZATION: h}}`:         "Authorization cannot be set",
		`{url: "https://h/", headers: {connection: h}}`:            "cannot be set",
		`{url: "https://h/", headers: {transfer-encoding: h}}`:     "cannot be set",
		`{url: "https://h/", headers: {TE: h}}`:                    "cannot be set",
		`{url: "https://h/", headers: {upgrade: h}}`:               "cannot be set",
		`{url: "https://h/", headers: {trailer: h}}`:               "cannot be set",
		`{url: "https://h/", headers: {keep-alive: h}}`:            "cannot be set",
		`{url: "https://h/", headers: {proxy-authenticate: h}}`:    "cannot be set",
		`{url: "https://h/", headers: {content-length: 3}}`:        "cannot be set",
		`{url: "https://h/", headers: {cookie: a=b}}`:              "cannot be set",
		`{url: "https://h/", headers: {X-A: b, x-a: c}}`:           "X-A is set twice",
		`{url: [x]}`:                                           "must be a text",
		`{url: "https://h/", header: x}`:                       "is not a request field",
		`{url: "https://h/", token: "sk-abc"}`:                 "name of the variable",
		`{url: "https://h/", result: data..x}`:                 "invalid path",
		`{url: "https://h/", timeout: 1h}`:                     "invalid duration",
		`{url: "https://h/", timeout: soon}`:                   "invalid duration",
		`{url: "https://h/", retries: 99}`:                     "invalid number",
		`{url: "https://h/", retries: -1}`:                     "invalid number",
		`{url: "https://h/", query: [a]}`:                      "mapping of names",
		`{url: "https://h/", query: {a: [b]}}`:                 "must be a text",
		`{url: "https://h/", query: {"{key}": b}}`:             "must not contain slots",
		`{url: "https://h/", json: {"{key}": b}}`:              "must not contain slots",
		`{url: "https://h/", json: {a: .inf}}`:                 "not a JSON value",
		`{url: "https://h/", json: {a: {if: "1 +", then: x}}}`: "incomplete",
		`{url: "https://h/", json: {x: &a [1], y: *a}}`:        "must be a text",
		`{url: "https://h/", form: {a: "{1 2}"}}`:              "unexpected",
	} {
		err := yaml.Unmarshal([]byte(request), new(Request))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", request, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "sk-abc") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: the secret is repeated: %v", request, err)
		}
	}
}

func TestCheckRequest(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		`{url: "https://h/{way}", query: {q: "{caption}"}, json: {a: "{video}", b: "x{video}"}}`:                                           "",
		`{url: "https://h/", form: {f: "{video}", w: "{caption}"}}`:                                                                        "",
		`{url: "https://h/", body: "{video}"}`:                                                                                             "",
		`{url: "https://h/", headers: {X-A: "{caption}", X-B: "{way} {count}"}, json: {a: "{clips}", b: ["{clips}"], c: "{clips.count}"}}`: "",
		`{url: "https://h/", form: {a: "{clips}"}}`:                                                                                        "",
		`{url: "https://h/", headers: {X-A: "{video}"}}`:                                                                                   "header X-A: the file",
		`{url: "https://h/", headers: {X-A: "{clips}"}}`:                                                                                   "header X-A: {clips} has several values",
		`{url: "https://h/", headers: {X-A: "{film}"}}`:                                                                                    "header X-A: there is no {film}",
		`{url: "https://h/{clips}"}`:                                                                                                       "url: {clips} has several values",
		`{url: "https://h/", query: {q: "{clips}"}}`:                                                                                       "query q: {clips} has several values",
		`{url: "https://h/", body: "{clips}"}`:                                                                                             "body: {clips} has several values",
		`{url: "https://h/", json: {a: "x{clips}"}}`:                                                                                       "json a: {clips} has several values",
		`{url: "https://h/{style}"}`:                                                                                                       "url: there is no {style}",
		`{url: "https://h/{video}"}`:                                                                                                       "url: the file {video}",
		`{url: "https://h/", query: {q: "{film}"}}`:                                                                                        "query q: there is no {film}",
		`{url: "https://h/", query: {q: "{video}"}}`:                                                                                       "query q: the file",
		`{url: "https://h/", form: {f: "x{video}"}}`:                                                                                       "form f: the file",
		`{url: "https://h/", body: "x{video}"}`:                                                                                            "body: the file",
		`{url: "https://h/", json: {a: [{b: "{film}"}]}}`:                                                                                  "json a b: there is no {film}",
		`{url: "https://h/", json: {a: "{file:caption}"}}`:                                                                                 "write {caption}",
		`{url: "https://h/", json: {a: "{caption + 1}"}}`:                                                                                  "caption",
		`{url: "https://h/", json: {a: {if: film, then: x, else: "{clip}"}}}`:                                                              "there is no {clip}",
		`{url: "https://h/", json: {}, form: {}}`:                                                                                          "more than one",
		`{url: "https://h/", method: GET, json: {}}`:                                                                                       "GET cannot have",
	} {
		said := errors.Join(readRequest(t, request).Check(names, nil)...)
		switch {
		case want == "" && said != nil:
			t.Errorf("%s: %v", request, said)
		case want != "" && (said == nil || !strings.Contains(said.Error(), want)):
			t.Errorf("%s: %v, want %q", request, said, want)
		}
	}
}

func TestRequestIsWrittenAsItWasRead(t *testing.T) {
	t.Parallel()
	r := readRequest(t, `{url: "https://h/{way}", json: {a: "{count}"}, result: a.0, timeout: 5s, retries: 0, token: A_TOKEN}`)
	b, err := yaml.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if again := readRequest(t, string(b)); !again.Equal(r) || again.Equal(readRequest(t, `{url: "https://h/"}`)) || again.Equal(nil) {
		t.Errorf("it was written as %s", b)
	}
	if !slices.Equal(r.Result(), []string{"a", "0"}) || r.Retries() != 0 || r.Timeout().String() != "5s" || r.Token() != "A_TOKEN" || r.Host() != "h" {
		t.Errorf("it was read as %+v", r)
	}
}

// FuzzRequest: any words of people are one path segment, one query value, one JSON value and one form
// field, unchanged.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		`"`, "'", "%", "%2F", "&a=b", "/", "../..", "\r\nX-Evil: 1", "-", "--boundary", "{way}", "{{", "\x00", "\xFF", "?#", ";", `\`, "é", "\u2028", "</script>", "https://evil/",
	} {
		f.Add(s)
	}
	var r Request
	if err := yaml.Unmarshal([]byte(`{url: "https://h/v1/{caption}/end", query: {a: "{caption}", b: "x{caption}y"}, json: {c: "{caption}", d: ["{way} {caption}"]}}`), &r); err != nil {
		f.Fatal(err)
	}
	var form Request
	if err := yaml.Unmarshal([]byte(`{url: "https://h/", form: {a: "{caption}", b: "x{caption}"}}`), &form); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, words string) {
		values := facts(map[string]Value{"caption": {Kind: Words, Text: words}, "way": Text("in")})
		words = strings.ToValidUTF8(words, "?")
		switch made, err := r.Fill(values, upload); {
		case err != nil && !errors.Is(err, ErrSegment):
			t.Errorf("%q: %v", words, err)
		case err == nil:
			to, err := url.Parse(r.Base() + made.Path + "?" + made.Query.Encode())
			if err != nil {
				t.Fatal(err)
			}
			segments := strings.Split(to.Path, "/")
			if to.Host != "h" || to.Scheme != "https" || to.Fragment != "" || len(segments) != 4 || segments[1] != "v1" || segments[2] != strings.TrimSpace(words) || segments[3] != "end" ||
				strings.ContainsAny(made.Path, " \r\n") {
				t.Errorf("%q goes to %s", words, to)
			}
			if q := to.Query(); len(q) != 2 || q.Get("a") != words || q.Get("b") != "x"+words+"y" {
				t.Errorf("%q gives the query %q", words, q)
			}
			var got struct {
				C string   `json:"c"`
				D []string `json:"d"`
			}
			d := json.NewDecoder(bytes.NewReader(made.Body))
			d.DisallowUnknownFields()
			if err := d.Decode(&got); err != nil || got.C != words || len(got.D) != 1 || got.D[0] != "in "+words {
				t.Errorf("%q gives %s, %v", words, made.Body, err)
			}
		}
		made, err := form.Fill(values, upload)
		if err != nil {
			t.Fatal(err)
		}
		if got := formOf(t, made); len(got) != 2 || got["a"] != "  "+words || got["b"] != "  x"+words {
			t.Errorf("%q gives the form %q", words, got)
		}
	})
}

// FuzzReadRequest: no tool file causes a panic, and every valid request has a fixed host.
func FuzzReadRequest(f *testing.F) {
	f.Add("https://h/{caption}", "{caption}")
	f.Add("https://{caption}/", "{video}")
	f.Add("https://h\\@x/{way}", "data:,{video}")
	f.Fuzz(func(t *testing.T, address, text string) {
		b, err := yaml.Marshal(map[string]any{"url": address, "json": map[string]string{"a": text}})
		if err != nil {
			return
		}
		var r Request
		if yaml.Unmarshal(b, &r) != nil || len(r.Check(names, nil)) > 0 {
			return
		}
		made, err := r.Fill(given, upload)
		if err != nil {
			return
		}
		to, err := url.Parse(r.Base() + made.Path)
		if err != nil || to.Scheme+"://"+to.Host != r.Base() || !strings.HasPrefix(strings.ToLower(address), r.Base()) || to.User != nil || to.RawQuery != "" {
			t.Errorf("%q goes to %v, %v", address, to, err)
		}
	})
}

// TestFillHeaders: texts from lists and numbers are unchanged, and people's words are escaped.
func TestFillHeaders(t *testing.T) {
	t.Parallel()
	r := readRequest(t, `{url: "https://h/", headers: {x-way: "{way}/{count}", X-Words: "said {caption}", Fixed: "a; b=1", n: 3, gone: "{colour}", big: {if: "count > 9", then: x}, empty: ""}}`)
	for words, want := range map[string]string{
		"plain": "said plain", "a b": "said a%20b", "x\r\nX-Evil: 1": "said x%0D%0AX-Evil:%201", "é": "said %C3%A9", "\x00\xFF": "said %00%3F", "50%": "said 50%25",
	} {
		made, err := r.Fill(facts(map[string]Value{"way": Text("in"), "count": Num(2.5), "caption": {Kind: Words, Text: words}}), upload)
		got := map[string]string{"X-Way": "in/2.5", "X-Words": want, "Fixed": "a; b=1", "N": "3", "Empty": ""}
		if err != nil || !maps.Equal(made.Headers, got) {
			t.Errorf("%q gives %q, %v", words, made.Headers, err)
		}
	}
	odd := readRequest(t, `{url: "https://h/", headers: {A: "{way}"}}`)
	if made, err := odd.Fill(facts(map[string]Value{"way": Text("a\r\nb")}), upload); err != nil || made.Headers["A"] != "a%0D%0Ab" {
		t.Errorf("gives %q, %v", made.Headers, err)
	}
}

// TestFillSeveral: several values become a list in JSON, and several form fields.
func TestFillSeveral(t *testing.T) {
	t.Parallel()
	of := facts(map[string]Value{
		"pictures": {Kind: Files, Text: "pictures"}, "pictures.count": Num(2),
		"pictures#0": {Kind: File, Text: "pictures#0"}, "pictures#1": {Kind: File, Text: "pictures#1"},
		"words": {Kind: Texts, Text: "words"}, "words.count": Num(3),
		"words#0": {Kind: Words, Text: `"a"`}, "words#1": {Kind: Words, Text: "b,c"}, "words#2": {Kind: Words, Text: "\xFF"},
	})
	made, err := readRequest(t, `{url: "https://h/", json: {p: "{pictures}", w: {if: words, then: "{words}"}, n: "{pictures.count}", l: ["{words}"]}}`).Fill(of, upload)
	const want = `{"l":[["\"a\"","b,c","?"]],"n":2,"p":["//54","//54"],"w":["\"a\"","b,c","?"]}`
	if err != nil || string(made.Body) != want {
		t.Errorf("gives %s, %v", made.Body, err)
	}
	made, err = readRequest(t, `{url: "https://h/", form: {p: "{pictures}", w: "{words}"}}`).Fill(of, upload)
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(made.Type)
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(bytes.NewReader(made.Body), params["boundary"]).ReadForm(1 << 20)
	if err != nil || len(form.File["p"]) != 2 || form.File["p"][1].Filename != "pictures#1.png" || !slices.Equal(form.Value["w"], []string{`"a"`, "b,c", "?"}) {
		t.Errorf("gives %+v, %v", form, err)
	}
	broken := errors.New("broken")
	for _, request := range []string{`{url: "https://h/", json: ["{pictures}"]}`, `{url: "https://h/", form: {p: "{pictures}"}}`} {
		if _, err := readRequest(t, request).Fill(of, func(string) (Upload, error) { return Upload{}, broken }); !errors.Is(err, broken) {
			t.Errorf("%s: %v", request, err)
		}
	}
}
