package forecast

import (
	"errors"
	"fmt"

	"strconv"
	"strings"
	"time"

	"atelier/agent/lazyregexp"
)

var (
	first = lazyregexp.New(`^(.+) \((\w+, \d{1,2} \w+ \d{4}, \d\d:\d\d)\)$`)
	now   = lazyregexp.New(`^Now: (.+), (-?\d+) °C, feels like (-?\d+) °C, humidity (\d+) %, wind (\d+) km/h(?: from the (\w+))?$`)
	daily = lazyregexp.New(`^(\w+, \d{1,2} \w+ \d{4}): (.+), (-?\d+) to (-?\d+) °C(?:, (\d+) % chance of rain or snow)?` +
		`(?:, (\d+(?:\.\d+)?) mm)?(?:, (\d+(?:\.\d+)?) cm of snow)?, wind up to (\d+) km/h$`)
)

// errForm is returned for a text that String has not written.
var errForm = errors.New("not a forecast as written by Forecast.String")

// Parse parses a text written by [Forecast.String]. Its times are local times of the place, in time.UTC.
func Parse(text string) (Forecast, error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 2 {
		return Forecast{}, errForm
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	head, moments := first.FindStringSubmatch(lines[0]), now.FindStringSubmatch(lines[1])
	if head == nil || moments == nil {
		return Forecast{}, errForm
	}
	at, err := time.Parse(moment, head[2])
	if err != nil {
		return Forecast{}, fmt.Errorf("%w: %w", errForm, err)
	}
	var n numbers
	f := Forecast{Place: head[1], At: at, Now: Now{
		Sky: moments[1], Temperature: n.whole(moments[2]), Feels: n.whole(moments[3]), Humidity: n.whole(moments[4]),
		Wind: n.whole(moments[5]), From: moments[6],
	}}
	for _, line := range lines[2:] {
		if source, ok := strings.CutPrefix(line, "Source: "); ok {
			f.Source = source
			continue
		}
		m := daily.FindStringSubmatch(line)
		if m == nil {
			return Forecast{}, errForm
		}
		on, err := time.Parse(date, m[1])
		if err != nil {
			return Forecast{}, fmt.Errorf("%w: %w", errForm, err)
		}
		d := Day{Date: on, Sky: m[2], Low: n.whole(m[3]), High: n.whole(m[4]), Chance: -1, Wet: n.part(m[6]), Snow: n.part(m[7]), Wind: n.whole(m[8])}
		if m[5] != "" {
			d.Chance = n.whole(m[5])
		}
		f.Days = append(f.Days, d)
	}
	return f, n.err
}

// numbers parses numbers and keeps the first error.
type numbers struct{ err error }

func (n *numbers) whole(s string) int {
	v, err := strconv.Atoi(s)
	n.keep(err)
	return v
}

func (n *numbers) part(s string) float64 {
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	n.keep(err)
	return v
}

func (n *numbers) keep(err error) {
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("%w: %w", errForm, err)
	}
}
