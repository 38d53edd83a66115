package program

// video are the operations on moving pictures, by name.
//
// What they make plays everywhere: H.264 with 4:2:0 colours and even sides of at most
// 3840 × 2160 pixels, and AAC, in an MP4 that begins to play before it is loaded, unless
// another format is asked for. Pictures that are shown at uneven times stay so.
func (b *Backend) video() map[string]operation {
	return map[string]operation{
		"add_subtitles":        {ffmpegs, tidied(b.addSubtitles)},
		"change_speed":         {ffmpegs, tidied(b.changeSpeed)},
		"convert_video":        {ffmpegs, tidied(b.convertVideo)},
		"cut_video":            {ffmpegs, tidied(b.cutVideo)},
		"dub_video":            {ffmpegs, tidied(b.dubVideo)},
		"extract_frames":       {ffmpegs, tidied(b.extractFrames)},
		"fit_video_size":       {ffmpegs, tidied(b.fitVideoSize)},
		"image_audio_to_video": {ffmpegs, tidied(b.imageAudioToVideo)},
		"image_to_video":       {ffmpegs, tidied(b.imageToVideo)},
		"join_videos":          {ffmpegs, tidied(b.joinVideos)},
		"make_slideshow":       {ffmpegs, tidied(b.slideshow)},
		"make_gif":             {ffmpegs, tidied(b.makeGIF)},
		"mute_video":           {ffmpegs, tidied(b.muteVideo)},
	}
}
