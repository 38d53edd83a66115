package media

import "testing"

func TestSizeOf(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB (1,000 bytes)", 52_300: "52.3 kB (52,300 bytes)", 2_345_678: "2.3 MB (2,345,678 bytes)",
	} {
		if got := SizeOf(n); got != want {
			t.Errorf("%d is %q, not %q", n, got, want)
		}
	}
}

func TestDetails(t *testing.T) {
	t.Parallel()
	if got, want := Details(Detail{"File type", KindName("image/jpeg")}, Detail{"Camera", ""}, Detail{"Frames", "3"}), "File type: JPEG picture\nFrames: 3"; got != want {
		t.Errorf("got %q, not %q", got, want)
	}
	if got := KindName("font/woff"); got != "font/woff" {
		t.Errorf("got %q", got)
	}
}
