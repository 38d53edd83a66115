package web

import (
	"encoding/json"
	"errors"
	"os"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/drawing"
	"atelier/adapters/web/markup"
	"atelier/adapters/web/page"
)

// The sample: every kind of message, file and state at least once.

var noon = time.Date(2026, 3, 14, 12, 5, 0, 0, time.UTC)

func samplePage() page.View {
	return page.View{
		Language: "en", Title: "Edges of the harbour picture", Me: adapters.Person{ID: "p1", Name: "Mina"}, CanLeave: true,
		MaxFile: 100_000_000, MaxFiles: 10,
		Threads: []page.ThreadLine{
			{ID: "t1", Title: "Edges of the harbour picture", At: noon, Open: true, Busy: true},
			{ID: "t2", Title: "把这张照片变成卡通 🎨", At: noon.Add(-3 * time.Hour), Picture: "/picture.png"},
			{ID: "t3", Title: "A very long title of a thread that does not fit into the list at the left of the page", At: noon.Add(-30 * time.Hour)},
			{ID: "t4", Title: "", At: noon.Add(-300 * time.Hour)},
		},
	}
}

func sampleThread() page.View {
	v := samplePage()
	v.Thread = &page.Thread{ID: "t1", Title: v.Title, Position: 41, Messages: sampleMessages(), CanForget: true}
	return v
}

func sampleEmpty() page.View {
	v := samplePage()
	v.Fresh, v.Title = "fresh0000000000000", ""
	v.Threads[0].Open, v.Threads[0].Busy = false, false
	v.Examples = []page.Example{
		{Wish: "Show me the edges of this picture", Needs: "image"}, {Wish: "What is in this picture?", Needs: "image"},
		{Wish: "Cut out the first ten seconds and turn them into a GIF", Needs: "video"}, {Wish: "What does this recording say?", Needs: "audio"},
		{Wish: "Make a web page about the harbour of Rotterdam"}, {Wish: "把这张照片变成卡通", Needs: "image"},
	}
	return v
}

func sampleTools() page.View {
	v := samplePage()
	v.Title = "Tools"
	v.Threads[0].Open = false
	tools := []page.Tool{
		{Name: "edge_detection", Domain: "image-perception", Description: "Finds the edges in a picture and draws them white on black.", Takes: []string{"image"}, Makes: "edge", Live: true, By: "native", Examples: []string{"Show me the edges", "把边缘画出来"}, Try: &page.Example{Wish: "Show me the edges", Needs: "image"}},
		{Name: "image_captioning", Domain: "image-perception", Description: "Says in a sentence what a picture shows.", Takes: []string{"image"}, Makes: "text", Why: "It needs a model: set OPENAI_API_KEY, or run the GPU tool server."},
		{Name: "mask_image", Domain: "image-processing", Description: "Keeps what lies under a mask.", Takes: []string{"image", "mask"}, Makes: "image", Live: true, By: "native", Examples: []string{"Keep only the marked part"}},
		{Name: "weather_report", Domain: "general", Description: "Tells the weather of a place at a time.", Takes: []string{"location", "time"}, Makes: "weather", Why: "No backend of it is set."},
		{Name: "text_to_speech", Domain: "audio", Description: "Reads a text aloud.", Takes: []string{"text"}, Makes: "audio", Live: true, By: "espeak-ng", Examples: []string{"Read this aloud"}},
		{Name: "noise", Domain: "audio", Description: "Makes noise out of nothing.", Makes: "audio", Live: true, By: "native"},
	}
	v.Tools = page.ListOf("", tools, tools)
	return v
}

