package lenient

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

type inner struct {
	Width int    `json:"width"`
	Name  string `json:"name"`
}

type outer struct {
	inner

	ID       string           `json:"id"`
	Size     int64            `json:"size"`
	May      int64            `json:"may,string"`
	Ratio    float64          `json:"ratio"`
	Bot      bool             `json:"bot"`
	At       time.Time        `json:"at"`
	Raw      json.RawMessage  `json:"raw"`
	Any      any              `json:"any"`
	To       *inner           `json:"to"`
	Files    []inner          `json:"files"`
	ByID     map[string]inner `json:"by_id"`
	Unlisted string
}

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		want outer
		odd  string
	}{
		"as it should be":     {`{"id":"a","size":3,"may":"8","width":4,"unlisted":"x"}`, outer{ID: "a", Size: 3, May: 8, inner: inner{Width: 4}, Unlisted: "x"}, ""},
		"numbers in strings":  {`{"id":"a","size":"3","width":"640"}`, outer{ID: "a", Size: 3, inner: inner{Width: 640}}, ""},
		"numbers for strings": {`{"id":12345678901234567890,"may":8}`, outer{ID: "12345678901234567890", May: 8}, ""},
		"a whole fraction":    {`{"size":640.0,"width":1e3}`, outer{Size: 640, inner: inner{Width: 1000}}, ""},
		"no number at all":    {`{"id":"a","size":"many","may":true,"ratio":[]}`, outer{ID: "a"}, "may ratio size"},
		"too large":           {`{"id":"a","size":1e30}`, outer{ID: "a"}, "size"},
		"objects for scalars": {`{"id":{"a":1},"bot":"yes","size":2}`, outer{Size: 2}, "bot id"},
		"no time":             {`{"id":"a","at":5}`, outer{ID: "a"}, "at"},
		"within a list":       {`{"id":"a","files":[{"width":"w","name":"b"},"c",{"name":"d"}]}`, outer{ID: "a", Files: []inner{{Name: "b"}, {Name: "d"}}}, "files files.width"},
		"within an object":    {`{"id":5,"to":{"name":[],"width":2},"by_id":{"k":{"width":{}},"l":7}}`, outer{ID: "5", To: &inner{Width: 2}, ByID: map[string]inner{"k": {}}}, "by_id.* by_id.*.width to.name"},
		"no list, no object":  {`{"id":5,"files":{"0":1},"to":"b","by_id":[1]}`, outer{ID: "5"}, "by_id files to"},
		"nulls":               {`{"id":5,"size":null,"to":null,"files":null}`, outer{ID: "5"}, ""},
		"what is kept as is":  {`{"id":5,"raw":{"a":[1]},"any":"x"}`, outer{ID: "5", Raw: json.RawMessage(`{"a":[1]}`), Any: "x"}, ""},
	} {
		var got outer
		odd, err := Unmarshal([]byte(c.data), &got)
		if err != nil || !reflect.DeepEqual(got, c.want) || strings.Join(odd, " ") != c.odd {
			t.Errorf("%s: %+v %q %v, want %+v %q", name, got, odd, err, c.want, c.odd)
		}
	}
}

func TestUnmarshalKeepsOtherFields(t *testing.T) {
	t.Parallel()
	got := outer{ID: "before"}
	if _, err := Unmarshal([]byte(`{"size":"3","id":[]}`), &got); err != nil || got.ID != "before" || got.Size != 3 {
		t.Errorf("%+v %v", got, err)
	}
}

func TestUnmarshalErrors(t *testing.T) {
	t.Parallel()
	for _, data := range []string{``, `{`, `{"id":`, `[]`, `"a"`, `5`, `{"id":"a"} x`} {
		var got outer
		if odd, err := Unmarshal([]byte(data), &got); err == nil || odd != nil {
			t.Errorf("%q is read as %+v, odd is %q", data, got, odd)
		}
	}
}

// FuzzUnmarshal checks that all JSON is accepted, with the same result as encoding/json if that succeeds.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"id":"a","size":"3","files":[{"width":"w"}],"by_id":{"k":{}},"at":"2026-01-02T03:04:05Z"}`))
	f.Add([]byte(`{"ID":1,"Files":[null,{}],"may":"x","raw":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var strict, loose outer
		if json.Unmarshal(data, &strict) == nil { //nolint:musttag // tests a field without a tag too
			if odd, err := Unmarshal(data, &loose); err != nil || len(odd) > 0 || !reflect.DeepEqual(strict, loose) {
				t.Errorf("%s: %+v %q %v, want %+v", data, loose, odd, err, strict)
			}
			return
		}
		var object map[string]any
		if json.Unmarshal(data, &object) != nil || object == nil {
			return
		}
		if _, err := Unmarshal(data, &loose); err != nil {
			t.Errorf("%s is not read: %v", data, err)
		}
	})
}
