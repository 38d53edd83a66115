package program

// speech are the operations on speech, by name.
func (b *Backend) speech() map[string]operation { return map[string]operation{} }
