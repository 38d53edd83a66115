// Package post posts answers to platforms, and shows status reactions on the messages of requests. Files that
// a platform rejects are sent as links, or left out and named: the text always arrives.
package post
