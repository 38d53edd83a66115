package hftasktest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"mime"
	"net/http"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"atelier/agent/toolbox/mediatest"
)

// request is a valid request for a task.
type request struct {
	task   string
	inputs any // as in the schema, with files in Base64
	params map[string]any
	files  map[string][]byte // by the name of their JSON member
	call   Call
}

// most is the most pixels of a picture.
const most = 24 << 20

// media are the tasks whose input is a file, with the kind of that file. For them the body may be the bare
// file.
var media = map[string]string{
	"audio-classification": "audio", "audio-to-audio": "audio", "automatic-speech-recognition": "audio",
	"depth-estimation": "image", "image-classification": "image", "image-segmentation": "image",
	"image-to-image": "image", "image-to-text": "image", "image-to-video": "image", "keypoint-detection": "image",
	"mask-generation": "image", "object-detection": "image", "video-classification": "video",
	"video-text-to-text": "video", "zero-shot-object-detection": "image",
}

// reader parses requests and validates them against their schemas.
type reader struct {
	rules  rules
	models map[string][]string // by task
}

// read parses a request for a task. On error, the returned request holds what could be parsed.
func (rd *reader) read(r *http.Request, body []byte, model, name string) (*request, error) {
	q := &request{task: name, files: map[string][]byte{}, call: Call{Model: model, Task: name, Kinds: map[string]string{}}}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return q, bad("the header Content-Type says no media type: %w", err)
	}
	if kind != jsonKind {
		if media[name] == "" {
			return q, bad("the body of %s must be JSON, and is %s", name, kind)
		}
		if top, _, _ := strings.Cut(kind, "/"); top != media[name] && kind != "application/octet-stream" {
			return q, bad("%s takes a file of the type %s/…, and this is %s", name, media[name], kind)
		}
		q.call.Raw = true
		encoded := base64.StdEncoding.EncodeToString(body)
		if err := rd.rules.refuse(name, map[string]any{"inputs": encoded}); err != nil {
			return q, bad("%w", err)
		}
		return q, q.keep("inputs", media[name], encoded)
	}
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		return q, bad("the body is not a JSON object: %w", err)
	}
	return q, rd.readMembers(q, members)
}

// readMembers parses a JSON request.
func (rd *reader) readMembers(q *request, members map[string]any) error {
	if params, ok := members["parameters"].(map[string]any); ok {
		q.params = params
		q.call.Parameters = map[string]any{}
		for name, value := range params {
			if name != "mask_image" && name != "control_image" {
				q.call.Parameters[name] = value
			}
		}
	}
	if err := rd.rules.refuse(q.task, members); err != nil {
		return bad("%w", err)
	}
	q.inputs = members["inputs"]
	if sort := media[q.task]; sort != "" && q.inputs != nil {
		if err := q.keep("inputs", sort, q.inputs); err != nil {
			return err
		}
	}
	switch in := q.inputs.(type) {
	case string:
		if media[q.task] == "" {
			q.call.Text = in
		}
	case map[string]any:
		q.call.Text, _ = in["question"].(string) //nolint:errcheck // some have none
		if file, ok := in["image"]; ok {
			if err := q.keep("image", "image", file); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{"mask_image", "control_image"} {
		if file, ok := q.params[name]; ok {
			if err := q.keep(name, "image", file); err != nil {
				return err
			}
		}
	}
	return q.agree()
}

// keep decodes the file in a member.
func (q *request) keep(member, sort string, value any) error {
	encoded, ok := value.(string)
	if !ok {
		return bad("%s must be a base64-encoded file", member)
	}
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return bad("%s is not base64-encoded: %w", member, err)
	}
	kind := mimetype.Detect(b).String()
	q.call.Kinds[member] = kind
	if !strings.HasPrefix(kind, sort+"/") {
		return bad("%s must be of the type %s/…, and its bytes are %s", member, sort, kind)
	}
	if sort == "image" {
		c, _, err := image.DecodeConfig(bytes.NewReader(b))
		if err != nil {
			return bad("cannot identify the image in %s: %w", member, err)
		}
		if c.Width*c.Height > most {
			return bad("the image in %s is too large: %dx%d", member, c.Width, c.Height)
		}
		q.call.Kinds[member] = fmt.Sprintf("%s %dx%d", kind, c.Width, c.Height)
	}
	q.files[member] = b
	return nil
}

// agree returns an error if the mask, points or boxes do not fit the picture.
func (q *request) agree() error {
	img, ok := q.files["inputs"]
	if !ok || media[q.task] != "image" {
		return nil
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(img))
	if err != nil {
		return bad("cannot identify the image: %w", err)
	}
	if mask, ok := q.files["mask_image"]; ok {
		m, _, err := image.DecodeConfig(bytes.NewReader(mask))
		if err != nil || m.Width != c.Width || m.Height != c.Height {
			return bad("mask_image is %dx%d, and the picture %dx%d", m.Width, m.Height, c.Width, c.Height)
		}
	}
	for _, p := range q.numbers("points") {
		if p[0] >= c.Width || p[1] >= c.Height {
			return bad("the point %v lies outside of the picture, which is %dx%d", p, c.Width, c.Height)
		}
	}
	for _, b := range q.numbers("boxes") {
		if b[0] >= b[2] || b[1] >= b[3] || b[2] > c.Width || b[3] > c.Height {
			return bad("the box %v is empty or lies outside of the picture, which is %dx%d", b, c.Width, c.Height)
		}
	}
	return nil
}

// picture decodes the picture in a member.
func (q *request) picture(member string) (*image.NRGBA, error) {
	img, err := mediatest.Decode(q.files[member])
	if err != nil {
		return nil, bad("the image in %s is damaged: %w", member, err)
	}
	return img, nil
}

// has reports whether a member has a file.
func (q *request) has(member string) bool { return len(q.files[member]) > 0 }

// word returns a text parameter, "" if it is absent.
func (q *request) word(name string) string {
	text, _ := q.params[name].(string) //nolint:errcheck // absent is ""
	return text
}

// number returns a number parameter, or the default absent.
func (q *request) number(name string, absent int) int {
	if n, ok := q.params[name].(float64); ok {
		return int(n)
	}
	return absent
}

// list returns a parameter that is a list of texts.
func (q *request) list(name string) []string {
	items, _ := q.params[name].([]any) //nolint:errcheck // absent is none
	var all []string
	for _, item := range items {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// numbers returns a parameter that is a list of lists of numbers.
func (q *request) numbers(name string) [][]int {
	items, _ := q.params[name].([]any) //nolint:errcheck // absent is none
	var all [][]int
	for _, item := range items {
		var one []int
		parts, _ := item.([]any) //nolint:errcheck // the schema guarantees it
		for _, part := range parts {
			if n, ok := part.(float64); ok {
				one = append(one, int(n))
			}
		}
		all = append(all, one)
	}
	return all
}

// size returns the parameter target_size.
func (q *request) size() (w, h int, ok bool) {
	m, ok := q.params["target_size"].(map[string]any)
	if !ok {
		return 0, 0, false
	}
	sized := request{params: m}
	return sized.number("width", 0), sized.number("height", 0), true
}
