package program

import (
	"os"
	"path/filepath"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/program/document"
	"atelier/agent/toolbox/slow"
)

// TestOfficeDocuments checks that they become PDF documents, and that tools for PDF documents accept them.
func TestOfficeDocuments(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	if !document.ReadsOffice() {
		if os.Getenv("CI") != "" {
			t.Fatal("LibreOffice is not installed")
		}
		t.Skip("LibreOffice is not installed")
	}
	letter := args{"document": fileOf(plan.Document, "testdata/letter.docx")}
	pdf := args{"document": fileOf(plan.Document, done(t, "document_to_pdf", letter).Path)}
	for _, document := range []args{letter, pdf} {
		holds(t, done(t, "pdf_to_text", document).Value, "garden club", "tulips")
		holds(t, done(t, "document_facts", document).Value, "Pages: 2")
	}
	for file, says := range map[string]string{"boats.xlsx": "Heron", "talk.pptx": "Ferries and ice"} {
		holds(t, done(t, "pdf_to_text", args{"document": fileOf(plan.Document, filepath.Join("testdata", file))}).Value, says)
	}
	holds(t, refused(t, "document_to_pdf", pdf), "PDF document already")
}
