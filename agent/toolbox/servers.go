package toolbox

// State is how a server fares.
type State string

// The states of servers.
const (
	Up      State = "up"
	Loading State = "loading" // it answers, and its models are on their way
	Down    State = "down"    // nothing can run on it now
)

// Health is how a server of this process fares.
type Health struct {
	Server string `json:"server"`
	Kind   string `json:"kind"`
	Cloud  bool   `json:"cloud,omitempty"`
	State  State  `json:"state"`
	// Why says what is wrong, for people; only where Down.
	Why string `json:"why,omitempty"`
	// Ways is how many candidates can run on it, of all that it is asked for.
	Ways int `json:"ways"`
	All  int `json:"all"`
	// Running and Waiting are the calls of this moment, Parallel is how many may run; 0
	// is any number.
	Running  int `json:"running"`
	Waiting  int `json:"waiting"`
	Parallel int `json:"parallel,omitempty"`
	// Alone are the models that failed several times in a row and are left alone for a
	// while, "" where none was named.
	Alone []string `json:"alone,omitempty"`
}

// fill counts what of a server can run.
func (p *probed) fill(h *Health) {
	var whys []Why
	loading := 0
	for _, l := range p.tools {
		for _, a := range l.answers {
			if a.candidate.server() != h.Server {
				continue
			}
			h.All++
			switch {
			case a.live() && a.loading:
				loading++
				fallthrough
			case a.live():
				h.Ways++
			default:
				whys = append(whys, a.why())
			}
		}
	}
	switch {
	case h.Ways > loading:
		h.State = Up
	case loading > 0:
		h.State = Loading
	default:
		h.State = Down
		h.Why = most(whys)
	}
}

// most is the sentence that is said most often.
func most(whys []Why) string {
	var best Why
	most := 0
	for _, w := range distinct(whys) {
		n := 0
		for _, o := range whys {
			if o.equal(w) {
				n++
			}
		}
		if n > most {
			best, most = w, n
		}
	}
	return best.operator().String()
}
