package selection

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// street is the result of detection in a picture of 1000 × 600 pixels.
var street = []plan.Box{
	{Label: "dog", Score: 0.9, XMin: 50, YMin: 400, XMax: 150, YMax: 500},         // 0 left, middling
	{Label: "dog", Score: 0.7, XMin: 700, YMin: 350, XMax: 900, YMax: 550},        // 1 right, large
	{Label: "dog", Score: 0.8, XMin: 450, YMin: 450, XMax: 500, YMax: 500},        // 2 middle, small
	{Label: "cat", Score: 0.6, XMin: 300, YMin: 50, XMax: 360, YMax: 110},         // 3
	{Label: "person", Score: 0.95, XMin: 200, YMin: 100, XMax: 300, YMax: 500},    // 4
	{Label: "woman", Score: 0.5, XMin: 600, YMin: 100, XMax: 700, YMax: 500},      // 5
	{Label: "car", Score: 0.9, XMin: 0, YMin: 200, XMax: 200, YMax: 300},          // 6
	{Label: "traffic light", Score: 0.4, XMin: 950, YMin: 0, XMax: 980, YMax: 90}, // 7
	{Label: "hot dog", Score: 0.3, XMin: 10, YMin: 10, XMax: 30, YMax: 20},        // 8
	{Label: "tv", Score: 0.3, XMin: 400, YMin: 10, XMax: 430, YMax: 40},           // 9
}

// TestChooseWhatIsWritten: "the text" selects all boxes with recognized text, and none with object labels.
func TestChooseWhatIsWritten(t *testing.T) {
	t.Parallel()
	read := []item{{label: "Total: 12.50"}, {label: "thanks"}}
	for _, phrase := range []string{"text", "the text", "all words", "writing"} {
		if kept, _ := choose(phrase, read); len(kept) != 2 {
			t.Errorf("%q keeps %v", phrase, kept)
		}
		if kept, _ := choose(phrase, []item{{label: "dog"}, {label: "traffic light"}}); len(kept) != 0 {
			t.Errorf("%q keeps %v of things", phrase, kept)
		}
	}
}

// TestChooseQuotedWords: recognized words are selected by quoting them, or by their kind.
func TestChooseQuotedWords(t *testing.T) {
	t.Parallel()
	at := func(label string, x, y int) item {
		return item{label: label, box: plan.Box{Label: label, XMin: x, YMin: y, XMax: x + 8*len(label), YMax: y + 20}}
	}
	read := []item{
		at("Invoice", 10, 10), at("2026-11-02", 400, 10), // 0, 1
		at("Account", 10, 50), at("number:", 80, 50), at("AC44", 300, 50), at("B90", 340, 50), // 2 to 5
		at("Call", 10, 90), at("+44", 50, 90), at("20", 82, 90), at("7946", 106, 90), at("0958", 146, 90), // 6 to 10
		at("ada@example.org", 10, 130), at("Customer", 300, 130), at("name", 372, 130), at("Ada", 300, 160), // 11 to 14
		at("Total", 10, 200), at("12.50", 60, 200), at("total", 10, 240), // 15 to 17
	}
	for phrase, want := range map[string][]int{
		"word Total": {15, 17}, "the “Total” button": {15, 17}, "the heading Invoice": {0}, "button labelled Total": {15, 17}, "label Account number": {2, 3}, "the prices": {16}, "the word “Invoice”": {0}, "Account number": {2, 3, 4, 5}, "the phone number": {7, 8, 9, 10},
		"e-mail address": {11}, "the date": {1}, "customer name": {12, 13, 14}, "word Total and the phone number": {7, 8, 9, 10, 15, 17},
		"IBAN": nil, "the word Ada Lovelace": nil, "serial number": nil,
	} {
		kept, note := choose(phrase, read)
		if diff := cmp.Diff(want, kept); diff != "" {
			t.Errorf("%q: %s", phrase, diff)
		}
		if want == nil && !strings.Contains(note.String(), "Nothing here matches") {
			t.Errorf("%q is answered by %q", phrase, note)
		}
	}
}

