package web

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// element matches an opening tag.
type element struct {
	name  string
	attrs map[string]string
}

var (
	openTag   = regexp.MustCompile(`^<([a-z][a-z0-9-]*)((?:\s+[^\s=>"'/]+(?:="[^"]*"|='[^']*')?)*)\s*/?>`)
	attribute = regexp.MustCompile(`([^\s=>"'/]+)(?:="([^"]*)"|='([^']*)')?`)
	voids     = []string{"meta", "link", "img", "input", "br"}
)

// checkHTML checks that a page is well-formed, and runs only its own scripts.
func checkHTML(t *testing.T, name, html string) []element {
	t.Helper()
	var all []element
	var open []string
	ids := map[string]bool{}
	html = strings.TrimPrefix(html, "<!doctype html>")
	for at := strings.IndexByte(html, '<'); at >= 0; at = strings.IndexByte(html, '<') {
		html = html[at:]
		if closing, ok := strings.CutPrefix(html, "</"); ok {
			tag, rest, _ := strings.Cut(closing, ">")
			if len(open) == 0 || open[len(open)-1] != tag {
				t.Fatalf("%s: </%.40s> closes %v", name, tag, open)
			}
			open, html = open[:len(open)-1], rest
			continue
		}
		found := openTag.FindStringSubmatch(html)
		if found == nil {
			t.Fatalf("%s: no tag: %.80q", name, html)
		}
		html = html[len(found[0]):]
		e := element{found[1], map[string]string{}}
		for _, a := range attribute.FindAllStringSubmatch(found[2], -1) {
			e.attrs[a[1]] = a[2] + a[3]
		}
		if !strings.HasSuffix(found[0], "/>") && !slices.Contains(voids, e.name) {
			open = append(open, e.name)
		}
		checkElement(t, name, e)
		if id := e.attrs["id"]; id != "" {
			if ids[id] {
				t.Errorf("%s: two elements are called %s", name, id)
			}
			ids[id] = true
		}
		all = append(all, e)
	}
	if len(open) > 0 {
		t.Errorf("%s: %v are not closed", name, open)
	}
	return all
}

func checkElement(t *testing.T, name string, e element) {
	t.Helper()
	wrong := func(why string) { t.Errorf("%s: <%s %v>: %s", name, e.name, e.attrs, why) }
	for attr, value := range e.attrs {
		value = strings.ToLower(strings.TrimSpace(value))
		switch {
		case strings.HasPrefix(attr, "on") || attr == "style" || strings.HasPrefix(attr, "hx-on"):
			wrong("is inline")
		case strings.HasPrefix(attr, "data-on"): // of which html/template thinks that a script is in it
			wrong("is written in quotation marks")
		case slices.Contains([]string{"href", "src", "action", "data-src"}, attr) && strings.HasPrefix(value, "javascript:"):
			wrong("runs a script")
		case attr == "target" && e.attrs["rel"] != "noopener noreferrer":
			wrong("tells where it comes from")
		case attr == "hx-vals" && !json.Valid([]byte(strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(value))):
			wrong("is evaluated")
		}
	}
	_, alt := e.attrs["alt"]
	sandbox, framed := e.attrs["sandbox"]
	switch {
	case e.name == "xss-probe" || e.name == "style" || e.name == "object" || e.name == "embed" || e.name == "base":
		wrong("is here")
	case e.name == "script" && e.attrs["src"] == "":
		wrong("is inline")
	case e.name == "img" && !alt:
		wrong("has no alt")
	case e.name == "iframe" && (!framed || sandbox != "" || e.attrs["title"] == ""):
		wrong("is not kept apart, or has no title")
	case e.name == "button" && e.attrs["type"] == "" && e.attrs["value"] == "" && e.attrs["aria-label"] == "":
		wrong("has no type")
	}
}
