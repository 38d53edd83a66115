package operate

import (
	"context"
	"time"

	"atelier/adapters"
	"atelier/bot/command"
	"atelier/bot/control"
	"atelier/bot/fault"
	"atelier/bot/output"
	"atelier/jobs"
)

// RequestsCommand is bot requests.
type RequestsCommand struct {
	Number int  `short:"n" help:"The number of requests to list, latest first. The default is 20." placeholder:"N" default:"20"`
	JSON   bool `help:"Print JSON: [{id, at, thread, adapter, by, status, runs, wish, good, bad}]: good and bad are the votes."`
}

// RequestLine is a request in the list.
type RequestLine struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Thread  string    `json:"thread"`
	Adapter string    `json:"adapter"`
	By      string    `json:"by"`
	// Status is the status of the latest run.
	Status string `json:"status"`
	Runs   int    `json:"runs"`
	Wish   string `json:"wish"`
	// Good and Bad are the numbers of votes on its answers.
	Good int `json:"good"`
	Bad  int `json:"bad"`
}

// Run lists the latest requests.
func (r *RequestsCommand) Run(ctx context.Context, c *command.Call) error {
	if r.Number < 1 || r.Number > 1000 {
		return fault.Usage("-n is %d: expected a number from 1 to 1000.", r.Number)
	}
	return With(ctx, c, func(o control.Jobs) error {
		latest, err := o.Requests(ctx, r.Number)
		if err != nil {
			return err
		}
		listed := make([]RequestLine, len(latest))
		for i, request := range latest {
			listed[i] = newRequestLine(request)
		}
		switch {
		case r.JSON:
			return output.JSON(c.Stdout, listed)
		case len(listed) == 0:
			return output.Say(c.Stdout, "There are no requests yet.\n")
		}
		return output.Print(c.Stdout, requestTable(listed, time.Local)) //nolint:gosmopolitan // for people at this machine
	})
}

func newRequestLine(r jobs.Request) RequestLine {
	l := RequestLine{
		ID: r.ID, At: r.At, Thread: r.ThreadID, Adapter: r.Thread.Adapter, By: who(r.By), Runs: len(r.Runs), Wish: WishOf(r),
	}
	if l.Runs > 0 {
		l.Status = string(r.Runs[l.Runs-1].Status)
	}
	for _, run := range r.Runs {
		for _, v := range run.Votes {
			if v.Good {
				l.Good++
			} else {
				l.Bad++
			}
		}
	}
	return l
}

// WishOf returns the text of the request; for a command that of its plan.
func WishOf(r jobs.Request) string {
	if r.Wish == "" && len(r.Runs) > 0 && r.Runs[0].Plan != nil {
		return r.Runs[0].Plan.Wish
	}
	return r.Wish
}

// who returns the name of a person.
func who(p adapters.Person) string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}

// requestTable is the list as a table, with times in a zone.
func requestTable(listed []RequestLine, zone *time.Location) []string {
	rows := [][]string{{"ID", "WHEN", "THREAD", "WHO", "STATUS", "WISH"}}
	for _, l := range listed {
		status := l.Status
		if l.Runs > 1 {
			status += " (" + output.Counted(l.Runs, "run") + ")"
		}
		rows = append(rows, []string{l.ID, moment(l.At, zone), l.Thread, output.OneLine(l.By, 20), status, output.OneLine(l.Wish, 60)})
	}
	return output.Align(rows)
}

// moment formats a time for people.
func moment(t time.Time, zone *time.Location) string { return t.In(zone).Format(time.DateTime) }
