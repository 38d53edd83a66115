package toolbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/agent/toolbox"
)

// signature is what the planner relies on: the domain, arguments and return type of a tool. In args, a
// text has its meaning, "?" marks an optional argument and "*" one with many values.
type signature struct{ name, domain, args, returns string }

const (
	perception = "image-perception"
	editing    = "image-editing"
	generation = "image-generation"
	processing = "image-processing"
	vqa        = "visual-question-answering"
	general    = "general"
)

// imageTools are ControlLLM's image tools, HuggingGPT's document questions, and ours.
var imageTools = []signature{
	{"image_question_answering", vqa, "image:image question:text/question", "text"},
	{"document_question_answering", vqa, "image:image question:text/question", "text"},

	{"image_captioning", perception, "image:image", "text"},
	{"object_detection", perception, "image:image", "bbox"},
	{"visual_grounding", perception, "image:image object:text/object", "bbox"},
	{"image_classification", perception, "image:image", "category"},
	{"image_instance_segmentation", perception, "image:image", "mask"},
	{"image_segmentation_by_mask", perception, "image:image mask:mask", "mask"},
	{"image_segmentation_by_points", perception, "image:image points:point", "mask"},
	{"segment_anything", perception, "image:image", "segmentation"},
	{"optical_character_recognition", perception, "image:image", "text"},
	{"locate_text", perception, "image:image", "bbox"},
	{"picture_facts", perception, "image:image", "facts"},
	{"picture_checksum", perception, "image:image method:text/place?", "facts"},
	{"remove_metadata", editing, "image:image what:text/place?", "image"},
	{"compare_images", perception, "first:image second:image", "facts"},
	{"difference_picture", editing, "first:image second:image", "image"},
	{"dominant_colours", perception, "image:image count:text/amount?", "facts"},
	{"colour_swatch", generation, "image:image count:text/amount?", "image"},
	{"trim_borders", editing, "image:image", "image"},
	{"measure_sharpness", perception, "image:image", "facts"},
	{"read_code", perception, "image:image", "text"},
	{"make_bar_code", generation, "text:text/content kind:text/place?", "image"},
	{"split_animation", editing, "image:image which:text/place? number:text/amount?", "image"},
	{"icon_set", editing, "image:image sizes:text/amount?", "image"},
	{"detect_faces", perception, "image:image", "bbox"},

	{"partial_image_editing", editing, "image:image mask:mask prompt:text/prompt", "image"},
	{"text_image_editing", editing, "image:image instruction:text/instruction", "image"},
	{"image_inpainting", editing, "image:image mask:mask", "image"},
	{"highlight_object_on_image", editing, "image:image bbox:bbox colour:text/amount? shape:text/place?", "image"},
	{"image_cropping", editing, "image:image bbox:bbox", "image"},
	{"blur_objects", editing, "image:image bbox:bbox where:text/place?", "image"},
	{"blur_region", editing, "image:image part:text/place where:text/place?", "image"},
	{"black_out_region", editing, "image:image part:text/place colour:text/amount? where:text/place?", "image"},
	{"pixelate_image", editing, "image:image part:text/place? where:text/place?", "image"},
	{"pixelate_objects", editing, "image:image bbox:bbox where:text/place?", "image"},
	{"black_out_objects", editing, "image:image bbox:bbox colour:text/amount? where:text/place?", "image"},
	{"mask_image", editing, "image:image mask:mask", "image"},
	{"hide_masked", editing, "image:image mask:mask how:text/place? where:text/place?", "image"},
	{"mask_from_boxes", "general", "image:image bbox:bbox", "mask"},
	{"resize_image", editing, "image:image size:text/amount edges:text/place?", "image"},
	{"rotate_image", editing, "image:image angle:text/amount?", "image"},
	{"straighten_image", editing, "image:image", "image"},
	{"flip_image", editing, "image:image direction:text/place?", "image"},
	{"blur_image", editing, "image:image strength:text/amount?", "image"},
	{"greyscale_image", editing, "image:image", "image"},
	{"convert_image", editing, "image:image format:text/format quality:text/amount?", "image"},
	{"make_thumbnail", editing, "image:image size:text/amount?", "image"},
	{"add_text_to_image", editing, "image:image caption:text/content place:text/place? colour:text/amount? text_size:text/place? opacity:text/amount? outline:text/amount? box:text/amount? layout:text/place?", "image"},
	{"annotate_image", editing, "image:image label:text/content? part:text/place shape:text/place? number:text/amount? from:text/place? colour:text/amount? width:text/amount?", "image"},
	{"meme_text", editing, "image:image top:text/content bottom:text/content?", "image"},
	{"collage_images", editing, "images:image* captions:text/content? columns:text/place? labels:text/place? gap:text/amount? colour:text/amount?", "image"},
	{"stack_pictures", editing, "first:image second:image captions:text/content? labels:text/place? way:text/place?", "image"},
	{"fit_image_size", editing, "image:image limit:text/amount?", "image"},
	{"upscale_image", editing, "image:image factor:text/amount?", "image"},
	{"remove_background", editing, "image:image", "image"},
	{"crop_region", editing, "image:image region:text/place", "image"},
	{"images_to_gif", editing, "images:image* each:text/amount?", "image"},
	{"adjust_image", editing, "image:image adjustment:text/instruction", "image"},
	{"oil_painting", editing, "image:image", "image"},
	{"auto_enhance", editing, "image:image what:text/place?", "image"},

	{"text_to_image", generation, "prompt:text/prompt shape:text/amount? size:text/amount? without:text/instruction? results:text/amount? seed:text/amount?", "image"},
	{"image_to_image", generation, "image:image", "image"},
	{"make_chart", generation, "table:text/content title:text/content? columns:text/instruction kind:text/place? colour:text/amount? size:text/amount?", "image"},
	{"table_to_image", generation, "table:text/content", "image"},
	{"text_card", generation, "text:text/content shape:text/amount? colour:text/amount?", "image"},
	{"code_to_picture", generation, "text:text/content style:text/place?", "image"},
	{"line_text_to_image", generation, "line:line prompt:text/prompt without:text/instruction? results:text/amount? seed:text/amount?", "image"},
	{"hed_text_to_image", generation, "hed:hed prompt:text/prompt without:text/instruction? results:text/amount? seed:text/amount?", "image"},
	{"scribble_text_to_image", generation, "scribble:scribble prompt:text/prompt without:text/instruction? results:text/amount? seed:text/amount?", "image"},
	{"pose_text_to_image", generation, "pose:pose prompt:text/prompt without:text/instruction? results:text/amount? seed:text/amount?", "image"},
	{"segmentation_text_to_image", generation, "segmentation:segmentation prompt:text/prompt without:text/instruction? results:text/amount? seed:text/amount?", "image"},
	{"edge_text_to_image", generation, "edge:edge prompt:text/prompt without:text/instruction? results:text/amount? seed:text/amount?", "image"},
	{"depth_text_to_image", generation, "depth:depth prompt:text/prompt without:text/instruction? results:text/amount? seed:text/amount?", "image"},
	{"normal_text_to_image", generation, "normal:normal prompt:text/prompt without:text/instruction? results:text/amount? seed:text/amount?", "image"},

	{"image_to_edge", processing, "image:image", "edge"},
	{"image_to_line", processing, "image:image", "line"},
	{"image_to_hed", processing, "image:image", "hed"},
	{"image_to_scribble", processing, "image:image", "scribble"},
	{"image_to_pose", processing, "image:image", "pose"},
	{"image_to_depth", processing, "image:image", "depth"},
	{"image_to_normal", processing, "image:image", "normal"},
	{"normal_from_depth", processing, "depth:depth", "normal"},

	{"select_category", general, "category:category object:text/object", "category"},
	{"select_bbox", general, "bbox:bbox object:text/object", "bbox"},
	{"select_mask", general, "mask:mask object:text/object", "mask"},
	{"count_categories", general, "category:category", "text"},
	{"count_objects", general, "bbox:bbox", "text"},
	{"count_masks", general, "mask:mask", "text"},
}

