package messages_test

import (
	"testing"

	"atelier/adapters/messages"
)

// The text that a task is about may be in any language and of any length.
func TestLanguageOfMixedWishes(t *testing.T) {
	t.Parallel()
	for want, wishes := range map[string][]string{
		messages.SimplifiedChinese: {
			"翻译成中文：Hello, how are you? I am fine.",
			"翻译成中文: Hello, how are you? I am fine.",
			"翻译成中文\nHello, how are you? I am fine.",
			"翻译成中文，Hello, how are you? I am fine.",
			"翻译 I am the walrus and you are not",
			"把下面这句话翻译成中文：The quick brown fox jumps over the lazy dog.",
			"把“The quick brown fox jumps over the lazy dog”翻译一下",
			"把 I love you 翻译成法语",
			"I love you 用中文怎么说",
			"What are you doing 是什么意思？",
			"生成图片: a photo of the sea at sunset",
			"画一张 a cat sitting on the moon with a red hat",
			"画 a cat on the moon with a hat of the king and a sword in the hand",
			"总结一下这段话 Lorem ipsum dolor sit amet consectetur adipiscing elit sed do",
			"总结 https://example.com/a/b",
			"总结https://example.com/the/way/to/do/it",
			"把图片里的 the man in the red shirt 去掉",
			"把图片里的 the man in the red shirt on the left side of the picture 去掉",
			"删除 the dog", "删除 the dog on the left of the man", "裁剪 the top of the picture",
			"把 logo 放到 top left", "logo 放到 top left", "logo 放到左上角", "黑白 my holiday photo.jpg",
			"IMG_2034.JPG 黑白", "照片.jpg 黑白", "把照片.jpg rotate 90 度", "把photo.jpg变成卡通 style",
			"OCR 这个", "ＯＣＲ 这个", "OCR: 这张图", "OCR 一下", "resize 到 50%", "帮我 resize 到 50%", "crop 一下左上角", "blur 一下 face",
			"blur 这张照片里的人脸", "make 这张图片里的人都变成卡通 style", "remove 掉背景",
			"这张图里有几只 dog", "有没有 dog", "用 mask_image", "这是 a dog 还是 a cat", "请 crop", "我想 make it black and white",
			"人脸 blur", "背景 remove", "加上文字 Happy New Year to all of you", "写上 I love you and the world",
			"写上'Happy New Year to you and me'", "写上‘Don’t do it to me and you’", "‘Happy New Year to you’写在图片上",
			"把'Happy New Year to all of the people'写在图片上", "'I am the one'是什么意思",
			"“你好”是什么意思", "给图片加上 “What is it to you?” 这句话",
			"OK，继续", "hello 把背景去掉", "please 把背景去掉 thanks", "Hi\n把它变成卡通", "Ann: 把它变成卡通", "@Ann: 把它变成卡通",
			":smile: 变成卡通", "<:party:1234> 变成卡通", "把它裁成 16:9 of the picture", "比例 16:9",
			"把こんにちは翻译成中文", "这个 사진 是什么", "請把 the dog 刪掉", "這是什麼 animal", "嗨", "好", "再来一次", "谢谢 Ann",
			"用 the second one", "第二个 one", "背景换成 the beach in the evening", "红色 background", "3號", "是",
			"把 `for i in range(10)` 解释一下", "解释 ```\nfor the a in the b: do it\n``` 这段代码",
		},
		messages.English: {
			"translate to English: 你好，世界，今天天气很好", "translate to English：你好，世界，今天天气很好",
			"translate to English\n你好，世界，今天天气很好", "Translate: 我是一个学生，你是谁？", "translate 我的猫是黑色的", "translate 你好",
			"translate 我是学生 to English", "please translate 我是学生", "Please translate this text: 请把这个给我",
			"What does 春眠不觉晓处处闻啼鸟 mean?", "What's 春眠不觉晓处处闻啼鸟?", "who wrote 床前明月光", "how do you say 我的 in English?",
			"how to pronounce 我是学生", "explain 把 and 被 in Chinese", "What is the difference between 的, 得 and 地?",
			"blur 人脸", "blur the 人脸", "crop 左上角", "remove 背景", "remove the 背景里的人", "make 背景 blue", "make 这张图 blue",
			"make it 像油画一样", "rotate '我的照片' a bit", "rotate ‘我的照片’", "write ‘你是我的’ on it", "write '春节快乐，我们的家' on it",
			"add 春节快乐 to it", "write 我们的家 on the wall", "write 新年快乐", "春节快乐 should be written on the picture",
			"背景 should be blue", "summarize: 这是一个很长的故事，我们都很喜欢他们的猫", "photo of 长城", "a photo of 长城 in the snow",
			"rotate 我的照片.jpg", "make 我的照片.jpg black and white", "你好 please make it red", "Hello! 你好! Make it red.",
			"Write this on the picture: 我爱你们", "don't remove the dogs' hats", "the cats' hats and the dogs' hats",
			"日本語にして", "画像を白黒", "写真.jpg を白黒にして", "translate to Chinese: こんにちは", "ñandú", "yes", "stop", "again please",
			"draw a cat: 一只猫", "what time is it at 10:30 in 北京",
		},
	} {
		for _, wish := range wishes {
			if got := messages.Language(wish); got != want {
				t.Errorf("%q is in %s, want %s", wish, got, want)
			}
		}
	}
}

// Words of every language do not change the language of a conversation.
func TestLanguageOfAConversation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"1", "把它变成卡通"}, messages.SimplifiedChinese},
		{[]string{"？", "", "👍", "把它变成卡通", "make it red"}, messages.SimplifiedChinese},
		{[]string{"🔁", "make it red", "把它变成卡通"}, messages.English},
		{[]string{"yes", "把它变成卡通"}, messages.English},
		{[]string{"是", "make it red"}, messages.SimplifiedChinese},
		{[]string{"a.png", "把它变成卡通"}, messages.SimplifiedChinese},
	} {
		if got := messages.Language(c.texts[0], c.texts[1:]...); got != c.want {
			t.Errorf("%q are in %s, want %s", c.texts, got, c.want)
		}
	}
}
