package localai

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
)

// need is what a run wants of a model. What a model can do is LocalAI's word; what that
// leaves open is told by the name of its family, as LocalAI's gallery and its pages on
// the features call them. Names are compared from the beginning of a word on.
type need struct {
	purpose plan.Message // for people: "finding objects in pictures"
	example string       // a model of LocalAI's gallery that does it
	// capability is what the model must have.
	capability string
	// families do it, the best one first.
	families []string
	// strict leaves out all other models: they have the capability, and do something else.
	strict bool
	// never are families that have the capability and do not do it.
	never []string
}

// Families of models that cut out what points, boxes or words say.
var (
	samFamilies = []string{"sam3", "sam-3", "sam2", "sam-2", "sam", "edgetam", "efficientsam", "mobilesam"}
	faces       = []string{"insightface", "face", "opencv-face", "yunet"}
	mending     = []string{"inpaint", "stable-diffusion-inpaint", "flux-fill", "flux-1-fill", "fill"}
	redrawing   = []string{"qwen-image-edit", "kontext", "flux-1-kontext", "flux-2", "image-edit", "edit", "instruct-pix2pix", "omnigen"}
	enlarging   = []string{"realesrgan", "esrgan", "upscal"}
)

// What the runs need.
var (
	detector = need{
		purpose: plan.Say("finding objects in pictures"), example: "rfdetr-base",
		capability: "detection", families: []string{"rfdetr", "rf-detr", "yolo", "detr"}, never: slices.Concat(samFamilies, faces),
	}
	grounder = need{
		purpose: plan.Say("finding described objects in pictures"), example: "sam3",
		capability: "detection", families: []string{"sam3", "sam-3", "rfdetr", "rf-detr", "yolo", "detr"},
		never: slices.Concat([]string{"sam2", "sam-2", "edgetam", "efficientsam", "mobilesam"}, faces),
	}
	segmenter = need{
		purpose: plan.Say("cutting out objects in pictures"), example: "rfdetr-cpp-seg-medium",
		capability: "detection", families: []string{"seg"}, strict: true, never: faces,
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
		capability: "image", families: mending, strict: true,
	}
	editor = need{
		purpose: plan.Say("editing pictures by instruction"), example: "qwen-image-edit",
		capability: "image", families: redrawing, strict: true,
	}
	enlarger = need{
		purpose: plan.Say("enlarging pictures"), example: "realesrgan-x4plus-anime-6b",
		capability: "upscale", families: enlarging,
	}
)

// openAI are the needs of the runs of the kind openai.
var openAI = map[string]need{
	"chat":        {purpose: plan.Say("writing texts"), example: "qwen3-4b", capability: "chat"},
	"chat-vision": seeing,
	"chat-video":  seeing,
	"chat-audio":  {purpose: plan.Say("writing texts"), example: "qwen3-4b", capability: "chat"},
	"images-generations": {
		purpose: plan.Say("drawing pictures"), example: "z-image-turbo", capability: "image",
		families: []string{"z-image", "flux", "qwen-image", "stable"}, never: slices.Concat(mending, redrawing, enlarging),
	},
	"audio-speech": {
		purpose: plan.Say("speaking"), example: "kokoro", capability: "tts", families: []string{"kokoro", "piper", "voice", "tts"},
	},
	"audio-transcriptions": {
		purpose: plan.Say("transcribing speech"), example: "whisper-large-turbo", capability: "transcript",
		families: []string{"whisper", "parakeet"},
	},
}

var seeing = need{purpose: plan.Say("looking at pictures"), example: "qwen3-vl-4b-instruct", capability: "vision", families: []string{"qwen3-vl"}}

// rank is how good the model is for the need, 1 for the best; 0 is that it is none. Of a
// server that does not tell what its models can do, those of a known family are taken.
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

// modelName is a model's name as words with a dash before each.
type modelName string

func words(id string) modelName {
	return modelName("-" + strings.Join(strings.FieldsFunc(strings.ToLower(id), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-"))
}

// have reports whether a word of the name begins so.
func (n modelName) have(family string) bool { return strings.Contains(string(n), "-"+family) }

// exactly reports whether the name is that of the family alone.
func (n modelName) exactly(family string) bool { return string(n) == "-"+family }
