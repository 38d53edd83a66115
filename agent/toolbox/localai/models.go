package localai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"atelier/agent/endpoint"
	"atelier/agent/memo"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

const (
	// listLife is how long the list of models is cached, and so is a failure to get it.
	listLife = 10 * time.Second
	// listTimeout is the timeout for listing the models.
	listTimeout = 5 * time.Second
)

// model is a model on the server.
type model struct {
	ID string `json:"id"`
	// Capabilities are what the model can do, in LocalAI's terms (core/config, backend_capabilities.go); nil
	// means unknown.
	Capabilities []string `json:"capabilities"`
}

// can reports whether the server lists the capability for the model.
func (m model) can(capability string) bool { return slices.Contains(m.Capabilities, capability) }

// listing caches the list of the server's models.
type listing struct {
	endpoint *endpoint.Endpoint
	models   *memo.Memo[[]model]
}

func newListing(e *endpoint.Endpoint, clock func() time.Time) *listing {
	l := &listing{endpoint: e}
	l.models = memo.New(memo.Config[[]model]{Ask: l.ask, Life: memo.For(listLife), Clock: clock})
	return l
}

// all returns the server's models, or why the server cannot be used.
func (l *listing) all(ctx context.Context) ([]model, error) { return l.models.Get(ctx) }

// ask lists the models, with a timeout.
func (l *listing) ask(ctx context.Context) ([]model, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	models, err := l.list(ctx)
	return models, l.asFault(err)
}

// asFault turns a failure to list the models into a fault of the server.
func (l *listing) asFault(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return badAnswer(err, "The LocalAI server at %s does not answer.", l.endpoint.Host())
	}
	return asFault(err)
}

// list checks that the server is ready and lists its models. A server without /v1/models/capabilities lists
// the names alone.
func (l *listing) list(ctx context.Context) ([]model, error) {
	if _, err := l.get(ctx, "/readyz"); err != nil && !missing(err) {
		if e, ok := errors.AsType[*endpoint.Error](err); ok && e.Status == http.StatusServiceUnavailable {
			return nil, fault(fmt.Errorf("%w: %w", toolbox.ErrLoading, err), "The LocalAI server at %s is still starting.", l.endpoint.Host())
		}
		return nil, err
	}
	body, err := l.get(ctx, "/v1/models/capabilities")
	if missing(err) {
		body, err = l.get(ctx, "/v1/models")
	}
	if err != nil {
		return nil, err
	}
	return readModels(body)
}

func (l *listing) get(ctx context.Context, path string) ([]byte, error) {
	answer, err := l.endpoint.Do(ctx, endpoint.Request{Path: path})
	return answer.Body, err
}

