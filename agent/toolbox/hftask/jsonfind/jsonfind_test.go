package jsonfind_test

import (
	"errors"
	"testing"

	"atelier/agent/toolbox/hftask/jsonfind"
)

func TestText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"images": [{"url": "https://a"}]}`:            "https://a",
		`{"depth": [[1, 2], [3]], "image": "QUJD"}`:     "QUJD",
		`[{"image": "QUJD"}, {"image": "later"}]`:       "QUJD",
		`{"image": {"other": "x", "url": "https://b"}}`: "https://b",
		`["QUJD"]`:       "",
		`{"other": "x"}`: "",
		`{"image": {"image": {"image": {"image": {"image": {"image": "too deep"}}}}}}`: "",
		``: "",
	} {
		if got, err := jsonfind.Text(t.Context(), []byte(raw), []string{"image", "images", "url"}); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", raw, got, err, want)
		}
	}
	for _, bad := range []string{`{"image": `, `{"image" "x"}`} {
		if _, err := jsonfind.Text(t.Context(), []byte(bad), []string{"image"}); !errors.Is(err, jsonfind.ErrForm) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