func sampleMessages() []page.Message {
	act := func(m page.Message) page.Message {
		m.Thread, m.ActURL = "t1", "/t/t1/messages/"+m.ID+"/act"
		return m
	}
	picture := page.File{Name: "harbour.png", Alt: "The harbour in the evening", Size: 1_250_000, Kind: "image", Type: "image/png", URL: "/picture.png", Download: "/picture.png?download", Width: 640, Height: 400, Mark: "file:u1", Use: "u1"}
	edges := picture
	edges.Name, edges.Alt, edges.Mark, edges.Note = "harbour-3f2a.edge-91bc.png", "White lines on black: ships and cranes", "picture:harbour-3f2a.edge-91bc.png", "made smaller to be shown"
	edges.Use = "bot-00000000000000000000000000000000.0"
	wide := picture
	wide.Name, wide.URL, wide.Mark = "港口😀.png", "/wide.png", "file:u2"
	wide.Width, wide.Height = 900, 200
	return []page.Message{
		act(page.Message{ID: "a1", By: "Mina", Mine: true, At: noon, Text: markup.Plain("Show me the edges of this picture,\nand say what is in it 🙂"), Files: []page.File{picture}, Status: adapters.Done, CanEdit: true}),
		act(page.Message{ID: "a2", At: noon.Add(time.Second), ReplyTo: "a1", Shown: true, Progress: &adapters.Progress{Title: "Done in 2 steps", Ended: true, Steps: []adapters.ProgressStep{
			{Key: "1", Text: "find the edges", State: adapters.StepDone, Took: 320 * time.Millisecond}, {Key: "2", Text: "say what it shows", State: adapters.StepFailed, Took: 2 * time.Second}}}}),
		act(page.Message{ID: "a3", At: noon.Add(5 * time.Second), ReplyTo: "a1", Language: "en", Text: markup.Markdown("Here are the **edges**, found by `canny`.\n\n- two ships\n- a crane\n  - with a *hook*\n\n> It was dark.\n\n```go\nfunc main() { fmt.Println(\"a very long line of code that does not fit into the width of a small telephone's window\") }\n```\nMore is [told here](https://example.com/a)."),
			Files:    []page.File{edges},
			Choices:  []page.Choice{{Number: 1, Text: "with a softer line (HED)", Ready: true}, {Number: 2, Text: "as a scribble", Ready: true, Pressed: 1, Mine: true}, {Number: 3, Text: "by another model, which is slower and takes a long text to say so", Ready: false}},
			Run:      &adapters.Progress{Ended: true, Steps: []adapters.ProgressStep{{Key: "1", Text: "find the edges", State: adapters.StepDone, Took: 320 * time.Millisecond}, {Key: "2", Text: "say what it shows", State: adapters.StepFailed, Took: 2 * time.Second}}},
			CanAgain: true, CanRemove: true, HasWork: true, WorkURL: "/t/t1/messages/a3/work"}),
		act(page.Message{ID: "a4", By: "李雷", At: noon.Add(time.Minute), Text: markup.Plain("能不能把这两张图拼在一起？谢谢！"), Files: []page.File{picture, wide}, Status: adapters.Asking, Marks: []page.Mark{{Name: "harbour.png", Points: 2, Boxes: 1, Masks: 1, Drawn: &page.Marked{
			ID: "a4-0", Picture: "/picture.png", Mask: "/painted.png", Width: 640, Height: 400,
			Points: []adapters.Point{{X: 120, Y: 90}, {X: 300, Y: 320, Exclude: true}}, Boxes: []page.Box{{X: 380, Y: 60, W: 200, H: 220}},
		}}, {Name: "gone.png", Points: 1}}}),
		act(page.Message{ID: "a5", At: noon.Add(2 * time.Minute), ReplyTo: "a4", Language: "zh-Hans", Text: markup.Markdown("横着拼，还是竖着拼？"),
			Examples: []page.Example{{Wish: "make it black and white", Needs: "image"}, {Wish: "make a GIF of it", Needs: "video"}, {Wish: "make a QR code for https://example.com"}}}),
		act(page.Message{ID: "a6", At: noon.Add(3 * time.Minute), ReplyTo: "a4", Text: markup.Markdown("A film, a sound, a page and a table."), CanAgain: true, AllURL: "/t/t1/messages/a6/all.zip", Files: []page.File{
			{Name: "harbour.mp4", Size: 4_200_000, Kind: "video", Type: "video/mp4", URL: "/none.mp4", Download: "/none.mp4?download", Use: "u3", Width: 640, Height: 360},
			{Name: "waves.mp3", Size: 320_000, Kind: "audio", Type: "audio/mpeg", URL: "/none.mp3", Download: "/none.mp3?download", Use: "u4"},
			{Name: "harbour.html", Size: 9_000, Kind: "page", Type: "text/html", URL: "/page.html", Download: "/page.html?download"},
			{Name: "table.csv", Size: 812, Kind: "text", Type: "text/csv", URL: "/table.csv", Download: "/table.csv?download", Use: "u5"}}}),
		act(page.Message{ID: "a7", Removed: true, At: noon.Add(4 * time.Minute)}),
		act(page.Message{ID: "a8", By: "Mina", Mine: true, At: noon.Add(5 * time.Minute), Text: markup.Plain("Now a cartoon of it, please."), Status: adapters.Seen, ReplyTo: "a3", CanEdit: true}),
		act(page.Message{ID: "a9", At: noon.Add(5 * time.Minute), ReplyTo: "a8", CanStop: true, Progress: &adapters.Progress{Title: "Working on it", Steps: []adapters.ProgressStep{
			{Key: "1", Text: "find the edges", State: adapters.StepDone, Took: 320 * time.Millisecond}, {Key: "2", Text: "draw a cartoon", State: adapters.StepRunning},
			{Key: "3", Text: "make it larger", State: adapters.StepWaiting}, {Key: "4", Text: "read it aloud", State: adapters.StepSkipped}, {Key: "5", Text: "say what it shows", State: adapters.StepFailed, Took: 12 * time.Second}}}}),
	}
}

// sampleWork is the sample of the drawing's own tests.
func sampleWork() drawing.Work {
	var w drawing.Work
	b, err := os.ReadFile("drawing/testdata/work.json")
	if err := errors.Join(err, json.Unmarshal(b, &w)); err != nil { //nolint:musttag // the names of the fields are as good
		panic(err)
	}
	return w
}
