package quantity

import (
	"slices"
	"time"

	"atelier/agent/lazyregexp"
)

// maxMoments is the most times of a list.
const maxMoments = 100

var (
	// besideMoments is what may stand around the times of a list: "at 0:30, 1:15 and the 2 minute mark".
	besideMoments = lazyregexp.New(`^(?:[ ,&-]|\b(?:at|after|and|then|the|marks?|hours?|minutes?|seconds?)\b)*$`)
	beforeMoments = lazyregexp.New(`(?i)\b(?:at|after)(?: the)? $`)
	amongMoments  = lazyregexp.New(`(?i)^(?: ?, ?(?:and |then )?| and | then | ?& ?)(?:at |after )?(?:the )?$`)
)

// Moments understands a list of times from the beginning: "0:30, 1:15 and 2:00", "at 10, 20 and 30
// seconds", "after 2 minutes". They are given in order, each once.
func Moments(text string) ([]time.Duration, bool) {
	s := foldTimes(text)
	found := moments(s)
	if senseless(s) || opening.MatchString(s) || closing.MatchString(s) || len(found) == 0 || len(found) > maxMoments {
		return nil, false
	}
	end := 0
	for _, m := range found {
		if !besideMoments.MatchString(s[end:m.begin]) {
			return nil, false
		}
		end = m.end
	}
	if !besideMoments.MatchString(s[end:]) {
		return nil, false
	}
	var times []time.Duration
	unit := time.Second
	for _, m := range slices.Backward(found) { // "2 and 4 minutes": the unit stands behind the last one
		at := m.at
		if m.unit != 0 {
			unit = m.unit
		} else {
			at = time.Duration(at.Seconds() * float64(unit))
		}
		if at < 0 || at == 0 && len(found) == 1 || at > maxTime {
			return nil, false
		}
		times = append(times, at)
	}
	slices.Sort(times)
	return slices.Compact(times), true
}

// FindMoments is the place in a text of a list of times with an "at" or "after" before it: "at 0:30 and
// 1:15". The zero places mean that there is none.
func FindMoments(text string) (start, end int) {
	found := Find(text)
	for i, q := range found {
		lead := beforeMoments.FindStringIndex(text[:q.Start])
		if lead == nil || !ofTime(q.Unit) {
			continue
		}
		timed := q.Unit != Number
		end = q.End
		for _, next := range found[i+1:] {
			if !ofTime(next.Unit) || !amongMoments.MatchString(text[end:next.Start]) {
				break
			}
			end, timed = next.End, timed || next.Unit != Number
		}
		if timed {
			return lead[0], end
		}
	}
	return 0, 0
}

// ofTime reports whether a quantity in the unit may be a time.
func ofTime(u Unit) bool { return u == Time || u == Clock || u == Number }
