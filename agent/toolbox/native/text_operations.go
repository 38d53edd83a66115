package native

import (
	"errors"
	"fmt"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// textOperations are the operations on texts, lists, faces and pages.
func (n *Native) textOperations() map[string]operation {
	return map[string]operation{
		"code_to_picture":             codeToPicture,
		"count_words":                 countWords,
		"text_card":                   textCard,
		"text_to_pdf":                 textToPDF,
		"make_bar_code":               makeBarCode,
		"summarization":               summarization,
		"text_to_tags":                textToTags,
		"title_generation":            titleGeneration,
		"sentiment_analysis":          sentimentAnalysis,
		"extract_location":            extractLocation,
		"get_time":                    getTime,
		"video_to_webpage":            n.videoToWebpage,
		"select_bbox":                 selectBBox,
		"select_category":             selectCategory,
		"select_mask":                 n.selectMask,
		"count_objects":               countObjects,
		"count_categories":            countCategories,
		"count_masks":                 n.countMasks,
		"detect_faces":                n.detectFaces,
		"summarize_weather_condition": summarizeWeather,
	}
}

// maxText is the longest text that is worked on, in bytes.
const maxText = 4 << 20

// needText is the text of the call, which must not be empty; verb says in the fault
// what it is needed for.
func needText(c toolbox.Call, verb plan.Message) (string, error) {
	text := clean(c.Text("text"))
	switch {
	case strings.TrimSpace(text) == "":
		return "", &plan.Fault{
			Sentence: plan.Say("There is no text to %s. Please write it in the message or attach it.", verb),
			Err:      errors.New("empty text"),
		}
	case len(text) > maxText:
		return "", tooLong(text)
	}
	return text, nil
}

// tooLong is the fault of a text that is longer than maxText.
func tooLong(text string) error {
	return &plan.Fault{
		Sentence: plan.Say("The text is longer than 4 MB. Please give a shorter one."),
		Err:      fmt.Errorf("text of %d bytes", len(text)),
	}
}
