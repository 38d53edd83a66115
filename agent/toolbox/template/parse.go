package template

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

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
