package localai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/metadata"
)

// soundRequest is the request for a sound (LocalAI, docs/content/features/sound-generation.md).
type soundRequest struct {
	ModelID string `json:"model_id"`
	Text    string `json:"text"`
}

// sounds runs the tasks that make, change or classify sound.
type sounds struct{ *server }

// compose makes music or a sound that matches a description.
func (ss *sounds) compose(ctx context.Context, j job) (toolbox.Output, error) {
	text := j.prompt()
	if text == "" {
		return toolbox.Output{}, fault(nil, "Please say what the music should be like.")
	}
	content, err := ss.post(ctx, "/v1/sound-generation", j, soundRequest{ModelID: j.model, Text: text})
	if err != nil {
		return toolbox.Output{}, err
	}
	path, err := ss.saveFile(ctx, j, "sound", content, plan.Audio)
	if err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: plan.Quote(toolbox.Shorten(text))}, nil
}

// transform changes a sound, for example removes its noise; the model decides how.
func (ss *sounds) transform(ctx context.Context, j job) (toolbox.Output, error) {
	sound, err := ss.sound(ctx, j, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	content, err := ss.postForm(ctx, "/audio/transformations", j, part{name: "model", value: j.model}, sound)
	if err != nil {
		return toolbox.Output{}, err
	}
	path, err := ss.saveFile(ctx, j, "sound", content, plan.Audio)
	return toolbox.Output{Path: path}, err
}

// classify returns the classes of a sound.
func (ss *sounds) classify(ctx context.Context, j job) (toolbox.Output, error) {
	sound, err := ss.sound(ctx, j, "file")
	if err != nil {
		return toolbox.Output{}, err
	}
	body, err := ss.postForm(ctx, "/v1/audio/classification", j, part{name: "model", value: j.model}, part{name: "top_k", value: "5"}, sound)
	if err != nil {
		return toolbox.Output{}, err
	}
	classes, err := readClasses(body)
	if err != nil {
		return toolbox.Output{}, err
	}
	value, err := plan.EncodeValue(classes)
	return toolbox.Output{Value: value, About: plan.Quote(classes[0].Label)}, err
}

// sound returns the call's recording as a file for a form field.
func (srv *server) sound(ctx context.Context, j job, field string) (part, error) {
	path, err := j.fileOf("audio")
	if err != nil {
		return part{}, err
	}
	info, err := media.Inspect(ctx, path, srv.limits)
	if err != nil {
		return part{}, err
	}
	if info.Type != plan.Audio {
		return part{}, fault(nil, "A recording is needed, but this is %s.", info.Type.Article())
	}
	content, err := withoutTags(ctx, path, j.Dir)
	if err != nil {
		return part{}, err
	}
	return part{name: field, content: content, ext: info.Ext, mime: info.MIME}, nil
}

// maxSentBytes is the largest recording to send.
const maxSentBytes = 64 << 20

// withoutTags returns the content of a file without its tags. It leaves no file in dir.
func withoutTags(ctx context.Context, path, dir string) (content []byte, err error) {
	about, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if about.Size() > maxSentBytes {
		has, most := plan.Oversize(about.Size(), maxSentBytes)
		return nil, fault(nil, "The file is too large to send: it has %s, and the limit is %s; trim it or make it smaller.", has, most)
	}
	to, err := os.CreateTemp(dir, "sent-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(to.Name())) }()
	if err := errors.Join(metadata.Copy(ctx, to, path), to.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(to.Name())
}

// readClasses parses the classes of a sound, sorted by descending score; there is at least one (LocalAI,
// swagger, schema.SoundClassificationResult).
func readClasses(body []byte) ([]plan.Class, error) {
	var answer struct {
		Detections *[]plan.Class `json:"detections"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, unreadable(err)
	}
	if answer.Detections == nil {
		return nil, unreadable(errors.New("the answer has no list of labels"))
	}
	var classes []plan.Class
	for _, c := range *answer.Detections {
		label := []rune(toolbox.OneLine(c.Label))
		if len(label) > 0 {
			classes = append(classes, plan.Class{Label: string(label[:min(len(label), maxLabel)]), Score: min(max(c.Score, 0), 1)})
		}
	}
	if len(classes) == 0 {
		return nil, fault(nil, "The model does not recognise this sound.")
	}
	slices.SortStableFunc(classes, func(a, b plan.Class) int { return cmp.Compare(b.Score, a.Score) })
	return classes, nil
}

// videoRequest is the request for a video (LocalAI, docs/content/features/video-generation.md).
type videoRequest struct {
	Model          string `json:"model"`
	Prompt         string `json:"prompt"`
	NegativePrompt string `json:"negative_prompt,omitempty"`
	StartImage     string `json:"start_image,omitempty"` // Base64
	Width          int    `json:"width,omitempty"`
	Height         int    `json:"height,omitempty"`
	Seed           int32  `json:"seed,omitempty"`
	// ResponseFormat is b64_json, because a URL would contain the host name that the server believes it has.
	ResponseFormat string `json:"response_format"`
}

const (
	// startSide is the longest side of a video's first frame, in pixels, and filmed about the number of
	// pixels per frame then: the size that video models were trained on.
	startSide   = 1280
	framePixels = 832 * 480
)

// videos runs the tasks that make videos.
type videos struct{ *server }

// film makes a video from a description, or from the call's picture.
func (vs *videos) film(ctx context.Context, j job) (toolbox.Output, error) {
	request := videoRequest{
		Model: j.model, Prompt: j.prompt(), NegativePrompt: j.Text(toolbox.WithoutParam), Seed: seed(j.Seed), ResponseFormat: "b64_json",
	}
	if request.Prompt == "" {
		return toolbox.Output{}, fault(nil, "Please say what the video should show.")
	}
	out := toolbox.Output{Seed: int64(request.Seed)}
	if len(j.Args["image"]) > 0 {
		s, err := vs.send(ctx, j, startSide)
		if err != nil {
			return toolbox.Output{}, err
		}
		size := shaped(s.full, framePixels)
		request.StartImage, request.Width, request.Height = s.base64(), size.X, size.Y
	} else {
		out.About = plan.Quote(toolbox.Shorten(request.Prompt))
	}
	body, err := vs.post(ctx, "/video", j, request)
	if err != nil {
		return toolbox.Output{}, err
	}
	content, err := vs.content(ctx, body)
	if err != nil {
		return toolbox.Output{}, err
	}
	out.Path, err = vs.saveFile(ctx, j, "video", content, plan.Video)
	return out, err
}

// seed converts a seed to LocalAI's range of 31 bits.
func seed(n int64) int32 { return int32(n & 0x7fffffff) }
