package program

// video are the operations on video, by name.
func (b *Backend) video() map[string]operation { return map[string]operation{} }
