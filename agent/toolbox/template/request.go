package template

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Defaults and limits of requests.
const (
	defaultTimeout = time.Minute
	maxTimeout     = 10 * time.Minute
	defaultRetries = 2
	maxRetries     = 5
)

// Request is a call of a service. It has a URL, and at most one of json, form and body.
type Request struct {
	method  string
	base    string  // scheme and host
	path    []piece // literal parts are escaped
	query   []field
	headers []field
	json    *value
	form    []field
	body    []piece
	token   string
	result  []string
	timeout time.Duration
	retries int
	node    *yaml.Node // the parsed node
}

// field is a named value.
type field struct {
	name  string
	value value
}

// value is a value of JSON, of a query or of a form. It has exactly one form; a condition also has branches.
type value struct {
	text    []piece
	literal json.RawMessage
	object  []field
	list    []value
	isList  bool

	condition       expression
	then, otherwise *value
}

// Method returns the HTTP method.
func (r *Request) Method() string { return r.method }

// Base returns the scheme and host of the service: "https://stickers.example.com".
func (r *Request) Base() string {
	if r == nil {
		return ""
	}
	return r.base
}

// Host returns the host of the service, with the port if the URL has one.
func (r *Request) Host() string {
	_, host, _ := strings.Cut(r.Base(), "://")
	return host
}

// Token returns the name of the environment variable with the token; "" if there is none.
func (r *Request) Token() string { return r.token }

// Result returns the path of the result in the JSON response; nil means the whole response.
func (r *Request) Result() []string { return r.result }

// Timeout returns the total timeout of all attempts.
func (r *Request) Timeout() time.Duration { return r.timeout }

// Retries returns the maximum number of retries.
func (r *Request) Retries() int { return r.retries }

// Equal reports whether both are written the same way.
func (r *Request) Equal(o *Request) bool {
	if r == nil || o == nil {
		return r == o
	}
	return alike(r.node, o.node)
}

// MarshalYAML writes the request as it was parsed.
func (r *Request) MarshalYAML() (any, error) { return r.node, nil }

// UnmarshalYAML parses a request. The error lists the faults of all its fields.
func (r *Request) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return yamlError(node, errors.New("a request must have the form {method: …, url: …}"))
	}
	*r = Request{node: node, timeout: defaultTimeout, retries: defaultRetries}
	var faults []error
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if err := r.read(key.Value, value); err != nil {
			faults = append(faults, fmt.Errorf("line %d: %s: %w", value.Line, key.Value, err))
		}
	}
	if r.base == "" && len(faults) == 0 {
		faults = append(faults, fmt.Errorf("line %d: url is missing", node.Line))
	}
	standard := http.MethodGet
	if r.bodies() > 0 {
		standard = http.MethodPost
	}
	r.method = cmp.Or(r.method, standard)
	return yamlError(node, errors.Join(faults...))
}

// Check lists the faults of a request, for a tool with these arguments in scope. choices is as for [Recipe.Check].
func (r *Request) Check(s Scope, choices map[string][]string) []error {
	c := &check{scope: s}
	if r.bodies() > 1 {
		c.addf("request has more than one of json, form and body")
	}
	if r.method == http.MethodGet && r.bodies() > 0 {
		c.addf("request has a body, which GET cannot have")
	}
	c.texts("url", r.path, false, false)
	for _, f := range r.query {
		c.value("query "+f.name, f.value, func(where string, text []piece) { c.texts(where, text, false, false) })
	}
	for _, f := range r.headers {
		c.value("header "+f.name, f.value, func(where string, text []piece) { c.texts(where, text, false, false) })
	}
	for _, f := range r.form {
		c.value("form "+f.name, f.value, func(where string, text []piece) { c.texts(where, text, len(text) == 1, len(text) == 1) })
	}
	if r.json != nil {
		c.value("json", *r.json, func(where string, text []piece) { c.texts(where, text, true, len(text) == 1) })
	}
	if r.body != nil {
		c.texts("body", r.body, len(r.body) == 1, false)
	}
	return withComparisons(c.faults, r.expressions(), choices)
}

// bodies returns the number of bodies; at most one is valid.
func (r *Request) bodies() int {
	n := 0
	for _, has := range []bool{r.json != nil, r.form != nil, r.body != nil} {
		if has {
			n++
		}
	}
	return n
}

// value checks all texts of a value.
func (c *check) value(where string, v value, text func(string, []piece)) {
	if v.condition != nil {
		if _, err := v.condition.kind(c.scope); err != nil {
			c.addf("%s: %w", where, err)
		}
		c.value(where, *v.then, text)
		if v.otherwise != nil {
			c.value(where, *v.otherwise, text)
		}
	}
	for _, f := range v.object {
		c.value(where+" "+f.name, f.value, text)
	}
	for _, inner := range v.list {
		c.value(where, inner, text)
	}
	text(where, v.text)
}

// texts checks the slots of a text. file and several say whether it may contain files or slots with several values.
func (c *check) texts(where string, text []piece, file, several bool) {
	for _, slot := range text {
		if slot.role != "" {
			c.addf("%s: {%s:%s} is for command lines; write {%s}", where, slot.role, slot.text, slot.text)
		}
		if slot.value == nil {
			continue
		}
		switch k, err := slot.value.kind(c.scope); {
		case err != nil:
			c.addf("%s: %w", where, err)
		case (k == Files || k == Texts) && !several:
			c.addf("%s: {%s} has several values, so it must be the whole value in json or of a form field", where, slot.value)
		case k == File && !file:
			c.addf("%s: the file {%s} may be used in json, or as the whole body or form field", where, slot.value)
		}
	}
}
