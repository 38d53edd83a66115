package table

import (
	"strings"
	"testing"
)

func TestWhere(t *testing.T) {
	t.Parallel()
	orders, err := Read("name,city,price,ordered on,status\n" +
		"Ann,Berlin,\"1,200\",2026-01-05,done\nBob,Hamburg,950.5,2026-02-11,open\nCy,Köln,87,2026-03-01,\nDee,berlin,100,2026-01-20,not done\n")
	if err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"city is Berlin": "Ann Dee",
		"city = Köln":    "Cy",
		"only the rows where the city is Berlin or Hamburg": "Ann Bob Dee",
		"the city is Berlin and Hamburg":                    "Ann Bob Dee",
		"city is not Berlin":                                "Bob Cy",
		"city != berlin":                                    "Bob Cy",
		"price over 100":                                    "Ann Bob",
		"the price is at least 100":                         "Ann Bob Dee",
		"price >= 100":                                      "Ann Bob Dee",
		"price<100":                                         "Cy",
		"the price is less than 1000 and the city is Berlin": "Dee",
		"price between 90 and 1000":                          "Bob Dee",
		"over 100 in the price column":                       "Ann Bob",
		"price > 1000 or status is open":                     "Ann Bob",
		"city is Köln or price is 100 and status is done":    "Cy",
		"city is Köln or Hamburg or the price is 100":        "Bob Cy Dee",
		"ordered on is after 2026-02-01":                     "Bob Cy",
		"rows ordered before 1 February 2026":                "Ann Dee",
		"status is empty":                                    "Cy",
		"status is not empty":                                "Ann Bob Dee",
		"status done":                                        "Ann",
		"rows with status \"not done\"":                      "Dee",
		"name starts with B":                                 "Bob",
		"name ends with y":                                   "Cy",
		"city contains burg":                                 "Bob",
		"city does not contain er":                           "Bob Cy",
		"all entries of Hamburg":                             "Bob",
		"Berlin":                                             "Ann Dee",
		"Berlin in the column city":                          "Ann Dee",
		"the second column is Hamburg":                       "Bob",
		"column 3 is 87":                                     "Cy",
		"city is Atlantis":                                   "",
	} {
		got, ok := orders.Where(words, false)
		others, _ := orders.Where(words, true)
		if names := namesOf(got); !ok || names != want || len(got.Rows)+len(others.Rows) != len(orders.Rows) {
			t.Errorf("%q keeps %q, not %q; the others are %q", words, names, want, namesOf(others))
		}
	}
	if _, ok := orders.Where("  ", false); ok {
		t.Error("nothing is a condition")
	}
}

func namesOf(t Table) string {
	var all []string
	for _, r := range t.Rows {
		all = append(all, r[0])
	}
	return strings.Join(all, " ")
}

// FuzzWhere: each row is either kept or removed.
func FuzzWhere(f *testing.F) {
	f.Add("a,b\n1,x\n2,y\n", "a is 1 and b > x or between 1 and 2")
	f.Fuzz(func(t *testing.T, text, words string) {
		all, err := Read(text)
		if err != nil {
			return
		}
		kept, ok := all.Where(words, false)
		others, too := all.Where(words, true)
		if ok != too || ok && len(kept.Rows)+len(others.Rows) != len(all.Rows) {
			t.Errorf("%d rows are kept and %d left out of %d", len(kept.Rows), len(others.Rows), len(all.Rows))
		}
	})
}
