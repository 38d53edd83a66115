package toolbox_test

import (
	"testing"

	"atelier/agent/toolbox"
)

// Checks the choices in tool files against what people say.
func TestMirroring(t *testing.T) {
	t.Parallel()
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := catalogue.Tool("flip_image")
	direction, ok := tool.Param("direction")
	if !ok {
		t.Fatal("the tool has no direction")
	}
	for text, want := range map[string]string{
		"vertically": "vertical", "upside down": "vertical", "top to bottom": "vertical",
		"horizontally": "horizontal", "mirror": "horizontal", "left to right": "horizontal",
		"along the horizontal axis": "vertical", "around its vertical axis": "horizontal",
		"both ways": "both", "horizontally and vertically": "both", "purple": "", "": "",
	} {
		if got, err := direction.Read(text); got.String() != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestLabels: what a request says about the labels of pictures beats the names of their files.
func TestLabels(t *testing.T) {
	t.Parallel()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stack_pictures", "collage_images"} {
		tool, _ := c.Tool(name)
		labels, ok := tool.Param("labels")
		if !ok {
			t.Fatalf("%s has no labels", name)
		}
		for text, want := range map[string]string{
			"with labels": "file names", "labelled before and after": "before and after", "before/after with labels": "before and after",
			"numbered labels": "numbers", "with their file names": "file names",
		} {
			if v, err := labels.Read(text); err != nil || v.String() != want {
				t.Errorf("%s: %q means %q, not %q (%v)", name, text, v, want, err)
			}
		}
	}
}
