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
	channel := Finding{Healthy, "web channel", "Where gateway is served it is at " + at}
	switch {
	case x.Web.UserHeader != "" && x.Web.Password != "":
		channel.Says += ", for whom a proxy names in " + x.Web.UserHeader + ", and for whoever knows WEB_PASSWORD."
	case x.Web.UserHeader != "":
		channel.Says += ", for whom a proxy names in " + x.Web.UserHeader + "."
	case x.Web.Password != "":
		channel.Says += ", for whoever knows WEB_PASSWORD."
	default:
		channel.Says += ", for this machine only."
	}
	if x.Web.UserHeader != "" && x.Web.Public == nil {
		channel.Says += " Requests for a name that is not known are refused: set PUBLIC_URL to where people reach it."
	}
	pointing := Finding{Healthy, "pointing", "Pictures in other chat platforms have links to point at them, at " + at + "."}
	if x.Web.Public == nil {
		pointing = Finding{Missing, "pointing", "Pictures in other chat platforms have no links to point at them: for these, set PUBLIC_URL."}
	}
	return []Finding{channel, pointing}
}