func embedded(t *testing.T) *toolbox.Catalogue {
	t.Helper()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func signatureOf(tool toolbox.Tool) signature {
	args := make([]string, len(tool.Args))
	for i, a := range tool.Args {
		s := fmt.Sprintf("%s:%s", a.Name, a.Type)
		if a.Meaning != "" {
			s += "/" + string(a.Meaning)
		}
		if a.Optional {
			s += "?"
		}
		if a.Many {
			s += "*"
		}
		args[i] = s
	}
	return signature{tool.Name, tool.Domain, strings.Join(args, " "), string(tool.Returns)}
}

func TestImageToolsTakeAndReturn(t *testing.T) {
	t.Parallel()
	c := embedded(t)
	for _, want := range imageTools {
		t.Run(want.name, func(t *testing.T) {
			t.Parallel()
			tool, ok := c.Tool(want.name)
			if !ok {
				t.Fatal("is not in the catalogue")
			}
			if got := signatureOf(tool); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// Tools are found by their texts, so an example of two tools helps neither, and a tool may only refer
// to existing ones.
func TestImageToolsAreToldApart(t *testing.T) {
	t.Parallel()
	c := embedded(t)
	owner := map[string]string{}
	for _, s := range imageTools {
		tool, ok := c.Tool(s.name)
		if !ok {
			t.Errorf("%s is not in the catalogue", s.name)
			continue
		}
		if n := len(tool.Examples); n < 8 || n > 14 {
			t.Errorf("%s has %d examples, wanted are 8 to 14", s.name, n)
		}
		for _, e := range tool.Examples {
			wish := strings.ToLower(toolbox.Wish(e))
			if other, twice := owner[wish]; twice {
				t.Errorf("%q is an example of %s and of %s", wish, other, s.name)
			}
			owner[wish] = s.name
		}
		for _, word := range strings.FieldsFunc(tool.When, func(r rune) bool { return strings.ContainsRune(" ,;:.\n", r) }) {
			if !strings.Contains(word, "_") {
				continue
			}
			if _, ok := c.Tool(word); !ok || word == s.name {
				t.Errorf("%s points to %s", s.name, word)
			}
		}
	}
}

func TestImageToolsPointToTheirOriginsAndMakes(t *testing.T) {
	t.Parallel()
	c := embedded(t)
	origins := []string{"controlllm", "visualchatgpt", "hugginggpt", "atelier"}
	kinds := []string{"native", "program", "hftask", "localai", "openai"}
	for _, s := range imageTools {
		tool, ok := c.Tool(s.name)
		if !ok {
			t.Errorf("%s is not in the catalogue", s.name)
			continue
		}
		if len(tool.Origins) == 0 {
			t.Errorf("%s has no origin", s.name)
		}
		for _, o := range tool.Origins {
			if !slices.Contains(origins, o) {
				t.Errorf("%s has the unknown origin %q", s.name, o)
			}
		}
		for _, b := range tool.Backends {
			if !slices.Contains(kinds, b.Kind) {
				t.Errorf("%s has the unknown backend %q", s.name, b.Kind)
			}
			if b.Kind == "native" {
				if b.Run != tool.Name || b.Device != "cpu" {
					t.Errorf("%s runs natively as %q on %q", s.name, b.Run, b.Device)
				}
			} else if b.Needs == "" {
				t.Errorf("%s does not say what its backend %s needs", s.name, b.Kind)
			}
		}
	}
}
