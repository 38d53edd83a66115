// Package view shows requests as people may look at them. It reads the records and changes
// nothing.
package view
