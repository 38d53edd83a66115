package template

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// What a request does where its file does not say.
const (
	defaultTimeout = time.Minute
	maxTimeout     = 10 * time.Minute
	defaultRetries = 2
	maxRetries     = 5
)

// Request is the call of a service. It has a URL, and at most one of json, form and body.
type Request struct {
	method  string
	base    string  // scheme and host
	path    []piece // its literal parts are escaped
	query   []field
	json    *value
	form    []field
	body    []piece
	token   string
	result  []string
	timeout time.Duration
	retries int
	node    *yaml.Node // that it was read from
}

// field is a value under a name.
type field struct {
	name  string
	value value
}

// value is a value of JSON, of a query or of a form. Exactly one of its forms is set; a condition has
// its branches besides.
type value struct {
	text    []piece
	literal json.RawMessage
	object  []field
	list    []value
	isList  bool

	condition       expression
	then, otherwise *value
}

// Method is that of HTTP.
func (r *Request) Method() string { return r.method }

// Base is the scheme and the host of the service: "https://stickers.example.com".
func (r *Request) Base() string {
	if r == nil {
		return ""
	}
	return r.base
}

// Host is the host of the service, with its port where the URL has one.
func (r *Request) Host() string {
	_, host, _ := strings.Cut(r.Base(), "://")
	return host
}

// Token is the name of the variable that holds the token; "" is none.
func (r *Request) Token() string { return r.token }

// Result is the path of the result in the JSON of the answer; nil is the whole answer.
func (r *Request) Result() []string { return r.result }

// Timeout is how long all tries may take together.
func (r *Request) Timeout() time.Duration { return r.timeout }

// Retries is how often the service may be asked again.
func (r *Request) Retries() int { return r.retries }

// Needed are the names that the path needs, and that are never left out.
func (r *Request) Needed() []string {
	var all []string
	for _, p := range r.path {
		all = append(all, namesIn(p.value)...)
	}
	return all
}

func namesIn(e expression) []string {
	switch e := e.(type) {
	case name:
		return []string{string(e)}
	case operation:
		var all []string
		for _, inner := range e.of {
			all = append(all, namesIn(inner)...)
		}
		return all
	}
	return nil
}

// Equal reports whether both are written alike.
func (r *Request) Equal(o *Request) bool {
	if r == nil || o == nil {
		return r == o
	}
	return alike(r.node, o.node)
}

// MarshalYAML writes the request as it was read.
func (r *Request) MarshalYAML() (any, error) { return r.node, nil }

// UnmarshalYAML reads a request. All faults of its fields are told at once.
func (r *Request) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a request has the form {method: …, url: …}", node.Line)
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
		faults = append(faults, fmt.Errorf("line %d: a request lacks its url", node.Line))
	}
	standard := http.MethodGet
	if r.bodies() > 0 {
		standard = http.MethodPost
	}
	r.method = cmp.Or(r.method, standard)
	return errors.Join(faults...)
}

// bodies counts the bodies, of which a request has one at most.
func (r *Request) bodies() int {
	n := 0
	for _, has := range []bool{r.json != nil, r.form != nil, r.body != nil} {
		if has {
			n++
		}
	}
	return n
}

// methods are those that a request may have.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch}

// variable is the name of a variable of the environment.
var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

// read reads one field.
func (r *Request) read(key string, node *yaml.Node) (err error) {
	scalar := node.Kind == yaml.ScalarNode
	switch {
	case key == "json":
		r.json = new(value)
		*r.json, err = readValue(node, true)
		return err
	case key == "query":
		r.query, err = readFields(node, false)
		return err
	case key == "form":
		r.form, err = readFields(node, false)
		return err
	case !scalar:
		return errors.New("is not expected, or should be a text")
	}
	switch text := node.Value; key {
	case "method":
		if r.method = text; !slices.Contains(methods, text) {
			return fmt.Errorf("%q is not one of %s", text, strings.Join(methods, ", "))
		}
	case "url":
		return r.readURL(text)
	case "body":
		r.body, err = readText(text)
		return err
	case "token":
		if r.token = text; !variable.MatchString(text) { // which may be the token itself, and is not repeated
			return errors.New("is the name of the variable that holds the token, such as STICKERS_TOKEN")
		}
	case "result":
		if text == "" {
			return nil
		}
		if r.result = strings.Split(text, "."); slices.Contains(r.result, "") {
			return fmt.Errorf("%q is not a path such as data.0.url", text)
		}
	case "timeout":
		if r.timeout, err = time.ParseDuration(text); err != nil || r.timeout < time.Second || r.timeout > maxTimeout {
			return fmt.Errorf("%q is not a time from 1s to 10m", text)
		}
	case "retries":
		if r.retries, err = strconv.Atoi(text); err != nil || r.retries < 0 || r.retries > maxRetries {
			return fmt.Errorf("%q is not a number from 0 to %d", text, maxRetries)
		}
	default:
		return errors.New("is not a field of a request")
	}
	return nil
}

