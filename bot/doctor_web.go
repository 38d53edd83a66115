package main

// examineWeb tells where the channel in the browser is, and who is let in.
func (c Config) examineWeb() []finding {
	if c.Listen == "" {
		return []finding{{missing, "web channel", "There is none, since ATELIER_LISTEN is off."}}
	}
	at := "http://" + reachable(c.Listen)
	if u := c.Web.Public; u != nil {
		at = u.String()
	}
	channel := finding{healthy, "web channel", "Where gateway is served it is at " + at}
	switch {
	case c.Web.UserHeader != "" && c.Web.Password != "":
		channel.Says += ", for whom a proxy names in " + c.Web.UserHeader + ", and for whoever knows WEB_PASSWORD."
	case c.Web.UserHeader != "":
		channel.Says += ", for whom a proxy names in " + c.Web.UserHeader + "."
	case c.Web.Password != "":
		channel.Says += ", for whoever knows WEB_PASSWORD."
	default:
		channel.Says += ", for this machine only."
	}
	if c.Web.UserHeader != "" && c.Web.Public == nil {
		channel.Says += " Requests for a name that is not known are refused: set PUBLIC_URL to where people reach it."
	}
	pointing := finding{healthy, "pointing", "Pictures in other chat platforms have links to point at them, at " + at + "."}
	if c.Web.Public == nil {
		pointing = finding{missing, "pointing", "Pictures in other chat platforms have no links to point at them: for these, set PUBLIC_URL."}
	}
	return []finding{channel, pointing}
}
