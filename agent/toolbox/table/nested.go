package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
)

// Rewritten converts nested data between JSON and YAML. It returns false unless the text is in one of
// the formats and f is the other.
func Rewritten(text string, f Format) (string, bool, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	isJSON := json.Valid([]byte(text))
	if f != YAML && f != JSON || isJSON != (f == YAML) {
		return "", false, nil
	}
	var document yaml.Node
	err := yaml.Unmarshal([]byte(text), &document)
	if err != nil || len(document.Content) != 1 || document.Content[0].Kind == yaml.ScalarNode {
		return "", false, nil //nolint:nilerr // perhaps a table in another format
	}
	var b bytes.Buffer
	if f == YAML {
		inBlocks(&document)
		e := yaml.NewEncoder(&b)
		e.SetIndent(2)
		if err := e.Encode(&document); err != nil {
			return "", false, fmt.Errorf("write YAML: %w", err)
		}
		return strings.TrimSuffix(b.String(), "\n"), true, nil
	}
	whole, err := jsonOf(document.Content[0])
	if err == nil {
		err = json.Indent(&b, whole, "", "  ")
	}
	if err != nil {
		return "", false, &plan.Fault{Sentence: plan.Say("This YAML cannot be written as JSON."), Err: err, Final: true}
	}
	return b.String(), true, nil
}

// inBlocks formats YAML in block style instead of flow style.
func inBlocks(n *yaml.Node) {
	n.Style = 0
	for _, inner := range n.Content {
		inBlocks(inner)
	}
}

// jsonOf writes a value as JSON, keeping the order of keys.
func jsonOf(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	switch n.Kind { //nolint:exhaustive // no other kinds are nested
	case yaml.SequenceNode, yaml.MappingNode:
		marks := "[]"
		if n.Kind == yaml.MappingNode {
			marks = "{}"
		}
		b.WriteByte(marks[0])
		for i, inner := range n.Content {
			isName := n.Kind == yaml.MappingNode && i%2 == 0
			value, err := jsonOf(inner)
			if isName {
				value, err = quoted(inner.Value)
			}
			if err != nil {
				return nil, err
			}
			if i > 0 && (n.Kind == yaml.SequenceNode || isName) {
				b.WriteByte(',')
			}
			b.Write(value)
			if isName {
				b.WriteByte(':')
			}
		}
		b.WriteByte(marks[1])
		return b.Bytes(), nil
	case yaml.ScalarNode:
		var value any
		if err := n.Decode(&value); err != nil {
			return nil, fmt.Errorf("read a value: %w", err)
		}
		if text, ok := value.(string); ok {
			return quoted(text)
		}
		written, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("write a value: %w", err)
		}
		return written, nil
	}
	return nil, fmt.Errorf("line %d: JSON has no aliases", n.Line)
}
