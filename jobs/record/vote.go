package record

import "slices"

// maxVotes is how often a person may change a vote, so that nobody floods a log.
const maxVotes = 20

// vote replaces the person's earlier vote.
func (r *Run) vote(v Vote) {
	if r.rated == nil {
		r.rated = map[string]int{}
	}
	r.rated[v.By]++
	if i := r.voteOf(v.By); i >= 0 {
		r.Votes[i] = v
	} else {
		r.Votes = append(r.Votes, v)
	}
}

// Vote returns the vote of a person, if there is one.
func (r *Run) Vote(by string) (v Vote, ok bool) {
	if i := r.voteOf(by); i >= 0 {
		return r.Votes[i], true
	}
	return v, false
}

// MayVote reports whether a vote changes the person's last one, within [maxVotes].
func (r *Run) MayVote(v Vote) bool { return !slices.Contains(r.Votes, v) && r.rated[v.By] < maxVotes }

func (r *Run) voteOf(by string) int {
	return slices.IndexFunc(r.Votes, func(v Vote) bool { return v.By == by })
}
