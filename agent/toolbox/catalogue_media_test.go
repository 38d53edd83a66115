package toolbox_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	videoPerception = "video-perception"
	videoGeneration = "video-generation"
	videoProcessing = "video-processing"
	videoEditing    = "video-editing"
	documents       = "document-processing"
	audioPerception = "audio-perception"
	audioGeneration = "audio-generation"
	audioEditing    = "audio-editing"
	answering       = "question-answering"
	language        = "natural-language-processing"
)

// mediaTools are the tools for video, audio and text: ControlLLM's, then ours and those for further HuggingGPT tasks.
var mediaTools = []signature{
	{"video_classification", videoPerception, "video:video", "category"},
	{"video_captioning", videoPerception, "video:video", "text"},
	{"image_audio_to_video", videoGeneration, "image:image audio:audio", "video"},
	{"image_to_video", videoGeneration, "image:image without:text/instruction? results:text/amount? seed:text/amount?", "video"},
	{"text_to_video", videoGeneration, "prompt:text/prompt without:text/instruction? results:text/amount? seed:text/amount?", "video"},
	{"video_to_webpage", videoProcessing, "video:video title:title tags:tags text:text/content", "html"},
	{"dub_video", videoEditing, "video:video audio:audio balance:text/place? level:text/amount?", "video"},

	{"text_to_music", audioGeneration, "prompt:text/prompt results:text/amount? seed:text/amount?", "audio"},
	{"text_to_speech", audioGeneration, "text:text/content language:text/language? voice:text/instruction?", "audio"},
	{"audio_to_audio", audioGeneration, "audio:audio", "audio"},
	{"speech_to_text", audioPerception, "audio:audio", "text"},
	{"audio_classification", audioPerception, "audio:audio", "category"},

	{"question_answering", answering, "question:text/question text:text/content?", "text"},
	{"text_to_text_generation", language, "instruction:text/instruction", "text"},
	{"summarization", language, "text:text/content sentences:text/amount?", "text"},
	{"sentiment_analysis", language, "text:text/content", "text"},
	{"title_generation", language, "text:text/content", "title"},
	{"text_to_tags", language, "text:text/content", "tags"},
	{"named_entity_recognition", language, "text:text/content", "tags"},
	{"extract_location", language, "text:text/content", "location"},
	{"get_weather", answering, "location:location", "weather"},
	{"summarize_weather_condition", language, "weather:weather", "text"},
	{"get_time", answering, "place:text/place", "time"},

	{"make_gif", videoEditing, "video:video format:text/format? rate:text/amount? width:text/amount?", "image"},
	{"cut_video", videoEditing, "video:video range:text/amount", "video"},
	{"make_slideshow", videoGeneration, "images:image* audio:audio? each:text/amount? transition:text/place? length:text/amount?", "video"},
	{"video_checksum", videoPerception, "video:video method:text/place?", "facts"},
	{"audio_checksum", audioPerception, "audio:audio method:text/place?", "facts"},
	{"text_checksum", language, "text:text/content method:text/place?", "facts"},
	{"join_videos", videoEditing, "videos:video* transition:text/place? length:text/amount?", "video"},
	{"extract_frames", videoProcessing, "video:video moment:text/amount? at:text/amount? every:text/amount? number:text/amount? which:text/place?", "image"},
	{"extract_audio", videoProcessing, "video:video format:text/format?", "audio"},
	{"add_subtitles", videoEditing, "video:video subtitles:text/content way:text/place? colour:text/amount? outline:text/amount? box:text/amount? text_size:text/place? place:text/place?", "video"},
	{"convert_video", videoEditing, "video:video format:text/format? bit_rate:text/amount?", "video"},
	{"crop_black_bars", videoEditing, "video:video", "video"},
	{"fit_video_size", videoEditing, "video:video limit:text/amount", "video"},
	{"change_speed", videoEditing, "video:video factor:text/amount range:text/amount? pitch:text/place?", "video"},
	{"mute_video", videoEditing, "video:video when:text/amount?", "video"},

	{"video_question_answering", "visual-question-answering", "video:video question:text/question context:text/content?", "text"},
	{"audio_question_answering", answering, "audio:audio question:text/question", "text"},
	{"waveform_image", audioPerception, "audio:audio colour:text/amount? background:text/amount?", "image"},
	{"spectrogram_image", audioPerception, "audio:audio", "image"},
	{"cut_audio", audioEditing, "audio:audio range:text/amount", "audio"},
	{"join_audio", audioEditing, "audios:audio* gap:text/amount?", "audio"},
	{"convert_audio", audioEditing, "audio:audio format:text/format rate:text/amount?", "audio"},
	{"denoise_audio", audioEditing, "audio:audio", "audio"},
	{"split_audio", audioEditing, "audio:audio parts:text/amount? every:text/amount? at:text/amount? where:text/place?", "audio"},
	{"split_video", videoEditing, "video:video parts:text/amount? every:text/amount? at:text/amount?", "video"},
	{"normalize_loudness", audioEditing, "audio:audio target:text/amount?", "audio"},
	{"reverse_audio", audioEditing, "audio:audio", "audio"},
	{"reverse_video", videoEditing, "video:video", "video"},
	{"boomerang_video", videoEditing, "video:video", "video"},

	{"pdf_to_images", documents, "document:document pages:text/amount? format:text/format? resolution:text/amount?", "image"},
	{"pdf_to_text", documents, "document:document pages:text/amount?", "text"},
	{"compress_pdf", documents, "document:document limit:text/amount?", "document"},
	{"ocr_pdf", documents, "document:document language:text/language?", "document"},
	{"image_to_pdf", documents, "image:image paper:text/place? orientation:text/place?", "document"},
	{"text_to_pdf", documents, "text:text/content style:text/place?", "document"},
	{"images_to_pdf", documents, "images:image* paper:text/place? orientation:text/place?", "document"},
	{"zip_files", documents, "files:file*", "archive"},
	{"document_to_pdf", documents, "document:document", "document"},
	{"merge_pdfs", documents, "documents:document*", "document"},
	{"extract_pages", documents, "document:document pages:text/amount", "document"},
	{"reverse_pages", documents, "document:document", "document"},
	{"table_to_excel", documents, "table:text/content", "document"},
	{"split_pdf", documents, "document:document every:text/amount? after:text/amount?", "document"},
	{"stamp_pdf", documents, "document:document text:text/content place:text/place? pages:text/amount? colour:text/amount?", "document"},
	{"number_pages", documents, "document:document place:text/place? style:text/place? first:text/amount? pages:text/amount?", "document"},
	{"pages_per_sheet", documents, "document:document count:text/amount?", "document"},
	{"rotate_pdf", documents, "document:document angle:text/amount? pages:text/amount?", "document"},

	{"translation", language, "text:text/content language:text/language", "text"},
	{"text_classification", language, "text:text/content", "category"},
	{"token_classification", language, "text:text/content", "tags"},
	{"table_question_answering", answering, "table:text/content question:text/question", "text"},

	{"trim_silence", audioEditing, "audio:audio where:text/place?", "audio"},
	{"normalize_loudness_video", videoEditing, "video:video target:text/amount?", "video"},
	{"shift_subtitles", language, "subtitles:text/content by:text/amount way:text/place", "text"},
	{"find_scenes", videoPerception, "video:video", "text"},
	{"video_facts", videoPerception, "video:video", "facts"},
	{"audio_facts", audioPerception, "audio:audio", "facts"},
	{"audio_loudness", audioPerception, "audio:audio", "facts"},
	{"video_loudness", videoPerception, "video:video", "facts"},
	{"document_facts", "general", "document:document", "facts"},
	{"remove_video_metadata", videoEditing, "video:video", "video"},
	{"remove_audio_metadata", audioEditing, "audio:audio", "audio"},
	{"count_words", language, "text:text/content", "text"},
	{"convert_table", language, "table:text/content format:text/place", "text"},
	{"join_tables", language, "tables:text/content* format:text/place?", "text"},
	{"sort_table", language, "table:text/content column:text/instruction direction:text/place?", "text"},
	{"filter_table", language, "table:text/content condition:text/instruction rows:text/place?", "text"},
	{"pick_columns", language, "table:text/content columns:text/instruction action:text/place?", "text"},
	{"table_statistics", language, "table:text/content column:text/instruction", "text"},
	{"redact_text", language, "text:text/content what:text/place by:text/instruction?", "text"},
	{"extract_from_text", language, "text:text/content what:text/place", "text"},
	{"find_lines", language, "text:text/content find:text/instruction", "text"},
	{"sort_lines", language, "text:text/content direction:text/place?", "text"},
	{"remove_duplicates", language, "text:text/content", "text"},
	{"change_case", language, "text:text/content style:text/place", "text"},
	{"html_to_text", language, "text:text/content", "text"},
	{"markdown_to_html", language, "text:text/content", "text"},
	{"format_json", language, "text:text/content style:text/place?", "text"},
}

