package document

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// layouts are the columns and rows of a sheet for upright pages; for wide pages they are swapped.
var layouts = map[int]struct{ columns, rows int }{2: {2, 1}, 4: {2, 2}, 6: {3, 2}, 8: {4, 2}, 9: {3, 3}, 16: {4, 4}}

// pagesPerSheet puts several pages on each sheet of the size of the first page. The pages stay as they are drawn, and
// their text stays text: each becomes a form XObject (ISO 32000-1, 8.10) that its sheet shows smaller. Links are lost.
func (d Documents) pagesPerSheet(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	path, pages, err := d.opened(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	count, ok := toolbox.Param[int](c, "count")
	if !ok {
		count = 2
	}
	layout, ok := layouts[count]
	if !ok {
		return toolbox.Output{}, plan.Refusal("A sheet can have 2, 4, 6, 8, 9 or 16 pages, not %d.", count)
	}
	width, height := pages[0].Width, pages[0].Height
	if width > height {
		layout.columns, layout.rows = layout.rows, layout.columns
	}
	if layout.columns != layout.rows {
		width, height = height, width
	}
	// One stream for each page, turned upright, with its notes and fields drawn into it.
	flat, err := d.QPDF(ctx, c, "flat.pdf", path, "--flatten-annotations=all", "--generate-appearances", "--flatten-rotation",
		"--coalesce-contents", path, "--pages", ".", "1-z", "--")
	if err != nil {
		return toolbox.Output{}, err
	}
	all, err := d.objectsOf(ctx, c, flat, "objects.json", "--json-key=pages", "--json-stream-data=none")
	if err != nil {
		return toolbox.Output{}, err
	}
	changes, err := imposed(all, layout.columns, layout.rows, width, height)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("%q is damaged: it cannot be read as a PDF document.", filepath.Base(path)), Err: err, Final: true,
		}
	}
	made, err := d.changed(ctx, c, flat, "sheets.pdf", all.header, changes)
	return toolbox.Output{Path: made, About: plan.Say("with %d pages on a sheet", count)}, err
}

// imposed returns the changes that put the pages of a document on sheets. The pages are upright, each with one stream.
func imposed(all objects, columns, rows int, width, height float64) (map[string]any, error) {
	var header struct {
		Next int `json:"maxobjectid"`
	}
	if err := parse(all.header, &header); err != nil {
		return nil, err
	}
	next := header.Next
	const gap = 0.02 // of the sheet's shorter side, around each page
	around := gap * min(width, height)
	cellWidth, cellHeight := width/float64(columns), height/float64(rows)
	changes := map[string]any{}
	var sheets []string
	var tree string
	for first := 0; first < len(all.pages); first += columns * rows {
		shown, drawn := object{}, strings.Builder{}
		for i, p := range all.pages[first:min(first+columns*rows, len(all.pages))] {
			page, _, err := all.get(p.Object)
			if err != nil {
				return nil, err
			}
			if parent, ok := page["/Parent"].(string); ok && tree == "" {
				tree = parent
			}
			box, ok := boxOf(page)
			if !ok {
				return nil, fmt.Errorf("page %d has no size", first+i+1)
			}
			if len(p.Contents) != 1 { // empty
				continue
			}
			_, stream, err := all.get(p.Contents[0])
			if err != nil {
				return nil, err
			}
			changes["obj:"+p.Contents[0]] = object{"stream": object{"dict": formOf(page, stream, box)}}
			w, h := box[2]-box[0], box[3]-box[1]
			scale := min((cellWidth-2*around)/w, (cellHeight-2*around)/h)
			x := cellWidth*float64(i%columns) + (cellWidth-scale*w)/2 - scale*box[0]
			y := height - cellHeight*float64(i/columns+1) + (cellHeight-scale*h)/2 - scale*box[1]
			name := "/P" + strconv.Itoa(i)
			shown[name] = p.Contents[0]
			fmt.Fprintf(&drawn, "q %.5f 0 0 %.5f %.3f %.3f cm %s Do Q\n", scale, scale, x, y, name)
		}
		next++
		content := fmt.Sprintf("%d 0 R", next)
		sheet := all.pages[first].Object
		sheets = append(sheets, sheet)
		changes["obj:"+content] = object{"stream": object{"dict": object{}, "data": base64.StdEncoding.EncodeToString([]byte(drawn.String()))}}
		changes["obj:"+sheet] = object{"value": object{
			"/Type": "/Page", "/Parent": tree, "/MediaBox": []float64{0, 0, width, height}, "/Contents": content,
			"/Resources": object{"/XObject": shown},
		}}
	}
	changes["obj:"+tree] = object{"value": object{"/Type": "/Pages", "/Count": len(sheets), "/Kids": sheets}}
	return changes, nil
}

// formOf returns the dictionary of a page's stream as that of a form, which can be drawn on a sheet.
func formOf(page, stream object, box [4]float64) object {
	form := maps.Clone(stream)
	form["/Type"], form["/Subtype"], form["/BBox"] = "/XObject", "/Form", box
	for _, key := range []string{"/Resources", "/Group"} {
		if v, ok := page[key]; ok {
			form[key] = v
		}
	}
	return form
}

// boxOf returns the visible part of a page, in points: left, bottom, right and top.
func boxOf(page object) (box [4]float64, ok bool) {
	for _, key := range []string{"/CropBox", "/MediaBox"} {
		sides, isList := page[key].([]any)
		if !isList || len(sides) != 4 {
			continue
		}
		for i, side := range sides {
			number, isNumber := side.(json.Number)
			if !isNumber {
				return box, false
			}
			var err error
			if box[i], err = number.Float64(); err != nil {
				return box, false
			}
		}
		box = [4]float64{min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])}
		return box, box[2] > box[0] && box[3] > box[1]
	}
	return box, false
}
