package program

// speech synthesizes and recognises speech.
type speech struct{ sounds }

func (s speech) operations() map[string]operation {
	return map[string]operation{
		"speech_to_text": {append([]need{{debian: "pocketsphinx", find: recogniser}, {debian: "pocketsphinx-en-us", find: heardModel}}, ffmpegs()...), s.hear},
		"text_to_speech": {append([]need{{program: "espeak-ng", debian: "espeak-ng"}}, ffmpegs()...), s.say},
	}
}
