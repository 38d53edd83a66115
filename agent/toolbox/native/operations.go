package native

import (
	"maps"
)

// operations is the table from what a backing asks for to the function that does it.
func (n *Native) operations() map[string]operation {
	ops := n.imageOperations()
	maps.Copy(ops, n.textOperations())
	maps.Copy(ops, n.fileOperations())
	maps.Copy(ops, tableOperations())
	maps.Copy(ops, editOperations())
	return ops
}

// imageOperations are the operations on pictures.
func (n *Native) imageOperations() map[string]operation {
	return map[string]operation{
		"add_text_to_image":         n.editing(addText),
		"annotate_image":            n.editing(annotate),
		"meme_text":                 n.editing(meme),
		"adjust_image":              n.editing(adjust),
		"black_out_objects":         n.editing(hiding(coverPart)),
		"black_out_region":          n.editing(hiding(coverPart)),
		"blur_image":                n.editing(blur),
		"blur_objects":              n.editing(hiding(blurPart)),
		"blur_region":               n.editing(hiding(blurPart)),
		"collage_images":            n.collage,
		"colour_swatch":             n.colourSwatch,
		"compare_images":            n.compareImages,
		"difference_picture":        n.differencePicture,
		"dominant_colours":          n.dominantColours,
		"icon_set":                  n.iconSet,
		"measure_sharpness":         n.measureSharpness,
		"trim_borders":              n.trimBorders,
		"convert_image":             n.editing(convert),
		"crop_region":               n.editing(cropRegion),
		"fit_image_size":            n.fitSize,
		"flip_image":                n.editing(flip),
		"greyscale_image":           n.editing(greyscale),
		"highlight_object_on_image": n.editing(highlight),
		"image_cropping":            n.cropBoxes,
		"image_to_edge":             n.editing(toEdges),
		"image_to_line":             n.editing(toLines),
		"images_to_gif":             n.imagesToGIF,
		"image_to_pdf":              n.imagesToPDF,
		"images_to_pdf":             n.imagesToPDF,
		"make_thumbnail":            n.editing(thumbnail),
		"mask_from_boxes":           n.maskFromBoxes,
		"mask_image":                n.maskImage,
		"normal_from_depth":         n.normalFromDepth,
		"pixelate_image":            n.editing(hiding(pixelatePart)),
		"pixelate_objects":          n.editing(hiding(pixelatePart)),
		"read_code":                 n.readCode,
		"resize_image":              n.editing(n.resize),
		"rotate_image":              n.editing(n.rotate),
		"split_animation":           n.splitAnimation,
		"straighten_image":          n.editing(straighten),
		"upscale_image":             n.editing(n.upscale),
	}
}
