package hftasktest

// world is what the server knows apart from a request.
type world struct {
	words map[string]string // names of objects by colour
	heard string            // the transcript of every recording
}

// tasks are the server's functions by task. Each answers a valid request with a file, or with a value that
// is sent as JSON.
var tasks = map[string]func(*world, *request) (any, error){
	"audio-classification":         classifySound,
	"audio-to-audio":               cleanSound,
	"automatic-speech-recognition": transcribe,
	"depth-estimation":             estimateDepth,
	"document-question-answering":  askDocument,
	"image-classification":         classifyPicture,
	"image-segmentation":           segment,
	"image-to-image":               editPicture,
	"image-to-text":                describe,
	"image-to-video":               animate,
	"keypoint-detection":           findKeypoints,
	"mask-generation":              segment,
	"object-detection":             detect,
	"summarization":                summarize,
	"table-question-answering":     askTable,
	"text-classification":          classifyText,
	"text-generation":              func(wd *world, q *request) (any, error) { return generateText(wd, q) },
	"text-to-audio":                playMusic,
	"text-to-image":                drawPicture,
	"text-to-speech":               speak,
	"text-to-video":                film,
	"token-classification":         tagTokens,
	"translation":                  translate,
	"video-classification":         classifyVideo,
	"video-text-to-text":           describeVideo,
	"visual-question-answering":    askPicture,
	"zero-shot-classification":     sortText,
	"zero-shot-object-detection":   detectNamed,
}