func TestMediaToolsTakeAndReturn(t *testing.T) {
	t.Parallel()
	c := embedded(t)
	for _, want := range mediaTools {
		t.Run(want.name, func(t *testing.T) {
			t.Parallel()
			tool, ok := c.Tool(want.name)
			if !ok {
				t.Fatal("is not in the catalogue")
			}
			if diff := cmp.Diff(want, signatureOf(tool), cmp.AllowUnexported(signature{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestEveryToolIsInATable checks all tools except plain command lines, whose files say it all.
func TestEveryToolIsInATable(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, s := range append(append([]signature{}, imageTools...), mediaTools...) {
		if listed[s.name] {
			t.Errorf("%s stands in two tables", s.name)
		}
		listed[s.name] = true
	}
	for _, tool := range embedded(t).Tools() {
		if !listed[tool.Name] && tool.Backends[0].Recipe == nil {
			t.Errorf("%s is in the catalogue and in no table of the tests", tool.Name)
		}
	}
}

func TestMediaToolsAreWordedForRetrieval(t *testing.T) {
	t.Parallel()
	pictures := map[string]bool{} // those with tests of their own
	for _, s := range imageTools {
		pictures[s.name] = true
	}
	for _, tool := range embedded(t).Tools() {
		if pictures[tool.Name] {
			continue
		}
		if n := len(tool.Examples); n < 8 || n > 14 {
			t.Errorf("%s has %d examples, not 8 to 14", tool.Name, n)
		}
		for _, e := range tool.Examples {
			if !strings.Contains(e, "{") {
				t.Errorf("%s: nothing stands in braces in %q", tool.Name, e)
			}
		}
	}
}

// An approximate backend may only run if nothing better does, so it comes last.
func TestStandInsStandLast(t *testing.T) {
	t.Parallel()
	for _, tool := range embedded(t).Tools() {
		weaker := false
		for _, b := range tool.Backends {
			if weaker && !b.Approximate {
				t.Errorf("%s: %s stands behind a weaker backend", tool.Name, b.Run)
			}
			weaker = weaker || b.Approximate
		}
	}
}
