// Package view shows requests to people. It reads the records and changes nothing.
package view
