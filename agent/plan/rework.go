package plan

// Rework is a follow-up to the results of a run that needs no words.
type Rework string

// The reworks.
const (
	Larger  Rework = "larger"  // twice the width and height
	Smaller Rework = "smaller" // a smaller file
	Vary    Rework = "vary"    // the same with other seeds
)

// Ends returns the files of a route that no other step used.
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