func TestChooseBoxes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		kept []int
		note string
	}{
		"dog":                            {[]int{0, 1, 2}, ""},
		"the DOGS":                       {[]int{0, 1, 2}, ""},
		"a puppy":                        {[]int{0, 1, 2}, ""},
		"all dogs":                       {[]int{0, 1, 2}, ""},
		"dog's":                          {[]int{0, 1, 2}, ""},
		"hot dog":                        {[]int{8}, ""},
		"people":                         {[]int{4, 5}, ""},
		"women":                          {[]int{5}, ""},
		"man":                            {[]int{4}, "The labels only say “person”"},
		"animals":                        {[]int{0, 1, 2, 3}, ""},
		"vehicle":                        {[]int{6}, ""},
		"automobile":                     {[]int{6}, ""},
		"the red car":                    {[]int{6}, "only say “car”, so I could not check for “red car”"},
		"the car that is on the street":  {[]int{6}, ""},
		"television":                     {[]int{9}, ""},
		"traffic_light":                  {[]int{7}, ""},
		"light":                          {[]int{7}, ""},
		"traffic":                        {[]int{7}, ""},
		"dogs and cats":                  {[]int{0, 1, 2, 3}, ""},
		"the cat, the car or the tv":     {[]int{3, 6, 9}, ""},
		"a zebra and the cat":            {[]int{3}, ""},
		"":                               {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, ""},
		"all":                            {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, ""},
		"everything":                     {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, ""},
		"all of the objects":             {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, ""},
		"everything except the dogs":     {[]int{3, 4, 5, 6, 7, 8, 9}, ""},
		"animals but not the cat":        {[]int{0, 1, 2}, ""},
		"the left dog":                   {[]int{0}, ""},
		"the rightmost dog":              {[]int{1}, ""},
		"the dog in the middle":          {[]int{2}, ""},
		"the dog on the right-hand side": {[]int{1}, ""},
		"the dogs on the left":           {[]int{0, 2}, ""},
		"the largest dog":                {[]int{1}, ""},
		"small dog":                      {[]int{2}, ""},
		"the two largest dogs":           {[]int{0, 1}, ""},
		"second dog from the left":       {[]int{2}, ""},
		"second dog from the right":      {[]int{2}, ""},
		"the first dog":                  {[]int{0}, ""},
		"the last dog":                   {[]int{1}, ""},
		"the first two dogs":             {[]int{0, 2}, ""},
		"the last two dogs":              {[]int{1, 2}, ""},
		"the fourth dog":                 {nil, "Nothing here matches “the fourth dog”."},
		"two dogs":                       {[]int{0, 2}, ""},
		"one dog":                        {[]int{0}, ""},
		"the largest":                    {[]int{1}, ""},
		"the surest one":                 {[]int{4}, ""},
		"top left":                       {[]int{8}, ""},
		"zebra":                          {nil, "Nothing here matches “zebra”. I found: 3 dogs, 1 cat"},
		"\xff\x00🦓":                      {[]int{}, ""},
	}
	for phrase, tt := range tests {
		t.Run(phrase, func(t *testing.T) {
			c := nativetest.Call("object", phrase)
			c.Args["bbox"] = []toolbox.Value{{Resource: plan.Resource{Type: plan.BBox, Value: encode(t, street)}}}
			out, err := nativetest.New(t, Operations(media.Limits{})).Perform("select_bbox", c)
			if err != nil {
				t.Fatal(err)
			}
			want := []plan.Box{}
			for _, k := range tt.kept {
				want = append(want, street[k])
			}
			if phrase == "\xff\x00🦓" { // not words at all: it only must not panic
				return
			}
			if diff := cmp.Diff(encode(t, want), out.Value); diff != "" {
				t.Errorf("%s\nnote %q", diff, out.Note.String())
			}
			if (tt.note == "") != (out.Note.String() == "") || !strings.Contains(out.Note.String(), tt.note) {
				t.Errorf("the note is %q, not %q", out.Note.String(), tt.note)
			}
		})
	}
}

