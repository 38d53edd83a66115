package web

import (
	"time"

	"atelier/adapters"
)

// What the tests show: every kind of message, file and state at least once.

var noon = time.Date(2026, 3, 14, 12, 5, 0, 0, time.UTC)

func samplePage() pageView {
	return pageView{
		Language: "en", Title: "Edges of the harbour picture", Me: adapters.Person{ID: "p1", Name: "Mina"}, CanLeave: true,
		MaxFile: 100_000_000, MaxFiles: 10,
		Threads: []threadLine{
			{ID: "t1", Title: "Edges of the harbour picture", At: noon, Open: true, Busy: true},
			{ID: "t2", Title: "把这张照片变成卡通 🎨", At: noon.Add(-3 * time.Hour)},
			{ID: "t3", Title: "A very long title of a thread that does not fit into the list at the left of the page", At: noon.Add(-30 * time.Hour)},
			{ID: "t4", Title: "", At: noon.Add(-300 * time.Hour)},
		},
	}
}

func sampleThread() pageView {
	v := samplePage()
	v.Thread = &threadView{ID: "t1", Title: v.Title, Position: 41, Messages: sampleMessages(), CanForget: true}
	return v
}

func sampleEmpty() pageView {
	v := samplePage()
	v.Fresh, v.Title = "fresh0000000000000", ""
	v.Threads[0].Open, v.Threads[0].Busy = false, false
	v.Examples = []Example{
		{Wish: "Show me the edges of this picture", Needs: "image"}, {Wish: "What is in this picture?", Needs: "image"},
		{Wish: "Cut out the first ten seconds and turn them into a GIF", Needs: "video"}, {Wish: "What does this recording say?", Needs: "audio"},
		{Wish: "Make a web page about the harbour of Rotterdam"}, {Wish: "把这张照片变成卡通", Needs: "image"},
	}
	return v
}

func sampleTools() pageView {
	v := samplePage()
	v.Title = "Tools"
	v.Threads[0].Open = false
	v.Tools = []Tool{
		{Name: "edge_detection", Domain: "image-perception", Description: "Finds the edges in a picture and draws them white on black.", Takes: []string{"image"}, Makes: "edge", Live: true, By: "native", Examples: []string{"Show me the edges", "把边缘画出来"}},
		{Name: "image_captioning", Domain: "image-perception", Description: "Says in a sentence what a picture shows.", Takes: []string{"image"}, Makes: "text", Why: "It needs a model: set OPENAI_API_KEY, or run the GPU tool server."},
		{Name: "mask_image", Domain: "image-processing", Description: "Keeps what lies under a mask.", Takes: []string{"image", "mask"}, Makes: "image", Live: true, By: "native", Examples: []string{"Keep only the marked part"}},
		{Name: "weather_report", Domain: "general", Description: "Tells the weather of a place at a time.", Takes: []string{"location", "time"}, Makes: "weather", Why: "No backend of it is set."},
		{Name: "text_to_speech", Domain: "audio", Description: "Reads a text aloud.", Takes: []string{"text"}, Makes: "audio", Live: true, By: "espeak-ng", Examples: []string{"Read this aloud"}},
		{Name: "noise", Domain: "audio", Description: "Makes noise out of nothing.", Makes: "audio", Live: true, By: "native"},
	}
	return v
}

