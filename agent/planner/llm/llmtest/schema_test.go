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
		many(5001, `"p%d":{"type":"null"}`), many(5001, `"p%d"`))
	for name, c := range map[string]struct{ schema, why string }{
		"no object":                  {`[]`, "cannot be read"},
		"null":                       {`null`, "root must have type object"},
		"a root of another type":     {`{"type":"array","items":{"type":"string"}}`, "root must have type object"},
		"a root of several types":    {`{"type":["object","null"]}`, "root must have type object"},
		"a root of choices":          {`{"type":"object","properties":{},"required":[],"additionalProperties":false,"anyOf":[]}`, "root is an anyOf"},
		"open":                       {`{"type":"object","properties":{},"required":[]}`, "'additionalProperties'"},
		"open on purpose":            {`{"type":"object","properties":{},"required":[],"additionalProperties":true}`, "'additionalProperties'"},
		"an open object within":      {object(`{"type":"object","properties":{},"required":[]}`), `at "#/properties/p": 'additionalProperties'`},
		"an open object in a list":   {object(`{"type":"array","items":{"type":["object","null"]}}`), `at "#/properties/p/items": 'additionalProperties'`},
		"an open object as a choice": {object(`{"anyOf":[{"type":"null"},{"type":"object"}]}`), `at "#/properties/p/anyOf/1"`},
		"an optional property":       {`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`, "'required'"},
		"no required":                {`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, "'required'"},
		"too much required":          {`{"type":"object","properties":{},"required":["a"],"additionalProperties":false}`, "'required'"},
		"minLength":                  {object(`{"type":"string","minLength":1}`), "'minLength' is not permitted"},
		"uniqueItems":                {object(`{"type":"array","items":{"type":"string"},"uniqueItems":true}`), "'uniqueItems' is not permitted"},
		"a default":                  {object(`{"type":"string","default":"x"}`), "'default' is not permitted"},
		"oneOf":                      {object(`{"oneOf":[{"type":"string"}]}`), "'oneOf' is not permitted"},
		"allOf":                      {object(`{"allOf":[{"type":"string"}]}`), "'allOf' is not permitted"},
		"no type":                    {object(`{"description":"anything"}`), "must have a 'type' key"},
		"an enum without a type":     {object(`{"enum":["a"]}`), "must have a 'type' key"},
		"a schema that is true":      {object(`true`), "must be an object"},
		"an unknown type":            {object(`{"type":"text"}`), "its type"},
		"a type that is none":        {object(`{"type":7}`), "must be a string or a list of strings"},
		"an empty list of types":     {object(`{"type":[]}`), "must be a string or a list of strings"},
		"a list of nothing":          {object(`{"type":"array"}`), "missing items"},
		"properties of a text":       {object(`{"type":"string","properties":{}}`), "only objects have properties"},
		"an unknown format":          {object(`{"type":"string","format":"uri"}`), "format"},
		"an empty enum":              {object(`{"type":"string","enum":[]}`), "enum is empty"},
		"an enum with a double":      {object(`{"type":"string","enum":["a","a"]}`), "twice"},
		"a long enum":                {object(`{"type":"string","enum":[` + many(1001, `"%d"`) + `]}`), "1001 enum values"},
		"a big enum":                 {object(`{"type":"string","enum":[` + many(251, `"`+strings.Repeat("x", 60)+`%d"`) + `]}`), "more than 15000"},
		"many letters":               {object(`{"type":"string","const":"` + strings.Repeat("x", 120000) + `"}`), "more than 120000"},
		"many properties":            {wide, "5001 properties"},
		"deep":                       {deep, "nested deeper than 10"},
		"a reference to nothing":     {object(`{"$ref":"#/$defs/x"}`), "cannot be resolved"},
		"a reference outside":        {object(`{"$ref":"https://example.com/schema"}`), "cannot be resolved"},
		"a described reference":      {object(`{"$ref":"#","description":"itself"}`), "$ref cannot have"},
		"a bad definition":           {`{"type":"object","properties":{},"required":[],"additionalProperties":false,"$defs":{"x":{"type":"object"}}}`, `at "#/$defs/x"`},
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
		"all keywords": `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"T","description":"D","type":"object","properties":{
			"text":{"type":["string","null"],"enum":["a","b",null],"pattern":"^.$","format":"date-time"},
			"number":{"type":"number","minimum":1,"maximum":5,"exclusiveMinimum":0,"exclusiveMaximum":6,"multipleOf":0.5},
			"list":{"type":"array","items":{"$ref":"#/$defs/node"},"minItems":1,"maxItems":3},
			"choice":{"anyOf":[{"type":"integer"},{"type":"boolean"},{"$ref":"#"}]},
			"fixed":{"type":"string","const":"x"}},
			"required":["number","text","list","fixed","choice"],"additionalProperties":false,
			"$defs":{"node":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["next"],"additionalProperties":false}}}`,
		"an old definition": `{"type":"object","properties":{"a":{"$ref":"#/definitions/x"}},"required":["a"],"additionalProperties":false,"definitions":{"x":{"type":"string"}}}`,
		"nothing":           `{"type":"object","properties":{},"required":[],"additionalProperties":false}`,
	} {
		if status := sendSchema(t, s, schema); status != http.StatusOK {
			t.Errorf("%s: %d", name, status)
		}
	}
}
