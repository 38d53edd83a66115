package toolbox

// State is the state of a server.
type State string

// The states of servers.
const (
	Up      State = "up"
	Loading State = "loading" // it answers, and its models are loading
	Down    State = "down"    // nothing can run on it now
)

// Health is the state of a server as seen by this process.
type Health struct {
	Server string `json:"server"`
	Kind   string `json:"kind"`
	Cloud  bool   `json:"cloud,omitempty"`
	State  State  `json:"state"`
	// Why says what is wrong, for people; empty unless Down.
	Why string `json:"why,omitempty"`
	// Ways is the number of its candidates that can run, out of All.
	Ways int `json:"ways"`
	All  int `json:"all"`
	// Running and Waiting count the current calls. Parallel limits Running; 0 means no limit.
	Running  int `json:"running"`
	Waiting  int `json:"waiting"`
	Parallel int `json:"parallel,omitempty"`
	// Alone lists the models paused after several consecutive failures, "" for calls without a model name.
	Alone []string `json:"alone,omitempty"`
}

// fill sets the state and the candidate counts of a server.
func (p *probed) fill(h *Health) {
	var whys []Obstacle
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

// most returns the most frequent sentence.
func most(whys []Obstacle) string {
	var best Obstacle
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
