package plan

// Rework is a way to go on from the results of a run that needs no words.
type Rework string

// The reworks.
const (
	Larger  Rework = "larger"  // twice as many pixels each way
	Smaller Rework = "smaller" // a smaller file
	Vary    Rework = "vary"    // the same with other seeds
)

// Ends are the files of a route from which it made no others.
func (r *Route) Ends() []Resource {
	taken := map[int]bool{}
	for _, s := range r.steps {
		for _, in := range s.Inputs() {
			taken[in] = true
		}
	}
	var all []Resource
	for i, s := range r.steps {
		if taken[i] {
			continue
		}
		for _, out := range r.results[s.Key].Outputs() {
			if out.Type.Media() {
				all = append(all, out)
			}
		}
	}
	return all
}
