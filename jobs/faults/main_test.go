// Package faults_test does to the jobs what befalls processes and servers: workers are
// killed, Redis goes away, is full and comes back, files find no place. The workers are
// processes of their own, which this very program is when it is called as one; the
// platform is in the test's process, and outlives them.
package faults_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if settings := os.Getenv(workerSettings); settings != "" {
		os.Exit(work(settings))
	}
	goleak.VerifyTestMain(m)
}
