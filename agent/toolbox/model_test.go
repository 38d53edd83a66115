package toolbox_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"atelier/agent/toolbox"
)

// Each tool with hub models has at least one with a permissive licence, which is tried first.
func TestEveryToolOfTheHubHasAModel(t *testing.T) {
	t.Parallel()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	several := 0
	for _, tool := range c.Tools() {
		i := slices.IndexFunc(tool.Backends, func(b toolbox.Backing) bool { return b.Kind == "hftask" })
		if i < 0 {
			continue
		}
		var able []toolbox.Model
		for _, m := range c.Models() {
			if m.Does(tool.Name, tool.Backends[i]) {
				able = append(able, m)
			}
		}
		switch len(able) {
		case 0:
			t.Errorf("%s has no model", tool.Name)
			continue
		case 1:
		default:
			several++
		}
		if unfree(able[0].Licence) {
			t.Errorf("the first model of %s is %s, which may not be used for everything: %s", tool.Name, able[0].ID, able[0].Licence)
		}
	}
	if several < 6 {
		t.Errorf("only %d tools have several models", several)
	}
}

func unfree(licence string) bool {
	return strings.Contains(licence, "-NC-") || strings.Contains(licence, "Non-Commercial")
}

// Descriptions are for people, and models have common names.
func TestModelsAreDescribed(t *testing.T) {
	t.Parallel()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]string{}
	for i, m := range c.Models() {
		if other := called[m.Called()]; other != "" {
			t.Errorf("%s and %s are both called %s", m.ID, other, m.Called())
		}
		called[m.Called()] = m.ID
		if !strings.HasSuffix(m.Description, ".") || len(m.Description) > 200 {
			t.Errorf("%s is described by no short sentence: %s", m.ID, m.Description)
		}
		if unfree(m.Licence) && !strings.Contains(m.Description, "no commercial use") {
			t.Errorf("the description of %s does not tell that it is not for commercial use", m.ID)
		}
		if i > 0 && c.Models()[i-1].Rank > m.Rank {
			t.Errorf("%s stands before %s", c.Models()[i-1].ID, m.ID)
		}
	}
}

func TestRejectedModels(t *testing.T) {
	t.Parallel()
	const fine = "id: org/fine\nnames: [Fine]\ndescription: It is fine.\nlicence: MIT\ntools: [draw]\n"
	const draw = "name: draw\ndescription: Draws.\nwhen: To draw.\nexamples: [draw a cat, draw a dog, draw a bird]\ndomain: image-generation\n" +
		"args:\n  - {name: prompt, type: text, meaning: prompt, about: what}\nreturns: image\n" +
		"backends:\n  - {kind: hftask, run: text-to-image, device: gpu, needs: a tool server}\n"
	for name, test := range map[string]struct{ model, complaint string }{
		"fine":                {fine, ""},
		"no organisation":     {strings.Replace(fine, "org/fine", "fine", 1), "must have the form org/model"},
		"no name":             {strings.Replace(fine, "[Fine]", "[]", 1), "names (common names) are missing"},
		"no description":      {strings.Replace(fine, "It is fine.", `""`, 1), "description is missing"},
		"no licence":          {strings.Replace(fine, "MIT", `""`, 1), "licence is missing"},
		"downloads of no day": {fine + "downloads: 7\n", "downloads require as_of"},
		"a rank below one":    {fine + "rank: -1\n", "rank must be at least 1"},
		"an unknown field":    {fine + "likes: 7\n", "not a model entry"},
		"an unknown tool":     {strings.Replace(fine, "[draw]", "[paint]", 1), "lists the unknown tool paint"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := toolbox.LoadCatalogue(fstest.MapFS{
				"draw.yaml":        {Data: []byte(draw)},
				"models/fine.yaml": {Data: []byte(test.model)},
			})
			switch {
			case test.complaint == "" && err != nil:
				t.Error(err)
			case test.complaint != "" && (err == nil || !strings.Contains(err.Error(), test.complaint)):
				t.Errorf("got %v", err)
			}
		})
	}
}

// Models are sorted by rank, then by downloads, then alphabetically.
func TestModelsInOrder(t *testing.T) {
	t.Parallel()
	c := toolbox.NewCatalogue(nil,
		toolbox.Model{ID: "b/b"}, toolbox.Model{ID: "a/a"}, toolbox.Model{ID: "c/used", Downloads: 9},
		toolbox.Model{ID: "d/second", Rank: 2}, toolbox.Model{ID: "e/first", Rank: 1})
	var got []string
	for _, m := range c.Models() {
		got = append(got, m.ID)
	}
	if want := []string{"e/first", "d/second", "c/used", "a/a", "b/b"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
