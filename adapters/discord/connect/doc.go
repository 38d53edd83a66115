// Package connect holds the connection to Discord's gateway, and passes its events on. The library's
// own connection cannot be ended by a context, and does not report why Discord closed it.
package connect