func TestChooseCategories(t *testing.T) {
	t.Parallel()
	classes := []plan.Class{
		{Label: "tabby, tabby cat", Score: 0.5}, {Label: "golden retriever", Score: 0.2},
		{Label: "pickup, pickup truck", Score: 0.1}, {Label: "banana", Score: 0.05},
	}
	tests := map[string][]int{
		"cat": {0}, "animals": {0, 1}, "dogs": {1}, "vehicles": {2}, "fruit": {3}, "all": {0, 1, 2, 3},
		"the most likely": {0}, "the two best": {0, 1}, "the first": {0}, "the last": {3}, "furniture": {},
	}
	for phrase, kept := range tests {
		t.Run(phrase, func(t *testing.T) {
			c := nativetest.Call("object", phrase, "category", encode(t, classes))
			out, err := nativetest.New(t, Operations(media.Limits{})).Perform("select_category", c)
			if err != nil {
				t.Fatal(err)
			}
			want := []plan.Class{}
			for _, k := range kept {
				want = append(want, classes[k])
			}
			if diff := cmp.Diff(encode(t, want), out.Value); diff != "" {
				t.Errorf("%s\nnote %q", diff, out.Note.String())
			}
		})
	}
}

// blocks is a mask of three squares in a row: 0 left and small, 1 in the middle, 2 right.
func blocks(t *testing.T) string {
	t.Helper()
	m := media.NewMask(60, 20, 3)
	for y := range 20 {
		for x := range 60 {
			part := x / 20
			if x%20 < 8+4*part && y < 8+4*part {
				m.Index[y*60+x] = uint8(part + 1)
			}
		}
	}
	path := t.TempDir() + "/blocks.png"
	if err := media.WriteMask(context.Background(), path, m); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSelectMask(t *testing.T) {
	t.Parallel()
	parts := []plan.Part{{Label: "dog", Score: 0.9}, {Label: "cat", Score: 0.8}, {Label: "dog", Score: 0.7}}
	tests := map[string]struct {
		parts  []plan.Part
		phrase string
		kept   []int
		note   string
	}{
		"one kind":         {parts, "dogs", []int{0, 2}, ""},
		"one part":         {parts, "the cat", []int{1}, ""},
		"by place":         {parts, "the dog on the right", []int{2}, ""},
		"by size":          {parts, "smallest", []int{0}, ""},
		"none":             {parts, "zebra", nil, "I found: 2 dogs and 1 cat."},
		"all":              {parts, "everything", []int{0, 1, 2}, ""},
		"without labels":   {nil, "the middle one", []int{1}, ""},
		"unchecked labels": {nil, "dog", []int{0, 1, 2}, "There are no labels here"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := nativetest.FileCall("mask", plan.Mask, blocks(t))
			if tt.parts != nil {
				c.Args["mask"][0].Value = encode(t, tt.parts)
			}
			c.Args["object"] = nativetest.Call("object", tt.phrase).Args["object"]
			c.Dir = t.TempDir()
			out, err := nativetest.New(t, Operations(media.Limits{})).Perform("select_mask", c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := media.ReadMask(context.Background(), out.Path, media.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			covered := map[int]int{}
			for _, p := range got.Index {
				covered[int(p)]++
			}
			delete(covered, 0)
			want := map[int]int{}
			for i, k := range tt.kept {
				want[i+1] = (8 + 4*k) * (8 + 4*k)
			}
			if diff := cmp.Diff(want, covered); diff != "" {
				t.Error(diff)
			}
			list, err := plan.DecodeValue[plan.Part](plan.Resource{Value: out.Value})
			if err != nil || len(list) != len(tt.kept) {
				t.Errorf("the list of parts is %q, %v", out.Value, err)
			}
			if (tt.note == "") != (out.Note.String() == "") || !strings.Contains(out.Note.String(), tt.note) {
				t.Errorf("the note is %q", out.Note.String())
			}
		})
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	boxes := func(labels ...string) string {
		list := []plan.Box{}
		for _, l := range labels {
			list = append(list, plan.Box{Label: l, XMax: 1, YMax: 1})
		}
		return encode(t, list)
	}
	tests := map[string]struct{ run, arg, value, want string }{
		"none":       {"count_objects", "bbox", "[]", "There is none."},
		"absent":     {"count_objects", "bbox", "", "There is none."},
		"one":        {"count_objects", "bbox", boxes("dog"), "There is 1 dog."},
		"same":       {"count_objects", "bbox", boxes("child", "child"), "There are 2 children."},
		"several":    {"count_objects", "bbox", boxes("cat", "dog", "Dog"), "There are 3: 2 dogs and 1 cat."},
		"unlabelled": {"count_objects", "bbox", boxes("", ""), "There are 2 objects."},
		"mixed":      {"count_objects", "bbox", boxes("bus", "", "bus"), "There are 3: 2 buses and 1 without a label."},
		"no class":   {"count_categories", "category", "[]", "There is none."},
		"classes":    {"count_categories", "category", `[{"label":"tabby"},{"label":"tiger cat"},{"label":"lynx"}]`, "There are 3: tabby, tiger cat and lynx."},
		"one class":  {"count_categories", "category", `[{"label":"tabby"}]`, "There is 1 tabby."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := nativetest.New(t, Operations(media.Limits{})).Perform(tt.run, nativetest.Call(tt.arg, tt.value))
			if err != nil {
				t.Fatal(err)
			}
			if out.Value != tt.want {
				t.Errorf("got %q, not %q", out.Value, tt.want)
			}
		})
	}
}

func TestCountMasks(t *testing.T) {
	t.Parallel()
	empty := t.TempDir() + "/empty.png"
	if err := media.WriteMask(context.Background(), empty, media.NewMask(4, 4, 1)); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ path, parts, want string }{
		"labels":    {blocks(t), `[{"label":"dog"},{"label":"cat"},{"label":"dog"}]`, "There are 3: 2 dogs and 1 cat."},
		"no labels": {blocks(t), "", "There are 3 masks."},
		"nothing":   {empty, "", "There is none."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := nativetest.FileCall("mask", plan.Mask, tt.path)
			c.Args["mask"][0].Value = tt.parts
			out, err := nativetest.New(t, Operations(media.Limits{})).Perform("count_masks", c)
			if err != nil || out.Value != tt.want {
				t.Errorf("got %q, %v, not %q", out.Value, err, tt.want)
			}
		})
	}
}

func TestListsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for run, arg := range map[string]string{
		"select_bbox": "bbox", "count_objects": "bbox", "select_category": "category",
		"count_categories": "category", "select_mask": "mask", "count_masks": "mask",
	} {
		_, err := nativetest.New(t, Operations(media.Limits{})).Perform(run, nativetest.Call(arg, "{not a list", "object", "dog"))
		nativetest.WantFault(t, err, "cannot be read")
		_, err = nativetest.New(t, Operations(media.Limits{})).Perform(run, nativetest.Call("object", "dog"))
		nativetest.WantFault(t, err, "There are no")
	}
}

func TestPlurals(t *testing.T) {
	t.Parallel()
	for one, many := range map[string]string{
		"dog": "dogs", "person": "people", "wine glass": "wine glasses", "box": "boxes", "city": "cities", "toy": "toys",
		"knife": "knives", "sheep": "sheep", "woman": "women", "bench": "benches", "bus": "buses", "potted plant": "potted plants",
		"house": "houses", "tie": "ties", "tomato": "tomatoes", "cherry": "cherries",
	} {
		if got := plural(one); got != many {
			t.Errorf("plural of %q: %q, not %q", one, got, many)
		}
		head := one[strings.LastIndexByte(one, ' ')+1:]
		if head == "glass" {
			continue // "glasses" are spectacles, too
		}
		if got := singular(many[strings.LastIndexByte(many, ' ')+1:]); got != head {
			t.Errorf("singular of %q: %q", many, got)
		}
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("the two largest dogs on the left except the first")
	f.Add("ⱥ but not Ⱥ, and 99999999999999999999")
	f.Fuzz(func(t *testing.T, phrase string) {
		items := make([]item, len(street))
		for i, b := range street {
			items[i] = item{b.Label, b.Score, b}
		}
		kept, _ := choose(phrase, items)
		for i, k := range kept {
			if k < 0 || k >= len(items) || i > 0 && kept[i-1] >= k {
				t.Fatalf("kept %v", kept)
			}
		}
		if none, _ := choose(phrase, nil); len(none) > 0 {
			t.Errorf("chose %v of nothing", none)
		}
	})
}

func encode(t *testing.T, list any) string {
	t.Helper()
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
