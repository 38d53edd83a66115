// Package share uploads files and shows them in a message, once under a key: files that were shown
// are never sent again.
package share
