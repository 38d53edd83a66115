package template

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"atelier/agent/lazyregexp"
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

// methods are the allowed methods.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch}

// variable matches the name of an environment variable.
var variable = lazyregexp.New(`^[A-Z_][A-Z0-9_]*$`)

// read parses one field.
func (r *Request) read(key string, node *yaml.Node) (err error) {
	switch {
	case key == "json":
		r.json = new(value)
		*r.json, err = readValue(node, true)
		return err
	case key == "query":
		r.query, err = readFields(node, false)
		return err
	case key == "headers":
		r.headers, err = readHeaders(node)
		return err
	case key == "form":
		r.form, err = readFields(node, false)
		return err
	case !slices.Contains([]string{"method", "url", "body", "token", "result", "timeout", "retries"}, key):
		return errors.New("is not a request field")
	case node.Kind != yaml.ScalarNode:
		return errors.New("must be a text")
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
		if r.token = text; !variable.MatchString(text) { // it may be the token itself, so it is not repeated
			return errors.New("must be the name of the variable with the token, such as STICKERS_TOKEN")
		}
	case "result":
		if text == "" {
			return nil
		}
		if r.result = strings.Split(text, "."); slices.Contains(r.result, "") {
			return fmt.Errorf("invalid path %q: expected a path such as data.0.url", text)
		}
	case "timeout":
		if r.timeout, err = time.ParseDuration(text); err != nil || r.timeout < time.Second || r.timeout > maxTimeout {
			return fmt.Errorf("invalid duration %q: expected 1s to 10m", text)
		}
	case "retries":
		if r.retries, err = strconv.Atoi(text); err != nil || r.retries < 0 || r.retries > maxRetries {
			return fmt.Errorf("invalid number %q: expected 0 to %d", text, maxRetries)
		}
	}
	return nil
}

var (
	// origin matches a scheme and host, and path what may follow literally.
	origin = lazyregexp.New(`^https?://([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
	path   = lazyregexp.New(`^[A-Za-z0-9/._~!$&'()*+,;=:@%-]*$`)
)

// readURL parses a URL with a literal scheme and host.
func (r *Request) readURL(text string) error {
	scheme, rest, ok := strings.Cut(text, "://")
	host, _, _ := strings.Cut(rest, "/")
	switch {
	case !ok || host == "":
		return fmt.Errorf("invalid URL %q: expected a URL such as https://example.com/make", text)
	case strings.ContainsAny(scheme+host, "{}"):
		return errors.New("the scheme and the host must not contain slots: tools may only call fixed hosts")
	case strings.Contains(host, "@"):
		return errors.New("must not contain a user or a password: name a variable under token instead")
	case strings.ContainsAny(text, "?#"):
		return errors.New("must not contain ? or #: put parameters under query")
	}
	base := strings.ToLower(scheme + "://" + host)
	for scheme, usual := range map[string]string{"http://": ":80", "https://": ":443"} {
		if strings.HasPrefix(base, scheme) {
			base = strings.TrimSuffix(base, usual)
		}
	}
	if !origin.MatchString(base) {
		return fmt.Errorf("invalid address %q: expected an address such as https://example.com:8000", base)
	}
	pieces, err := readText(cmp.Or(rest[len(host):], "/"))
	if err != nil {
		return err
	}
	var whole strings.Builder
	for _, p := range pieces {
		if p.isSlot() {
			whole.WriteString("x")
			continue
		}
		whole.WriteString(p.text)
		if _, err := url.PathUnescape(p.text); err != nil || !path.MatchString(p.text) {
			return fmt.Errorf("%q contains characters that must be escaped", p.text)
		}
	}
	if !plainPath(whole.String()) {
		return errors.New("must not contain //, /./ or /../")
	}
	r.base, r.path = base, pieces
	return nil
}

func (s piece) isSlot() bool { return s.value != nil || s.role != "" }

// plainPath reports whether every server interprets an escaped path the same way: it has no empty
// segments except the last, and no "." or "..".
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

// readFields parses named values. Unless typed, all values are texts.
func readFields(node *yaml.Node, typed bool) ([]field, error) {
	if node.Kind != yaml.MappingNode {
		return nil, errors.New("must be a mapping of names to values")
	}
	all := []field{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		if key == "" || strings.ContainsAny(key, "{}\r\n") {
			return nil, fmt.Errorf("the name %q must not contain slots", key)
		}
		v, err := readValue(node.Content[i+1], typed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		all = append(all, field{key, v})
	}
	return all, nil
}

// reserved are headers that a file must not set: they belong to the connection, are set by the
// program, or could carry a token other than the one configured.
var reserved = []string{
	"Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Expect", "Host", "Http2-Settings",
	"Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "X-Client-Request-Id",
}

// headerName matches a valid header name.
var headerName = lazyregexp.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// readHeaders parses headers. Their fixed parts must be printable ASCII.
func readHeaders(node *yaml.Node) ([]field, error) {
	all, err := readFields(node, false)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, f := range all {
		name := http.CanonicalHeaderKey(f.name)
		switch {
		case !headerName.MatchString(f.name):
			return nil, fmt.Errorf("%q is not a valid header name", f.name)
		case slices.Contains(reserved, name) || strings.HasPrefix(name, "Proxy-"):
			return nil, fmt.Errorf("the header %s cannot be set; use token for a token", name)
		case seen[name]:
			return nil, fmt.Errorf("the header %s is set twice", name)
		case !f.value.printable():
			return nil, fmt.Errorf("the header %s may only contain printable ASCII", name)
		}
		seen[name], all[i].name = true, name
	}
	return all, nil
}

// printable reports whether the fixed parts of a value are printable ASCII.
func (v value) printable() bool {
	for _, branch := range []*value{v.then, v.otherwise} {
		if branch != nil && !branch.printable() {
			return false
		}
	}
	return !slices.ContainsFunc(v.text, func(p piece) bool { return !p.isSlot() && !isPrintable(p.text) })
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func readValue(node *yaml.Node, typed bool) (v value, err error) {
	switch {
	case node.Kind == yaml.ScalarNode && typed && node.ShortTag() != "!!str":
		var literal any
		if err := node.Decode(&literal); err != nil {
			return v, fmt.Errorf("%q is not a JSON value", node.Value)
		}
		if v.literal, err = json.Marshal(literal); err != nil {
			return v, fmt.Errorf("%q is not a JSON value", node.Value)
		}
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
		err = errors.New("it must be a text, or {if: …, then: …}")
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
