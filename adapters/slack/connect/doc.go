// Package connect receives from Slack, by Socket Mode ([Socket]) or by signed HTTP requests
// ([Webhook]), and passes what arrives to package receive. An event is confirmed when the handler
// has accepted it; Slack repeats unconfirmed events.
package connect
