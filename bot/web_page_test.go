package main

import (
	"bytes"
	"os"
	"testing"
	"time"

	"atelier/adapters/web/browsertest"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/bot/clitest"
)

// TestBrowserGreeting sends a greeting, and tries an example of the answer with one click.
func TestBrowserGreeting(t *testing.T) {
	t.Parallel()
	k := sits(t, browsertest.Start(t), clitest.OpenWeb(t, t.TempDir(), "127.0.0.1:0"))
	k.says("hi")
	k.Wait(`document.querySelectorAll("article.bot [data-run]").length === 3`)
	k.Screenshot("greeting")
	k.Script(`[...document.querySelectorAll("article.bot [data-run]")].find((b) => b.dataset.sample?.endsWith(".jpg")).click()`)
	k.answered()
	k.Screenshot("greeting-tried")
	if n := browsertest.Eval[int](k.Page, `document.querySelectorAll("article.mine").length`); n != 2 {
		t.Errorf("the thread has %d messages of the person", n)
	}
}

// TestBrowserNewcomer does what a newcomer without a file does: run an example with one click, use its result,
// edit the request, rename the thread, see the gallery, and delete the thread.
func TestBrowserNewcomer(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	o := clitest.OpenWeb(t, data, "127.0.0.1:0")
	k := sits(t, browsertest.Start(t), o)
	k.Screenshot("newcomer")
	k.Script(`[...document.querySelectorAll("[data-run]")].find((b) => b.dataset.sample?.endsWith(".jpg")).click()`)
	k.answered()
	k.Wait(`document.querySelector(".thread-picture")?.complete && document.querySelector(".thread-picture").naturalWidth === 96`)
	k.Screenshot("newcomer-answered")
	if n := browsertest.Eval[int](k.Page, `[...document.querySelectorAll("article.bot")].filter((m) => m.checkVisibility()).length`); n != 1 {
		t.Errorf("the answer is %d bubbles", n)
	}

	k.Script(`[...document.querySelectorAll("article.bot [data-use]")].pop().click()`)
	k.says("make it black and white")
	grey := k.answered()
	k.Script(`document.getElementById("text").focus()`)
	k.Key("\u0304") // the up key
	k.Wait(`document.getElementById("text").value === "make it black and white" && document.querySelector(".chip")`)
	k.Script(`document.getElementById("text").value = ""`)
	k.says("rotate it by 90 degrees")
	turned := k.answered()
	if a, b := grey.Bounds(), turned.Bounds(); a.Dx() != b.Dy() || a.Dy() != b.Dx() {
		t.Errorf("%v was turned to %v", a, b)
	}
	k.Screenshot("newcomer-edited")

	k.Script(`document.getElementById("rename-open").click()`)
	k.Script(`document.getElementById("rename-title").value = "Harbour"`)
	k.Script(`document.querySelector("#rename .primary").click()`)
	k.Wait(`document.querySelector("h1").textContent === "Harbour" && document.querySelector(".thread-title").textContent === "Harbour"`)
	thread := browsertest.Eval[string](k.Page, `location.href`)
	k.Open(thread + "/gallery")
	k.Wait(`document.querySelectorAll(".gallery .picture img").length >= 3 && [...document.querySelectorAll(".gallery .picture img")].every((i) => i.naturalWidth)`)
	k.Screenshot("newcomer-gallery")
	k.Open(o.Address + "/tools")
	k.Screenshot("newcomer-tools")
	if size := browsertest.Eval[map[string]int](k.Page, `({height: document.querySelector("#scroll").scrollHeight, controls: [...document.querySelectorAll("a, button, input, summary")].filter((e) => e.checkVisibility()).length})`); size["height"] > 3000 || size["controls"] > 100 {
		t.Errorf("the page of tools is %v", size)
	}

	k.Open(thread)
	k.Script(`document.getElementById("forget").click()`)
	k.Script(`document.getElementById("ask-yes").click()`)
	k.Wait(`location.pathname === "/" && !document.querySelector(".thread-link")`)
	if left := under(t, data+"/blobs"); left != 0 {
		t.Errorf("%d files are left of the deleted thread", left)
	}
	// The page leaves as soon as the thread is gone; its records are rewritten afterwards.
	for _, text := range []string{"Harbour", "harbour.jpg", "make it black and white"} {
		for begun := time.Now(); bytes.Contains(records(t, data), []byte(text)); <-time.After(10 * time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatalf("%q is left of the deleted thread", text)
			}
		}
	}
}

