// Package faults_test tests the jobs with failing processes and servers: workers are killed, Redis restarts or is full, and
// files cannot be stored. Workers are processes that run this same program; the platform is in the test's process and
// outlives them.
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
