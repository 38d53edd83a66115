package doctor

import (
	"context"

	"atelier/bot/listen"
)

// examineWeb reports the address of the web channel, and who may use it.
func (x examination) examineWeb(context.Context) []Finding {
	if x.Listen == "" {
		return []Finding{{Missing, "web channel", "There is none, since ATELIER_LISTEN is off."}}
	}
	at := "http://" + listen.Reachable(x.Listen)
	if u := x.Web.Public; u != nil {
		at = u.String()
	}
	channel := Finding{Healthy, "web channel", "A process that serves the queue gateway has it at " + at}
	switch {
	case x.Web.UserHeader != "" && x.Web.Password != "":
		channel.Says += ", for people that a proxy names in " + x.Web.UserHeader + ", and for people who know WEB_PASSWORD."
	case x.Web.UserHeader != "":
		channel.Says += ", for people that a proxy names in " + x.Web.UserHeader + "."
	case x.Web.Password != "":
		channel.Says += ", for people who know WEB_PASSWORD."
	default:
		channel.Says += ", for this machine only."
	}
	if x.Web.UserHeader != "" && x.Web.Public == nil {
		channel.Says += " Requests for unknown host names are rejected: set PUBLIC_URL to the address that people use."
	}
	pointing := Finding{Healthy, "pointing", "Pictures on other chat platforms have links to pages for marking them, at " + at + "."}
	if x.Web.Public == nil {
		pointing = Finding{Missing, "pointing", "Pictures on other chat platforms have no links to pages for marking them: to have them, set PUBLIC_URL."}
	}
	return []Finding{channel, pointing}
}