// missing reports whether the error is a status 404 or 405.
func missing(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

// readModels parses a list of models (LocalAI, docs/content/features/api-discovery.md).
func readModels(body []byte) ([]model, error) {
	var list struct {
		Data *[]model `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil || list.Data == nil {
		return nil, unreadable(cmp.Or(err, errors.New("the answer has no list of models")))
	}
	return slices.DeleteFunc(*list.Data, func(m model) bool { return m.ID == "" }), nil
}

// choose returns the model for a need: the named one, or the best one on the server.
func (l *listing) choose(ctx context.Context, n need, named string) (string, error) {
	models, err := l.all(ctx)
	if err != nil {
		return "", err
	}
	if named != "" {
		if !slices.ContainsFunc(models, func(m model) bool { return m.ID == named }) {
			return "", &plan.Fault{
				Sentence: plan.Say("The LocalAI server does not have the model that is set for this."),
				Operator: plan.Say("The LocalAI server at %s has no model called %q: install it, or set another one in BACKENDS_FILE.",
					l.endpoint.Host(), named),
			}
		}
		return named, nil
	}
	best, rank := "", 0
	for _, m := range models {
		if r := n.rank(m); r > 0 && (rank == 0 || r < rank) {
			best, rank = m.ID, r
		}
	}
	if rank == 0 {
		return "", &plan.Fault{
			Sentence: plan.Say("The LocalAI server has no model for %s.", n.purpose),
			Operator: plan.Say("The LocalAI server at %s has no model for %s: install one such as %s, or set yours in BACKENDS_FILE.",
				l.endpoint.Host(), n.purpose, n.example),
		}
	}
	return best, nil
}

// need describes the models that suit a run. The server says what a model can do; the name of its family, as
// in LocalAI's gallery and documentation, tells the rest. A family matches at the start of a word of the
// model's name.
type need struct {
	purpose plan.Message // for people: "finding objects in pictures"
	example string       // a model of LocalAI's gallery that does it
	// capability is what the model must be able to do.
	capability string
	// families are the suitable families, the best one first.
	families []string
	// strict excludes all other families: they have the capability, but do something else with it.
	strict bool
	// never are families that have the capability but are unsuitable.
	never []string
}

// Families of models by what they do.
var (
	samFamilies     = []string{"sam3", "sam-3", "sam2", "sam-2", "sam", "edgetam", "efficientsam", "mobilesam"}
	faceFamilies    = []string{"insightface", "face", "opencv-face", "yunet"}
	inpaintFamilies = []string{"inpaint", "stable-diffusion-inpaint", "flux-fill", "flux-1-fill", "fill"}
	editFamilies    = []string{"qwen-image-edit", "kontext", "flux-1-kontext", "flux-2", "image-edit", "edit", "instruct-pix2pix", "omnigen"}
	upscaleFamilies = []string{"realesrgan", "esrgan", "upscal"}
)

// The needs of the runs.
var (
	detector = need{
		purpose: plan.Say("finding objects in pictures"), example: "rfdetr-base",
		capability: "detection", families: []string{"rfdetr", "rf-detr", "yolo", "detr"}, never: slices.Concat(samFamilies, faceFamilies),
	}
	grounder = need{
		purpose: plan.Say("finding described objects in pictures"), example: "sam3",
		capability: "detection", families: []string{"sam3", "sam-3", "rfdetr", "rf-detr", "yolo", "detr"},
		never: slices.Concat([]string{"sam2", "sam-2", "edgetam", "efficientsam", "mobilesam"}, faceFamilies),
	}
	segmenter = need{
		purpose: plan.Say("cutting out objects in pictures"), example: "rfdetr-cpp-seg-medium",
		capability: "detection", families: []string{"seg"}, strict: true, never: faceFamilies,
	}
	pointed = need{
		purpose: plan.Say("cutting out marked objects in pictures"), example: "sam3",
		capability: "detection", families: samFamilies, strict: true,
	}
	depth = need{
		purpose: plan.Say("estimating distances in pictures"), example: "depth-anything-3-base",
		capability: "depth", families: []string{"depth"},
	}
	composer = need{
		purpose: plan.Say("making music and sounds"), example: "ace-step-turbo",
		capability: "sound_generation", families: []string{"ace-step", "musicgen", "stable-audio"},
	}
	listener = need{
		purpose: plan.Say("classifying sounds"), example: "ced-base",
		capability: "sound_classification", families: []string{"ced"},
	}
	transformer = need{
		purpose: plan.Say("transforming sound"), example: "localvqe-v1.3-4.8m",
		capability: "audio_transform", families: []string{"localvqe"},
	}
	denoiser = need{
		purpose: plan.Say("removing noise from sound"), example: "localvqe-v1.3-4.8m",
		capability: "audio_transform", families: []string{"localvqe", "denois", "deepfilter", "rnnoise"}, strict: true,
	}
	filmer = need{
		purpose: plan.Say("making videos from text"), example: "wan-2.1-t2v-1.3b-ggml",
		capability: "video", families: []string{"t2v", "ti2v", "wan", "ltx"}, never: []string{"i2v", "flf2v", "avatar"},
	}
	animator = need{
		purpose: plan.Say("making videos from pictures"), example: "wan-2.1-i2v-14b-480p-ggml",
		capability: "video", families: []string{"i2v", "ti2v", "flf2v", "ltx"}, never: []string{"t2v", "avatar"},
	}
	mender = need{
		purpose: plan.Say("filling in parts of pictures"), example: "dreamshaper-8-inpainting",
		capability: "image", families: inpaintFamilies, strict: true,
	}
	editor = need{
		purpose: plan.Say("editing pictures by instruction"), example: "qwen-image-edit",
		capability: "image", families: editFamilies, strict: true,
	}
	enlarger = need{
		purpose: plan.Say("enlarging pictures"), example: "realesrgan-x4plus-anime-6b",
		capability: "upscale", families: upscaleFamilies,
	}
)

// openAI are the needs of the runs of the kind openai.
var openAI = map[string]need{
	"chat":        {purpose: plan.Say("writing texts"), example: "qwen3-4b", capability: "chat"},
	"chat-vision": vision,
	"chat-video":  vision,
	"chat-audio":  {purpose: plan.Say("writing texts"), example: "qwen3-4b", capability: "chat"},
	"images-generations": {
		purpose: plan.Say("drawing pictures"), example: "z-image-turbo", capability: "image",
		families: []string{"z-image", "flux", "qwen-image", "stable"}, never: slices.Concat(inpaintFamilies, editFamilies, upscaleFamilies),
	},
	"audio-speech": {
		purpose: plan.Say("speaking"), example: "kokoro", capability: "tts", families: []string{"kokoro", "piper", "voice", "tts"},
	},
	"audio-transcriptions": {
		purpose: plan.Say("transcribing speech"), example: "whisper-large-turbo", capability: "transcript",
		families: []string{"whisper", "parakeet"},
	},
}

var vision = need{purpose: plan.Say("looking at pictures"), example: "qwen3-vl-4b-instruct", capability: "vision", families: []string{"qwen3-vl"}}

// rank returns how well the model suits the need: 1 is best, 0 is unsuitable. If the server does not list
// capabilities, only known families are suitable.
func (n need) rank(m model) int {
	name := words(m.ID)
	known := slices.IndexFunc(n.families, name.have)
	switch {
	case slices.ContainsFunc(n.never, name.have) && !slices.ContainsFunc(n.families, name.exactly):
		return 0
	case m.Capabilities != nil && !m.can(n.capability):
		return 0
	case known >= 0:
		return known + 1
	case n.strict || m.Capabilities == nil:
		return 0
	}
	return len(n.families) + 1
}

// modelName is a model's name in lower case, with a dash before each word.
type modelName string

func words(id string) modelName {
	return modelName("-" + strings.Join(strings.FieldsFunc(strings.ToLower(id), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-"))
}

// have reports whether a word of the name starts with the family.
func (n modelName) have(family string) bool { return strings.Contains(string(n), "-"+family) }

// exactly reports whether the name consists of the family alone.
func (n modelName) exactly(family string) bool { return string(n) == "-"+family }
