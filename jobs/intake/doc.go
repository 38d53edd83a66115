// Package intake downloads files and the history of a thread from platforms. Files are inspected
// before they are stored, and count against the quota of the person who sent them.
package intake
