// Package faults_test does to the jobs what befalls processes and servers: workers are
// killed, Redis goes away, is full and comes back, files find no place. The workers are
// processes of their own, which this very program is when it is called as one; the
// platform is in the test's process, and outlives them.
package faults_test

import (
	"log/slog"
	"os"
	"testing"

	"go.uber.org/goleak"

	redisstate "atelier/storage/redis"
)

func TestMain(m *testing.M) {
	if settings := os.Getenv(workerSettings); settings != "" {
		os.Exit(work(settings))
	}
	redisstate.LogTo(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m)
}
