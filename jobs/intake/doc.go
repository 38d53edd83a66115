// Package intake takes files and the history of a thread in from platforms. Files are
// inspected before they are stored, and count against the quota of who sent them.
package intake
