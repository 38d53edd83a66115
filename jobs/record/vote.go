package record

import "slices"

// maxVotes is how often a person may change a vote, so that nobody fills a log.
const maxVotes = 20

// vote counts a vote in place of the person's earlier one.
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

// Vote is the vote of a person, if there is one.
func (r *Run) Vote(by string) (v Vote, ok bool) {
	if i := r.voteOf(by); i >= 0 {
		return r.Votes[i], true
	}
	return v, false
}

// MayVote reports whether a vote is another one than the person's last, and not one too many.
func (r *Run) MayVote(v Vote) bool { return !slices.Contains(r.Votes, v) && r.rated[v.By] < maxVotes }

func (r *Run) voteOf(by string) int {
	return slices.IndexFunc(r.Votes, func(v Vote) bool { return v.By == by })
}
