package file

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// taggedPhoto writes a JPEG of 40 × 30 pixels with a camera and an orientation in its EXIF data.
func taggedPhoto(w nativetest.Workbench, name string, orientation uint16) toolbox.Value {
	w.Helper()
	var plain bytes.Buffer
	if err := jpeg.Encode(&plain, nativetest.Uniform(40, 30, color.Gray{100}), nil); err != nil {
		w.Fatal(err)
	}
	exif := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x02\x00")
	exif = append(exif, 0x10, 0x01, 2, 0, 9, 0, 0, 0, 38, 0, 0, 0) // the model is stored after the entries
	exif = append(exif, 0x12, 0x01, 3, 0, 1, 0, 0, 0, byte(orientation), 0, 0, 0)
	exif = append(exif, 0, 0, 0, 0)
	exif = append(exif, "SecretCam"[:8]+"\x00"...)
	segment := binary.BigEndian.AppendUint16([]byte("\xFF\xE1"), uint16(len(exif)+2))
	path := filepath.Join(w.Dir, name)
	all := append(append(append([]byte("\xFF\xD8"), segment...), exif...), plain.Bytes()[2:]...)
	if err := os.WriteFile(path, all, 0o600); err != nil {
		w.Fatal(err)
	}
	return toolbox.Value{Resource: plan.Resource{Name: name, Type: plan.Image}, Path: path}
}

func TestPictureFacts(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	got := w.Do("picture_facts", nativetest.Args{"image": {taggedPhoto(w, "a.jpg", 6)}}).Value
	for _, line := range []string{"File type: JPEG picture", "bytes", "Dimensions: 30 × 40 pixels", "Camera: SecretCa", "Taken: not stored in the file", "Location: no place is stored"} {
		if !strings.Contains(got, line) {
			t.Errorf("%q does not say %q", got, line)
		}
	}
	if got := w.Do("picture_facts", nativetest.Args{"image": {w.Given("b.png", image.NewNRGBA(image.Rect(0, 0, 7, 5)))}}).Value; !strings.Contains(got, "Dimensions: 7 × 5 pixels") || strings.Contains(got, "Frames") {
		t.Errorf("got %q", got)
	}
	solid := image.NewNRGBA(image.Rect(0, 0, 7, 5))
	draw.Draw(solid, solid.Bounds(), image.White, image.Point{}, draw.Src)
	for name, want := range map[string]string{"clear.png": "Transparency: some of it is transparent", "solid.png": "Transparency: none"} {
		img := map[string]image.Image{"clear.png": image.NewNRGBA(solid.Bounds()), "solid.png": solid}[name]
		if got := w.Do("picture_facts", nativetest.Args{"image": {w.Given(name, img)}}).Value; !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", name, got, want)
		}
	}
	w.Refused("picture_facts", nativetest.Args{}, "missing")
}

func TestRemoveMetadata(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	for _, orientation := range []uint16{1, 6} {
		given := taggedPhoto(w, "photo.jpg", orientation)
		out := w.Do("remove_metadata", nativetest.Args{"image": {given}, "what": {nativetest.Text("the GPS location")}})
		if out.Note.String() != "All of its metadata was removed, including camera and date." {
			t.Errorf("orientation %d: the note is %q", orientation, out.Note)
		}
		b, err := os.ReadFile(out.Path)
		if err != nil || bytes.Contains(b, []byte("SecretCa")) || bytes.Contains(b, []byte("Exif")) {
			t.Errorf("orientation %d: metadata are left (%v)", orientation, err)
		}
		if shot, err := media.ReadShot(t.Context(), out.Path, media.Limits{}); err != nil || shot.Camera != "" || shot.Place || !shot.Taken.IsZero() {
			t.Errorf("orientation %d: the file says %+v (%v)", orientation, shot, err)
		}
		if p := w.Read(out); p.Turned || orientation == 6 && p.Info.Width != 30 {
			t.Errorf("orientation %d: it is turned, or %d wide", orientation, p.Info.Width)
		}
	}
	w.Do("remove_metadata", nativetest.Args{"image": {w.Given("c.bmp", nativetest.Colourful(9, 5))}})
	w.Refused("remove_metadata", nativetest.Args{}, "missing")
}

func TestRemoveMetadataOfSoundAndVideo(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	samples := filepath.Join("..", "..", "media", "metadata", "testdata")
	for name, arg := range map[string]string{"film.mp4": "video", "sound.mp3": "audio"} {
		given := toolbox.Value{Resource: plan.Resource{Name: name, Type: plan.Type(arg)}, Path: filepath.Join(samples, name)}
		// Effects are not measured here, as that needs a program in the sandbox.
		out, err := w.Operations["remove_"+arg+"_metadata"](t.Context(), toolbox.Call{Args: nativetest.Args{arg: {given}}, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(out.Path)
		if err != nil || bytes.Contains(b, []byte("secret")) {
			t.Errorf("%s: metadata are left (%v)", name, err)
		}
	}
	amr := filepath.Join(w.Dir, "call.amr")
	if err := os.WriteFile(amr, []byte("#!AMR\n"+strings.Repeat("\x04abc", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Refused("remove_audio_metadata", nativetest.Args{"audio": {{Resource: plan.Resource{Type: plan.Audio}, Path: amr}}}, "cannot be removed", "call.amr")
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{
		"":        "SHA256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"md5":     "MD5: 900150983cd24fb0d6963f7d28e17f72",
		"sha-1":   "SHA1: a9993e364706816aba3e25717850c26c9cd0d89d",
		"sha-512": "SHA512: ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
	} {
		out, err := nativetest.New(t, Operations(media.Limits{})).Typed("text_checksum", "text", "abc", "method", method)
		if err != nil || out.Value != want {
			t.Errorf("%q: got %q and %v", method, out.Value, err)
		}
	}
	w := nativetest.New(t, Operations(media.Limits{}))
	path := filepath.Join(w.Dir, "a.png")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, arg := range map[string]string{"picture_checksum": "image", "video_checksum": "video", "audio_checksum": "audio"} {
		out := w.Do(tool, nativetest.Args{arg: {{Resource: plan.Resource{Type: plan.Type(arg)}, Path: path}}})
		if want := "SHA256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; out.Value != want {
			t.Errorf("%s: got %q", tool, out.Value)
		}
		w.Refused(tool, nativetest.Args{}, "missing")
	}
	w.Refused("text_checksum", nativetest.Args{"text": {nativetest.Text("")}}, "There is no text")
}
