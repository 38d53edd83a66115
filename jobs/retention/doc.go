// Package retention deletes media that have expired ([Sweeper]), and everything of a thread
// that people want forgotten ([Forgetter]).
package retention