var (
	// origin is a scheme and a host, and path what may stand behind it as it is.
	origin = regexp.MustCompile(`^https?://([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
	path   = regexp.MustCompile(`^[A-Za-z0-9/._~!$&'()*+,;=:@%-]*$`)
)

// readURL reads a URL whose scheme and host are literal.
func (r *Request) readURL(text string) error {
	scheme, rest, ok := strings.Cut(text, "://")
	host, _, _ := strings.Cut(rest, "/")
	switch {
	case !ok || host == "":
		return fmt.Errorf("%q is not a URL such as https://example.com/make", text)
	case strings.ContainsAny(scheme+host, "{}"):
		return errors.New("the scheme and the host must not hold a slot: tools call fixed hosts only")
	case strings.Contains(host, "@"):
		return errors.New("must not hold a user or a password: name a variable in token")
	case strings.ContainsAny(text, "?#"):
		return errors.New("must not hold a ? or #: write what follows under query")
	}
	base := strings.ToLower(scheme + "://" + host)
	if !origin.MatchString(base) {
		return fmt.Errorf("%q is not an address such as https://example.com:8000", base)
	}
	pieces, err := readText(cmp.Or(rest[len(host):], "/"))
	if err != nil {
		return err
	}
	whole := ""
	for _, p := range pieces {
		if p.isSlot() {
			whole += "x"
			continue
		}
		whole += p.text
		if _, err := url.PathUnescape(p.text); err != nil || !path.MatchString(p.text) {
			return fmt.Errorf("%q holds characters that must be escaped", p.text)
		}
	}
	if !plainPath(whole) {
		return errors.New("must not hold //, /./ or /../")
	}
	r.base, r.path = base, pieces
	return nil
}

func (s piece) isSlot() bool { return s.value != nil || s.role != "" }

// plainPath reports whether an escaped path means the same to every server: it has no empty segments
// but the last, and none that stand for another folder.
func plainPath(escaped string) bool {
	segments := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	for i, s := range segments {
		s, err := url.PathUnescape(s)
		if err != nil || s == "." || s == ".." || s == "" && i < len(segments)-1 {
			return false
		}
	}
	return true
}

// readFields reads values under names. Values that are not typed are texts.
func readFields(node *yaml.Node, typed bool) ([]field, error) {
	if node.Kind != yaml.MappingNode {
		return nil, errors.New("is a list of names with their values")
	}
	all := []field{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		if key == "" || strings.ContainsAny(key, "{}\r\n") {
			return nil, fmt.Errorf("the name %q must be a fixed one, without slots", key)
		}
		v, err := readValue(node.Content[i+1], typed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		all = append(all, field{key, v})
	}
	return all, nil
}

func readValue(node *yaml.Node, typed bool) (v value, err error) {
	switch {
	case node.Kind == yaml.ScalarNode && typed && node.ShortTag() != "!!str":
		var literal any
		if err := node.Decode(&literal); err != nil {
			return v, fmt.Errorf("%q is not a value of JSON", node.Value)
		}
		v.literal, err = json.Marshal(literal)
		return v, err
	case node.Kind == yaml.ScalarNode && node.Value == "":
		v.literal = json.RawMessage(`""`)
	case node.Kind == yaml.ScalarNode:
		v.text, err = readText(node.Value)
	case isCondition(node):
		return readCondition(node, typed)
	case node.Kind == yaml.MappingNode && typed:
		v.object, err = readFields(node, typed)
	case node.Kind == yaml.SequenceNode && typed:
		v.isList = true
		for _, item := range node.Content {
			inner, err := readValue(item, typed)
			if err != nil {
				return v, err
			}
			v.list = append(v.list, inner)
		}
	default:
		err = errors.New("a text is expected, or {if: …, then: …}")
	}
	return v, err
}

func isCondition(node *yaml.Node) bool {
	has := map[string]bool{}
	for i := 0; node.Kind == yaml.MappingNode && i < len(node.Content); i += 2 {
		has[node.Content[i].Value] = true
	}
	return has["if"] && has["then"] && (len(has) == 2 || len(has) == 3 && has["else"])
}

func readCondition(node *yaml.Node, typed bool) (v value, err error) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, inner := node.Content[i].Value, node.Content[i+1]
		if key == "if" {
			v.condition, err = parse(inner.Value)
		} else {
			branch := new(value)
			*branch, err = readValue(inner, typed)
			if key == "then" {
				v.then = branch
			} else {
				v.otherwise = branch
			}
		}
		if err != nil {
			return v, err
		}
	}
	return v, nil
}

// Check lists what is wrong with a request, for a tool whose arguments are in the scope.
func (r *Request) Check(s Scope) []error {
	c := &check{scope: s}
	if r.bodies() > 1 {
		c.addf("request has more than one of json, form and body")
	}
	if r.method == http.MethodGet && r.bodies() > 0 {
		c.addf("request has a body, which GET cannot have")
	}
	c.texts("url", r.path, false)
	for _, f := range r.query {
		c.value("query "+f.name, f.value, func(where string, text []piece) { c.texts(where, text, false) })
	}
	for _, f := range r.form {
		c.value("form "+f.name, f.value, func(where string, text []piece) { c.texts(where, text, len(text) == 1) })
	}
	if r.json != nil {
		c.value("json", *r.json, func(where string, text []piece) { c.texts(where, text, true) })
	}
	if r.body != nil {
		c.texts("body", r.body, len(r.body) == 1)
	}
	return c.faults
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

// texts checks the slots of a text, which may hold a file or may not.
func (c *check) texts(where string, text []piece, file bool) {
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
		case k == File && !file:
			c.addf("%s: the file {%s} can stand in json, or alone in body and in a field of form", where, slot.value)
		}
	}
}
