package improvise

import (
	"path/filepath"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// workbook is a program that makes an Excel file.
const workbook = `import openpyxl
wb = openpyxl.Workbook()
wb.active.append([INPUTS[0]["name"]] if INPUTS else ["a"])
wb.save(OUT + "/sums.xlsx")`

// locked is a program that makes a PDF whose pages nobody can count.
const locked = onePage + `
import os, subprocess
made = OUT + "/" + os.listdir(OUT)[0]
subprocess.run(["qpdf", "--encrypt", "key", "key", "256", "--", made, OUT + "/locked.pdf"], check=True)
os.remove(made)`

// Office documents and locked PDFs are documents, and may be the input of another program.
func TestDocumentsThatNoToolReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, format, file string }{{workbook, "xlsx", "sums.xlsx"}, {locked, "pdf", "locked.pdf"}} {
		t.Run(c.format, func(t *testing.T) {
			t.Parallel()
			w := &writer{answers: []string{answer(c.program, check{"format", c.format}, check{"pages", "1"}), answer(workbook)}}
			b := backend(t, Config{Writer: w})
			out, err := b.Run(t.Context(), pythonRun, jobFor(t, plan.Document))
			if err != nil || out.File != c.file || filepath.Base(out.Path) != c.file {
				t.Fatalf("%+v, %v; the model was told: %s", out, err, w.last(t))
			}
			again := toolbox.Value{Resource: plan.Resource{Name: c.file, Type: plan.Document, Blob: "b"}, Path: out.Path}
			if _, err := b.Run(t.Context(), pythonRun, jobFor(t, plan.Document, again)); err != nil {
				t.Error(err)
			}
		})
	}
}
