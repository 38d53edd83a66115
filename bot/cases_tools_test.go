package main

import (
	"archive/zip"
	"fmt"
	"image"
	"image/color"
	"os"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/localai/localaitest"
	"atelier/agent/toolbox/media"
	natives "atelier/agent/toolbox/native/document"
	"atelier/agent/toolbox/openai/openaitest"
	"atelier/agent/toolbox/program/document"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

// TestEveryToolRuns runs each tool of the catalogue once on its first backend: the program's own code, Debian's
// programs, or a local server.
func TestEveryToolRuns(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	env := append(clitest.SkyEnv(t), "TOOL_SERVER_URL="+hftasktest.New(t, hftasktest.Config{}).URL(),
		"LOCALAI_URL="+localaitest.New(t, localaitest.Config{Chat: openaitest.New(t).URL()}).URL())
	config, err := settings.Read(env, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := bottest.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := workshop.Workshop{Config: config}.Toolbox(t.Context(), catalogue)
	if err != nil {
		t.Fatal(err)
	}
	things := newThings(t)
	for _, tool := range catalogue.Tools() {
		if tool.Name == "document_to_pdf" && !document.ReadsOffice() {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			c := things.call(t, tool)
			made, err := tools.Run(t.Context(), tool.Name, "", c, nil)
			if err != nil {
				t.Fatalf("%v: %v", plan.Sentence(err, plan.Message{}), err)
			}
			if len(made.Failed) > 0 && tool.Name != "optical_character_recognition" { // nothing is written there
				t.Errorf("%s ran after others: %v", made.Candidate, made.Failed)
			}
			promised(t, tool, made)
		})
	}
}

// promised checks that the output has the type that the tool returns.
func promised(t *testing.T, tool toolbox.Tool, made toolbox.Made) {
	t.Helper()
	if !tool.Returns.Media() {
		if made.Value == "" || made.Path != "" {
			t.Errorf("%s made %q in %q", made.Candidate, made.Value, made.Path)
		}
		return
	}
	if tool.Returns == plan.HTML {
		measure{Type: "html", Has: []string{"<video"}}.judge(t, made.Path)
		return
	}
	if tool.Returns == plan.Archive {
		z, err := zip.OpenReader(made.Path)
		if err != nil || len(z.File) != 2 {
			t.Fatalf("%s made no archive of two files: %v", made.Candidate, err)
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
		return
	}
	info, err := media.Inspect(t.Context(), made.Path, media.Limits{Office: true})
	if err != nil || !tool.Returns.Fits(info.Type) {
		t.Errorf("%s made %+v: %v", made.Candidate, info, err)
	}
}

// twoPages is a document of two pages with text.
const twoPages = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n" +
	"2 0 obj\n<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>\nendobj\n" +
	"3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] /Resources << /Font << /F 5 0 R >> >> /Contents 6 0 R >>\nendobj\n" +
	"4 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] /Resources << /Font << /F 5 0 R >> >> /Contents 6 0 R >>\nendobj\n" +
	"5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n" +
	"6 0 obj\n<< /Length 35 >>\nstream\nBT /F 18 Tf 20 250 Td (Hello) Tj ET\nendstream\nendobj\n" +
	"trailer\n<< /Size 7 /Root 1 0 R >>\n%%EOF\n"

// things has a value of each type that tools take.
type things map[plan.Type]toolbox.Value

func newThings(t *testing.T) things {
	t.Helper()
	dir := t.TempDir()
	file := func(of plan.Type, name, path string) toolbox.Value {
		return toolbox.Value{Resource: plan.Resource{Name: name, Type: of}, Path: path}
	}
	small := func(of plan.Type, value string) toolbox.Value {
		return toolbox.Value{Resource: plan.Resource{Name: string(of), Type: of, Value: value}}
	}
	mask := image.NewPaletted(image.Rect(0, 0, 320, 240), color.Palette{color.Black, color.White})
	for y := 40; y <= 120; y++ {
		for x := 40; x <= 120; x++ {
			mask.SetColorIndex(x, y, 1)
		}
	}
	writePNG(t, dir+"/mask.png", mask)
	film := dir + "/film.mp4"
	tool(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=8:duration=2",
		"-f", "lavfi", "-i", "sine=frequency=440:duration=2", "-pix_fmt", "yuv420p", film)
	pages := dir + "/pages.pdf"
	if err := os.WriteFile(pages, []byte(twoPages), 0o600); err != nil {
		t.Fatal(err)
	}
	masked := file(plan.Mask, "mask.png", dir+"/mask.png")
	masked.Value = `[{"label":"ball","score":0.9}]`
	tool(t, "pdftoppm", "-r", "200", "-png", "-singlefile", pages, dir+"/page")
	scan, err := natives.Operations(media.Limits{})["image_to_pdf"](t.Context(), toolbox.Call{Dir: dir, Args: map[string][]toolbox.Value{
		"image": {file(plan.Image, "page.png", dir+"/page.png")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	loose := dir + "/loose.pdf" // which can be made smaller
	tool(t, "qpdf", "--warning-exit-0", "--qdf", pages, loose)
	code := dir + "/code.png"
	tool(t, "qrencode", "-o", code, "-s", "8", "https://example.org")
	animation := dir + "/animation.gif"
	tool(t, "ffmpeg", "-v", "error", "-i", film, "-t", "1", animation)
	barred := dir + "/barred.mp4"
	tool(t, "ffmpeg", "-v", "error", "-i", film, "-vf", "pad=160:200:0:40", barred)
	song, subtitled := dir+"/song.mp3", dir+"/subtitled.mkv"
	tool(t, "ffmpeg", "-v", "error", "-i", film, song)
	tool(t, "ffmpeg", "-v", "error", "-i", film, "-i", "data:text/plain;base64,MQowMDowMDowMCw1MDAgLS0+IDAwOjAwOjAxLDUwMApIZWxsbwo=", subtitled)
	long := dir + "/long.wav"
	tool(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=30", long)
	return things{
		// values for one tool, by its name
		"mute_audio":             file(plan.Audio, "long.wav", long),
		"crop_black_bars":        file(plan.Video, "barred.mp4", barred),
		"document_to_pdf":        file(plan.Document, "letter.docx", "../agent/toolbox/program/testdata/letter.docx"),
		"compress_pdf":           file(plan.Document, "loose.pdf", loose),
		"read_code":              file(plan.Image, "code.png", code),
		"animation_to_video":     file(plan.Image, "animation.gif", animation),
		"split_animation":        file(plan.Image, "animation.gif", animation),
		"reverse_animation":      file(plan.Image, "animation.gif", animation),
		"change_animation_speed": file(plan.Image, "animation.gif", animation),
		"change_animation_rate":  file(plan.Image, "animation.gif", animation),
		"cut_animation":          file(plan.Image, "animation.gif", animation),
		"ocr_pdf":                file(plan.Document, "scan.pdf", scan.Path),
		"set_cover":              file(plan.Audio, "song.mp3", song),
		"extract_subtitles":      file(plan.Video, "subtitled.mkv", subtitled),

		plan.Image:    file(plan.Image, "scene.png", prop(t, dir, "scene.png", "scene")),
		plan.Mask:     masked,
		plan.Document: file(plan.Document, "pages.pdf", pages),
		plan.Video:    file(plan.Video, "film.mp4", film),
		plan.Audio:    file(plan.Audio, "voice.wav", prop(t, dir, "voice.wav", "voice hello world")),
		plan.BBox:     small(plan.BBox, `[{"label":"ball","score":0.9,"xmin":40,"ymin":40,"xmax":120,"ymax":120}]`),
		plan.Points:   small(plan.Points, `[{"x":80,"y":80}]`),
		plan.Category: small(plan.Category, `[{"label":"ball","score":0.9}]`),
		plan.Tags:     small(plan.Tags, "ball, car"),
		plan.Title:    small(plan.Title, "A ball and a car"),
		plan.Location: small(plan.Location, "Bergen"),
	}
}

// call returns a call of a tool with its required arguments.
func (all things) call(t *testing.T, tool toolbox.Tool) toolbox.Call {
	t.Helper()
	c := toolbox.Call{Tool: tool.Name, Returns: tool.Returns, Args: map[string][]toolbox.Value{}, Dir: t.TempDir(), Seed: 1}
	for _, a := range tool.Args {
		if a.Optional && said[tool.Name+"."+a.Name] == "" {
			continue
		}
		v := all.value(t, tool, a)
		c.Args[a.Name] = []toolbox.Value{v}
		if a.Many {
			c.Args[a.Name] = []toolbox.Value{v, v}
		}
	}
	return c
}

// said are the values of text arguments, by tool and argument, or by the argument alone.
var said = map[string]string{
	"text": "Ann was glad to meet Bob in Lisbon on a sunny day. They had a wonderful time.", "caption": "Hello", "subtitles": "Hello there",
	"prompt": "a calm piano piece", "instruction": "make it a cartoon", "question": "how many things are there?", "object": "ball",
	"table": "name,age\nAnn,31\nBob,27", "language": "German", "factor": "2x", "opacity": "50%", "limit": "20 KB", "size": "100x75", "range": "0:00-0:01",
	"adjustment": "brighter", "region": "left half", "place": "Lisbon",
	"extract_pages.pages": "1", "convert_image.format": "jpg", "convert_audio.format": "wav", "convert_video.format": "mov",
	"table_statistics.column": "age", "sort_table.column": "age", "filter_table.condition": "age over 30", "pick_columns.columns": "age", "table_statistics.by": "age", "sort_table.by": "age",
	"html_to_text.text": `<p>Hello</p>`, "format_json.json": `{"name":"Ann"}`, "format_json.text": `{"name":"Ann"}`, "change_bit_rate.rate": "128 kbps", "adjust_bass_treble.band": "bass", "change_opacity.opacity": "50%",
	"redact_text.text":       "Write to ann@example.org, on 2026-11-25 or +44 20 7946 0958: https://example.org/1",
	"extract_from_text.text": "Write to ann@example.org, on 2026-11-25 or +44 20 7946 0958: https://example.org/1",
	"find_lines.find":        "Lisbon", "meme_text.top": "hello", "meme_text.bottom": "world",
	"join_tables.tables": "name,age\nAnn,31\nBob,27", "shift_sound.by": "0.3 s", "shift_subtitles.by": "0.3 s", "shift_subtitles.way": "late",
	"shift_subtitles.subtitles": "0:01 Hello there", "insert_sound.at": "0:00.5", "insert_sound_video.at": "0:00.5", "cut_animation.range": "0:00-0:00.5",
	"fit_video_size.limit": "1 MB", "get_time.place": "Lisbon",
}

// value returns the value of an argument of a tool.
func (all things) value(t *testing.T, tool toolbox.Tool, a toolbox.Arg) toolbox.Value {
	t.Helper()
	if own, ok := all[plan.Type(tool.Name)]; ok && a.Type == own.Type {
		return own
	}
	if a.Type == plan.AnyFile {
		return all[plan.Image]
	}
	if v, ok := all[a.Type]; ok {
		return v
	}
	if a.Type.Fits(plan.Image) { // a map of some kind
		v := all[plan.Image]
		v.Type = a.Type
		return v
	}
	if a.Type == plan.Weather {
		return toolbox.Value{Resource: plan.Resource{Type: a.Type, Value: `{"place":"Lisbon","temperature":21}`}}
	}
	text, ok := said[tool.Name+"."+a.Name]
	if !ok {
		text, ok = said[a.Name]
	}
	if !ok && a.Param != nil {
		text, ok = a.Param.Type.Examples()[0], true
		for choice := range a.Param.Choices {
			text = choice
		}
	}
	if !ok || a.Type != plan.Text {
		t.Fatal(strings.TrimSpace(fmt.Sprintf("there is nothing for the %s %s", a.Type, a.Name)))
	}
	return toolbox.Value{Resource: plan.Resource{Type: a.Type, Value: text}}
}
