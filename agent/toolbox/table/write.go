package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"

	"strings"

	"go.yaml.in/yaml/v3"

	"atelier/agent/lazyregexp"
)

// Format is a file format for tables.
type Format string

// The formats.
const (
	CSV      Format = "csv"
	TSV      Format = "tsv"
	JSON     Format = "json"
	Markdown Format = "markdown"
	YAML     Format = "yaml"
)

// Write returns the table as text in a format.
func (t Table) Write(f Format) (string, error) {
	switch f {
	case CSV:
		return t.separated(',')
	case TSV:
		return t.separated('\t')
	case JSON:
		return t.json()
	case Markdown:
		return t.markdown(), nil
	case YAML:
		return t.yaml()
	}
	return "", fmt.Errorf("unknown table format %q", f)
}

func (t Table) separated(mark rune) (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = mark
	if err := w.Write(t.Columns); err != nil {
		return "", fmt.Errorf("write a table: %w", err)
	}
	if err := w.WriteAll(t.Rows); err != nil {
		return "", fmt.Errorf("write a table: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// plain matches numbers that all formats write the same way. "007" is text.
var plain = lazyregexp.New(`^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$`)

func (t Table) json() (string, error) {
	var b bytes.Buffer
	b.WriteString("[")
	for i, row := range t.Rows {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  {")
		for k, cell := range row {
			if k > 0 {
				b.WriteString(",")
			}
			name, err := quoted(t.Columns[k])
			if err != nil {
				return "", err
			}
			value := []byte(cell)
			if !plain.MatchString(cell) && cell != "true" && cell != "false" {
				if value, err = quoted(cell); err != nil {
					return "", err
				}
			}
			b.WriteString("\n    ")
			b.Write(name)
			b.WriteString(": ")
			b.Write(value)
		}
		b.WriteString("\n  }")
	}
	if len(t.Rows) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("]")
	return b.String(), nil
}

// quoted encodes a JSON string. It does not escape HTML.
func quoted(s string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil, fmt.Errorf("write a text as JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func (t Table) markdown() string {
	line := func(cells []string) string {
		all := make([]string, len(cells))
		for i, cell := range cells {
			all[i] = strings.NewReplacer("|", `\|`, "\n", "<br>").Replace(strings.TrimSpace(cell))
		}
		return "| " + strings.Join(all, " | ") + " |"
	}
	rules := make([]string, len(t.Columns))
	for i := range rules {
		rules[i] = "---"
		if t.Numeric(i) {
			rules[i] = "---:"
		}
	}
	lines := []string{line(t.Columns), "| " + strings.Join(rules, " | ") + " |"}
	for _, row := range t.Rows {
		lines = append(lines, line(row))
	}
	return strings.Join(lines, "\n")
}

func (t Table) yaml() (string, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, row := range t.Rows {
		item := &yaml.Node{Kind: yaml.MappingNode}
		for k, cell := range row {
			item.Content = append(item.Content, scalar(t.Columns[k], true), scalar(cell, !plain.MatchString(cell) && cell != "true" && cell != "false"))
		}
		list.Content = append(list.Content, item)
	}
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(list); err != nil {
		return "", fmt.Errorf("write a table: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// scalar returns a YAML scalar. Text is quoted if YAML would parse it as another type.
func scalar(value string, text bool) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: value}
	if text {
		n.Tag = "!!str"
	}
	return n
}
