package media

import (
	"testing"

	"atelier/agent/plan"
)

func TestInspectTakesDocuments(t *testing.T) {
	t.Parallel()
	info, err := Inspect(t.Context(), store(t, "letter.pdf", []byte("%PDF-1.7\n")), Limits{})
	if want := (Info{Type: plan.Document, MIME: "application/pdf", Ext: ".pdf"}); err != nil || info != want {
		t.Errorf("%+v, %v", info, err)
	}
}
