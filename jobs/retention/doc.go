// Package retention deletes expired media ([Sweeper]), and threads that people want forgotten
// ([Forgetter]).
package retention
