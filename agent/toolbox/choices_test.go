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
