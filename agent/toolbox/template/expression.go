package template

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox/letter"
)

// expression is a parsed expression:
//
//	or       = and { "or" and }
//	and      = not { "and" not }
//	not      = [ "not" ] relation
//	sum      = product { ( "+" | "-" ) product }
//	relation = sum, or two with one of = != < <= > >= between them
//	factor   = "-" factor | number | 'text' | name | function "(" or { "," or } ")" | "(" or ")"
//	product  = factor { ( "*" | "/" ) factor }
type expression interface {
	eval(facts Facts) (Value, error)
	// kind returns the kind of its value, or its first fault.
	kind(s Scope) (Kind, error)
}

type literal struct{ value Value }

func (l literal) String() string { return l.value.String() }

// quoted returns the value as written in an expression.
func (l literal) quoted() string {
	if l.value.Kind == Number {
		return l.String()
	}
	return "'" + l.String() + "'"
}

func (l literal) eval(Facts) (Value, error) { return l.value, nil }
func (l literal) kind(Scope) (Kind, error)  { return l.value.Kind, nil }

type name string

func (n name) String() string { return string(n) }

func (n name) eval(facts Facts) (Value, error) { return facts(string(n)) }

func (n name) kind(s Scope) (Kind, error) {
	k, ok := s[string(n)]
	if !ok {
		return 0, fmt.Errorf("there is no {%s}; the names are %s", string(n), s.near(string(n)))
	}
	return k, nil
}

