package web

// drawing is a Work as it is drawn.
type drawing struct {
	Steps []Step
}

func draw(w Work) drawing { return drawing{Steps: w.Steps} }