// records returns everything that the program stores except files.
func records(t *testing.T, data string) []byte {
	t.Helper()
	b, err := os.ReadFile(data + "/state.log")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBrowserEditsWhatRuns edits a message while it is worked on: only the new text is done.
func TestBrowserEditsWhatRuns(t *testing.T) {
	t.Parallel()
	o := clitest.OpenWeb(t, t.TempDir(), "127.0.0.1:0")
	k := sits(t, browsertest.Start(t), o)
	path, original := chequered(t, 1200, 800)
	k.attach(path)
	k.says("upscale this picture twice, then find its edges, then blur the result, then rotate that by 90 degrees")
	k.Wait(`document.querySelector("article.progress .step.running")`)
	k.Script(`document.getElementById("text").focus()`)
	k.Key("\u0304") // the up key
	k.Wait(`document.getElementById("text").value.startsWith("upscale") && document.querySelector(".chip")`)
	k.Script(`document.getElementById("text").value = ""`)
	k.says("flip it horizontally")
	if img := k.answered(); img.Bounds() != original.Bounds() {
		t.Errorf("it made %v\n%s", img.Bounds(), o.Log)
	}
	k.Wait(`!document.querySelector("article.progress:not([hidden])") && document.querySelector(".status.done")`)
	k.Screenshot("edited-amid")
	if n := browsertest.Eval[int](k.Page, `[...document.querySelectorAll("article")].filter((m) => m.checkVisibility()).length`); n != 2 {
		t.Errorf("%d messages are shown", n)
	}
}

// under returns the number of files below a folder.
func under(t *testing.T, folder string) int {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if os.IsNotExist(err) {
		return 0
	} else if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if e.IsDir() {
			n += under(t, folder+"/"+e.Name())
		} else if e.Name() != "clock" { // which is the store's own
			n++
		}
	}
	return n
}

// TestBrowserVariesADrawing varies a drawing and continues with one of the variations, which the next message
// works on. *How this was made* shows the seeds.
func TestBrowserVariesADrawing(t *testing.T) {
	t.Parallel()
	o := clitest.OpenWeb(t, t.TempDir(), "127.0.0.1:0", "TOOL_SERVER_URL="+hftasktest.New(t, hftasktest.Config{}).URL())
	k := sits(t, browsertest.Start(t), o)
	k.says("draw a fox in a spacesuit")
	fox := k.answered()
	k.Script(`document.querySelector('[data-key="vary"]').click()`)
	grid := k.answered()
	if a, b := fox.Bounds(), grid.Bounds(); b.Dx() < 2*a.Dx() || b.Dy() < 2*a.Dy() {
		t.Errorf("%v is varied in %v", a, b)
	}
	k.Wait(`document.querySelectorAll(".choice:not([disabled])").length === 4`)
	k.Script(`[...document.querySelectorAll("details.work")].pop().open = true`)
	k.Wait(`[...document.querySelectorAll("details.work")].pop().textContent.includes(", seed ")`)
	k.Screenshot("varied")
	k.Script(`document.querySelectorAll(".choice")[1].click()`)
	k.Wait(`document.body.textContent.includes("Your next message here works on number 2, fox")`)
	if chosen := k.answered(); chosen.Bounds() != fox.Bounds() {
		t.Errorf("%v is chosen of variations of %v", chosen.Bounds(), fox.Bounds())
	}
	k.says("rotate it by 90 degrees")
	if turned := k.answered(); turned.Bounds().Dx() != fox.Bounds().Dy() || turned.Bounds().Dy() != fox.Bounds().Dx() {
		t.Errorf("%v was turned to %v", fox.Bounds(), turned.Bounds())
	}
	k.Screenshot("varied-used")
}