// near lists names that may have been meant instead of an unknown one: the facts of the same argument,
// or all arguments.
func (s Scope) near(n string) string {
	arg, _, fact := strings.Cut(n, ".")
	if _, known := s[arg]; !known {
		fact = false
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if fact && strings.HasPrefix(name, arg+".") || !fact && !strings.Contains(name, ".") {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

type operation struct {
	sign string
	of   []expression
}

// functions maps function names to their number of arguments. span and clock format seconds for a
// sentence: "2 minutes", "0:01.5". letters returns the width of the longest line of a person's text in
// small letters, lines the number of its lines; both are 0 if it is empty.
var functions = map[string]int{
	"min": 2, "max": 2, "round": 1, "floor": 1, "even": 1, "sqrt": 1, "if": 3, "span": 1, "clock": 1, "given": 1, "letters": 1, "lines": 1,
}

func (o operation) String() string {
	parts := make([]string, len(o.of))
	for i, e := range o.of {
		parts[i] = fmt.Sprint(e)
	}
	if _, isFunction := functions[o.sign]; isFunction || len(parts) == 1 {
		return o.sign + "(" + strings.Join(parts, ", ") + ")"
	}
	return "(" + strings.Join(parts, " "+o.sign+" ") + ")"
}

func (o operation) kind(s Scope) (Kind, error) {
	kinds := make([]Kind, len(o.of))
	for i, e := range o.of {
		k, err := e.kind(s)
		if n, ok := e.(name); ok && err != nil && (o.sign == "=" || o.sign == "!=") {
			err = fmt.Errorf("%w; a text is written as '%s'", err, n)
		}
		if err != nil {
			return 0, err
		}
		if k == File || k == Files || k == Words || k == Texts {
			if o.sign == "if" && i == 0 || slices.Contains([]string{"and", "or", "not", "given"}, o.sign) {
				continue // only whether it is present
			}
			if o.measuresWords() && k == Words {
				return Number, nil
			}
			return 0, fmt.Errorf("%s is a file, which expressions cannot use", e)
		}
		kinds[i] = k
	}
	switch o.sign {
	case "or", "and", "not", "given":
		return Number, nil
	case "=", "!=":
		if kinds[0] != kinds[1] {
			return 0, &mismatch{o.String()}
		}
		return Number, nil
	case "if":
		if kinds[1] != kinds[2] {
			return 0, fmt.Errorf("%s must always return a number, or always a text", o)
		}
		return kinds[1], nil
	}
	if o.measuresWords() {
		return 0, fmt.Errorf("%s must be a text written by people", o.of[0])
	}
	for i, k := range kinds {
		if k != Number {
			return 0, fmt.Errorf("%s must be a number", o.of[i])
		}
	}
	if o.sign == "span" || o.sign == "clock" {
		return told, nil
	}
	return Number, nil
}

// measuresWords reports whether the function takes a person's text.
func (o operation) measuresWords() bool { return o.sign == "letters" || o.sign == "lines" }

func (o operation) eval(facts Facts) (Value, error) {
	var all []Value
	for _, e := range o.of {
		v, err := e.eval(facts)
		if err != nil {
			return Value{}, err
		}
		switch done := v.truth(); {
		case o.sign == "or" && done, o.sign == "and" && !done:
			return Truth(done), nil
		case o.sign == "if" && done:
			return o.of[1].eval(facts)
		case o.sign == "if":
			return o.of[2].eval(facts)
		}
		all = append(all, v)
	}
	switch o.sign {
	case "span":
		said := plan.Span(time.Duration(all[0].Number * float64(time.Second)))
		return Value{Kind: told, told: &said}, nil
	case "clock":
		said := plan.Quote(Clock(all[0].Number))
		return Value{Kind: told, told: &said}, nil
	}
	result := o.compute(all)
	if math.IsNaN(result) || math.IsInf(result, 0) {
		said := plan.Say("This cannot be computed with these settings; try others.")
		return Value{}, &plan.Fault{Sentence: said, Err: fmt.Errorf("%s is %g", o, result), Final: true}
	}
	if o.logical() {
		return Truth(result != 0), nil
	}
	return Num(result), nil
}

// logical reports whether the result is true or false.
func (o operation) logical() bool {
	return slices.Contains([]string{"or", "and", "not", "=", "!=", "<", "<=", ">", ">="}, o.sign)
}

// equal reports whether both are the same number or text.
func (v Value) equal(o Value) bool {
	return v.Kind == o.Kind && v.Number == o.Number && v.Text == o.Text
}

func (o operation) compute(all []Value) float64 {
	a, b := all[0].Number, 0.0
	if len(all) > 1 {
		b = all[1].Number
	}
	switch o.sign {
	case "given":
		return Truth(all[0].Kind != 0).Number
	case "or", "and": // no operand decided it
		return Truth(o.sign == "and").Number
	case "not":
		return Truth(!all[0].truth()).Number
	case "=":
		return Truth(all[0].equal(all[1])).Number
	case "!=":
		return Truth(!all[0].equal(all[1])).Number
	case "<":
		return Truth(a < b).Number
	case "<=":
		return Truth(a <= b).Number
	case ">":
		return Truth(a > b).Number
	case ">=":
		return Truth(a >= b).Number
	case "+":
		return a + b
	case "-":
		if len(all) == 1 {
			return -a
		}
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "min":
		return min(a, b)
	case "max":
		return max(a, b)
	case "round":
		return math.Round(a)
	case "floor":
		return math.Floor(a)
	case "sqrt":
		return math.Sqrt(a)
	case "lines":
		return float64(len(slices.Collect(strings.Lines(all[0].Text))))
	case "letters":
		longest := 0.0
		for line := range strings.Lines(all[0].Text) {
			longest = max(longest, letter.Width(strings.TrimRight(line, "\r\n")))
		}
		return longest
	}
	return 2 * math.Floor(a/2) // even
}

// Clock formats seconds as a time: "0:10", "1:02:03", "0:01.5".
func Clock(seconds float64) string {
	tenths := int(math.Round(seconds * 10))
	whole := tenths / 10
	text := fmt.Sprintf("%d:%02d", whole/60, whole%60)
	if whole >= 3600 {
		text = fmt.Sprintf("%d:%02d:%02d", whole/3600, whole/60%60, whole%60)
	}
	if tenths%10 != 0 {
		text += "." + strconv.Itoa(tenths%10)
	}
	return text
}

// maxDepth is the maximum nesting depth of expressions.
const maxDepth = 40

// parser parses an expression from its tokens.
type parser struct {
	tokens []string
	depth  int
}

func parse(text string) (expression, error) {
	tokens, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	e, err := p.binary(0)
	if err == nil && len(p.tokens) > 0 {
		err = fmt.Errorf("%q is unexpected", p.tokens[0])
	}
	if err != nil {
		return nil, fmt.Errorf("{%s}: %w", text, err)
	}
	return e, nil
}

// levels are the binary operators, lowest precedence first.
var levels = [][]string{{"or"}, {"and"}, {"=", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/"}}

func (p *parser) binary(level int) (expression, error) {
	if level == len(levels) {
		return p.factor()
	}
	e, err := p.binary(level + 1)
	for err == nil {
		sign, ok := p.accept(levels[level]...)
		if !ok {
			return e, nil
		}
		var right expression
		right, err = p.binary(level + 1)
		e = operation{sign, []expression{e, right}}
	}
	return nil, err
}

func (p *parser) accept(signs ...string) (string, bool) {
	for _, s := range signs {
		if len(p.tokens) > 0 && p.tokens[0] == s {
			p.tokens = p.tokens[1:]
			return s, true
		}
	}
	return "", false
}

func (p *parser) factor() (expression, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errors.New("it is nested too deeply")
	}
	defer func() { p.depth-- }()
	if sign, ok := p.accept("-", "not"); ok {
		e, err := p.factor()
		return operation{sign, []expression{e}}, err
	}
	if _, ok := p.accept("("); ok {
		e, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		return e, p.close()
	}
	if len(p.tokens) == 0 {
		return nil, errors.New("the expression is incomplete")
	}
	token := p.tokens[0]
	p.tokens = p.tokens[1:]
	switch first := rune(token[0]); {
	case first == '\'':
		return literal{Text(token[1:])}, nil
	case unicode.IsDigit(first):
		v, err := strconv.ParseFloat(token, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", token)
		}
		return literal{Num(v)}, nil
	case unicode.IsLetter(first):
		if _, ok := p.accept("("); ok {
			return p.call(token)
		}
		return name(token), nil
	}
	return nil, fmt.Errorf("%q is unexpected", token)
}

func (p *parser) call(function string) (expression, error) {
	o := operation{sign: function}
	for {
		e, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		o.of = append(o.of, e)
		if _, ok := p.accept(","); !ok {
			break
		}
	}
	if n, ok := functions[function]; !ok || n != len(o.of) {
		return nil, fmt.Errorf("unknown function %s with %d arguments", function, len(o.of))
	}
	return o, p.close()
}

func (p *parser) close() error {
	if _, ok := p.accept(")"); !ok {
		return errors.New("missing )")
	}
	return nil
}

// tokenize splits an expression. A quoted text keeps its opening quotation mark.
func tokenize(text string) ([]string, error) {
	var tokens []string
	for i := 0; i < len(text); {
		c := rune(text[i])
		end := i + 1
		within := func(ok func(rune) bool) {
			for end < len(text) && ok(rune(text[end])) {
				end++
			}
		}
		switch {
		case c == ' ':
			i++
			continue
		case c == '\'':
			length := strings.IndexByte(text[end:], '\'')
			if length < 0 {
				return nil, fmt.Errorf("{%s}: missing '", text)
			}
			tokens = append(tokens, text[i:end+length])
			i = end + length + 1
			continue
		case isDigit(c):
			within(func(r rune) bool { return isDigit(r) || r == '.' })
		case isLetter(c):
			within(func(r rune) bool { return isLetter(r) || isDigit(r) || r == '.' })
		case strings.ContainsRune("!<>", c) && end < len(text) && text[end] == '=':
			end++
		case !strings.ContainsRune("+-*/()=<>,", c):
			return nil, fmt.Errorf("{%s}: %q is unexpected", text, c)
		}
		tokens = append(tokens, text[i:end])
		i = end
	}
	return tokens, nil
}

func isDigit(r rune) bool  { return '0' <= r && r <= '9' }
func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || r == '_' }
