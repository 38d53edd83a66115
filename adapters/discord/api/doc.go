// Package api calls Discord's REST interface. Calls wait while Discord limits the rate (pacer),
// and errors become faults with a sentence for people, which hold no secrets.
package api
