package program

// sound are the operations on sound, by name.
func (b *Backend) sound() map[string]operation { return map[string]operation{} }
