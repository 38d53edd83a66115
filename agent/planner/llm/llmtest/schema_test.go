package llmtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"atelier/agent/planner/llm/llmtest"
)

// object returns a strict schema of an object with one property.
func object(property string) string {
	return `{"type":"object","properties":{"p":` + property + `},"required":["p"],"additionalProperties":false}`
}

func sendSchema(t *testing.T, s *llmtest.Server, schema string) int {
	t.Helper()
	status, _ := send(t, http.MethodPost, s.URL()+"/chat/completions", "application/json", `{"model":"m","messages":[{"role":"user","content":"hi"}],
		"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":`+schema+`}}}`)
	return status
}

// many returns n JSON texts in a format.
func many(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ",")
}

func TestInvalidStrictSchema(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	s := llmtest.New(w, llmtest.Config{Answer: fine})
	deep := `{"type":"string"}`
	for range 11 {
		deep = object(deep)
	}
	wide := fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`,
		many(5001, `"p%d":{"type":"boolean"}`), many(5001, `"p%d"`))
	for name, c := range map[string]struct{ schema, why string }{
		"no object":                {`[]`, "cannot be read"},
		"a root of another type":   {`{"type":"array","items":{"type":"string"}}`, "root must have type object"},
		"open":                     {`{"type":"object","properties":{},"required":[]}`, "'additionalProperties'"},
		"an open object within":    {object(`{"type":"object","properties":{},"required":[]}`), `at "#/properties/p": 'additionalProperties'`},
		"an open object in a list": {object(`{"type":"array","items":{"type":"object"}}`), `at "#/properties/p/items": 'additionalProperties'`},
		"an optional property":     {`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`, "'required'"},
		"too much required":        {`{"type":"object","properties":{},"required":["a"],"additionalProperties":false}`, "'required'"},
		"minLength":                {object(`{"type":"string","minLength":1}`), `unknown field "minLength"`},
		"no type":                  {object(`{"description":"anything"}`), `unknown field "description"`},
		"an unknown type":          {object(`{"type":["string","null"]}`), "cannot be read"},
		"a list of nothing":        {object(`{"type":"array"}`), "missing items"},
		"properties of a text":     {object(`{"type":"string","properties":{}}`), "only objects have properties"},
		"an empty enum":            {object(`{"type":"string","enum":[]}`), "enum is empty"},
		"an enum with a double":    {object(`{"type":"string","enum":["a","a"]}`), "twice"},
		"a long enum":              {object(`{"type":"string","enum":[` + many(1001, `"%d"`) + `]}`), "1001 enum values"},
		"a big enum":               {object(`{"type":"string","enum":[` + many(251, `"`+strings.Repeat("x", 60)+`%d"`) + `]}`), "more than 15000"},
		"many properties":          {wide, "5001 properties"},
		"deep":                     {deep, "nested deeper than 10"},
		"many letters":             {object(`{"type":"string","enum":["` + strings.Repeat("x", 120000) + `"]}`), "more than 120000"},
	} {
		status := sendSchema(t, s, c.schema)
		if errors := w.caught(); status != http.StatusBadRequest || len(errors) != 1 || !strings.Contains(errors[0], c.why) {
			t.Errorf("%s: status %d, reported %.300q", name, status, errors)
		}
	}
}

func TestValidStrictSchema(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{Answer: fine})
	for name, schema := range map[string]string{
		"all keywords": object(`{"type":"array","items":{"type":"object","properties":{
			"text":{"type":"string","enum":["a","b"]},"number":{"type":"number"},"count":{"type":"integer"},"sure":{"type":"boolean"}},
			"required":["number","text","count","sure"],"additionalProperties":false}}`),
		"nothing": `{"type":"object","properties":{},"required":[],"additionalProperties":false}`,
	} {
		if status := sendSchema(t, s, schema); status != http.StatusOK {
			t.Errorf("%s: %d", name, status)
		}
	}
}