func sampleMessages() []messageView {
	act := func(m messageView) messageView {
		m.Thread, m.ActURL = "t1", "/t/t1/messages/"+m.ID+"/act"
		return m
	}
	picture := fileView{Name: "harbour.png", Alt: "The harbour in the evening", Size: 1_250_000, Kind: "image", Type: "image/png", URL: "/picture.png", Download: "/picture.png?download", Width: 640, Height: 400, Mark: "file:u1"}
	edges := picture
	edges.Name, edges.Alt, edges.Mark, edges.Note = "harbour-3f2a.edge-91bc.png", "White lines on black: ships and cranes", "picture:harbour-3f2a.edge-91bc.png", "made smaller to be shown"
	wide := picture
	wide.Name, wide.URL, wide.Mark = "港口😀.png", "/wide.png", "file:u2"
	wide.Width, wide.Height = 900, 200
	return []messageView{
		act(messageView{ID: "a1", By: "Mina", Mine: true, At: noon, Text: plainText("Show me the edges of this picture,\nand say what is in it 🙂"), Files: []fileView{picture}, Status: adapters.Done}),
		act(messageView{ID: "a2", At: noon.Add(time.Second), ReplyTo: "a1", Progress: &adapters.Progress{Title: "Done in 2 steps", Ended: true, Steps: []adapters.ProgressStep{
			{Key: "1", Text: "find the edges", State: adapters.StepDone, Took: 320 * time.Millisecond}, {Key: "2", Text: "say what it shows", State: adapters.StepFailed, Took: 2 * time.Second}}}}),
		act(messageView{ID: "a3", At: noon.Add(5 * time.Second), ReplyTo: "a1", Language: "en", Text: renderText("Here are the **edges**, found by `canny`.\n\n- two ships\n- a crane\n  - with a *hook*\n\n> It was dark.\n\n```go\nfunc main() { fmt.Println(\"a very long line of code that does not fit into the width of a small telephone's window\") }\n```\nMore is [told here](https://example.com/a)."),
			Files:    []fileView{edges},
			Choices:  []choiceView{{Number: 1, Text: "with a softer line (HED)", Ready: true}, {Number: 2, Text: "as a scribble", Ready: true, Pressed: 1, Mine: true}, {Number: 3, Text: "by another model, which is slower and takes a long text to say so", Ready: false}},
			CanAgain: true, CanRemove: true, HasWork: true, WorkURL: "/t/t1/messages/a3/work"}),
		act(messageView{ID: "a4", By: "李雷", At: noon.Add(time.Minute), Text: plainText("能不能把这两张图拼在一起？谢谢！"), Files: []fileView{picture, wide}, Status: adapters.Asking, Marks: []markView{{Name: "harbour.png", Points: 2, Boxes: 1, Masks: 1, Drawn: &markedView{
			ID: "a4-0", Picture: "/picture.png", Mask: "/painted.png", Width: 640, Height: 400,
			Points: []adapters.Point{{X: 120, Y: 90}, {X: 300, Y: 320, Exclude: true}}, Boxes: []boxView{{380, 60, 200, 220}},
		}}, {Name: "gone.png", Points: 1}}}),
		act(messageView{ID: "a5", At: noon.Add(2 * time.Minute), ReplyTo: "a4", Language: "zh-Hans", Text: renderText("横着拼，还是竖着拼？")}),
		act(messageView{ID: "a6", At: noon.Add(3 * time.Minute), ReplyTo: "a4", Text: renderText("A film, a sound, a page and a table."), CanAgain: true, Files: []fileView{
			{Name: "harbour.mp4", Size: 4_200_000, Kind: "video", Type: "video/mp4", URL: "/none.mp4", Download: "/none.mp4?download", Width: 640, Height: 360},
			{Name: "waves.mp3", Size: 320_000, Kind: "audio", Type: "audio/mpeg", URL: "/none.mp3", Download: "/none.mp3?download"},
			{Name: "harbour.html", Size: 9_000, Kind: "page", Type: "text/html", URL: "/page.html", Download: "/page.html?download"},
			{Name: "table.csv", Size: 812, Kind: "text", Type: "text/csv", URL: "/table.csv", Download: "/table.csv?download"}}}),
		act(messageView{ID: "a7", Removed: true, At: noon.Add(4 * time.Minute)}),
		act(messageView{ID: "a8", By: "Mina", Mine: true, At: noon.Add(5 * time.Minute), Text: plainText("Now a cartoon of it, please."), Status: adapters.Seen, ReplyTo: "a3"}),
		act(messageView{ID: "a9", At: noon.Add(5 * time.Minute), ReplyTo: "a8", CanStop: true, Progress: &adapters.Progress{Title: "Working on it", Steps: []adapters.ProgressStep{
			{Key: "1", Text: "find the edges", State: adapters.StepDone, Took: 320 * time.Millisecond}, {Key: "2", Text: "draw a cartoon", State: adapters.StepRunning},
			{Key: "3", Text: "make it larger", State: adapters.StepWaiting}, {Key: "4", Text: "read it aloud", State: adapters.StepSkipped}, {Key: "5", Text: "say what it shows", State: adapters.StepFailed, Took: 12 * time.Second}}}}),
	}
}

func sampleWork() Work {
	return Work{Steps: []Step{
		{Tool: "edge_detection", State: adapters.StepDone, Took: 320 * time.Millisecond, Takes: []Flow{{Name: "harbour.png", Type: "image", From: -1, Argument: "image"}}, Makes: []Flow{{Name: "harbour-3f2a.edge-91bc.png", Type: "edge"}}},
		{Tool: "image_captioning", Model: "llava-1.6", State: adapters.StepDone, Took: 2100 * time.Millisecond, Takes: []Flow{{Name: "harbour.png", Type: "image", From: -1, Argument: "image"}}, Makes: []Flow{{Name: "caption-11", Type: "text"}}},
		{Tool: "edge_to_image", Model: "controlnet-canny", State: adapters.StepDone, Took: 14 * time.Second, Takes: []Flow{
			{Name: "harbour-3f2a.edge-91bc.png", Type: "edge", From: 0, Argument: "edge"}, {Type: "text", Text: "a cartoon of a harbour in the evening", From: -1, Argument: "prompt"}}, Makes: []Flow{{Name: "harbour-3f2a.image-77aa.png", Type: "image"}}},
		{Tool: "text_to_speech", State: adapters.StepFailed, Took: time.Second, Problem: "The voice is not installed.", Takes: []Flow{{Name: "caption-11", Type: "text", From: 1, Argument: "text"}}, Makes: []Flow{{Type: "audio"}}},
		{Tool: "image_audio_to_video", State: adapters.StepSkipped, Takes: []Flow{{Name: "harbour-3f2a.image-77aa.png", Type: "image", From: 2, Argument: "image"}, {Type: "audio", From: 3, Argument: "audio"}, {Name: "港口的声音.mp3", Type: "audio", From: -1, Argument: "audio"}}, Makes: []Flow{{Type: "video"}}},
		{Tool: "make_by_program", State: adapters.StepDone, Took: 2 * time.Second, Program: "from PIL import Image\nfor given in INPUTS:\n    Image.open(given[\"path\"]).save(OUT + \"/grid.png\")  # & <b>",
			Takes: []Flow{{Name: "harbour.png", Type: "image", From: -1, Argument: "files"}}, Makes: []Flow{{Name: "grid-1.png", Type: "image"}}},
	}}
}
