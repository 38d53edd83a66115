package quantity

import (
	"slices"
	"time"

	"atelier/agent/lazyregexp"
)

// maxMoments is the maximum number of times in a list.
const maxMoments = 100

var (
	// besideMoments matches the text around the times of a list: "at 0:30, 1:15 and the 2 minute mark".
	besideMoments = lazyregexp.New(`^(?:[ ,&-]|\b(?:at|after|and|then|the|marks?|hours?|minutes?|seconds?)\b)*$`)
	beforeMoments = lazyregexp.New(`(?i)\b(?:at|after)(?: the)? $`)
	amongMoments  = lazyregexp.New(`(?i)^(?: ?, ?(?:and |then )?| and | then | ?& ?)(?:at |after )?(?:the )?$`)
)

// Moments parses a list of times from the start: "0:30, 1:15 and 2:00", "at 10, 20 and 30
// seconds", "after 2 minutes". It returns them in ascending order, without duplicates.
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
	for _, m := range slices.Backward(found) { // "2 and 4 minutes": the last unit also applies to the times before
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

// FindMoments returns the byte range of a list of times that starts with "at" or "after": "at 0:30 and
// 1:15". It returns zeros if there is none.
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

// ofTime reports whether a quantity with this unit may be a time.
func ofTime(u Unit) bool { return u == Time || u == Clock || u == Number }
