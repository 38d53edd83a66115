package endpoint

// Sort is [Endpoint.Sort] of a server that was shown a key, with the usual names of the settings.
func Sort(err error, model string) error { return Names{}.sort(err, model, false) }
