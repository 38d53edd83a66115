// Package api calls Slack's Web API. Calls wait while Slack limits the rate of a method (gate,
// paces), and the errors of the library become faults with a sentence for people ([Fault]), which
// hold no secrets.
package api
