package page

import "time"

// Operations is the state of the program, without anything that people asked for.
type Operations struct {
	Queues    []Queue
	Processes []Process
	Servers   []Server
	Failures  []Failure // latest first
}

// Queue is the state of one queue.
type Queue struct {
	Name                           string
	Waiting, Active, Later, Failed int
	Oldest                         time.Duration // wait of the oldest task
	Workers                        int
}

// Process is a process that works on queues.
type Process struct {
	Name   string
	Since  time.Time
	Queues []string
	Tasks  int
	Tools  int
}

// Server is a server that tools run on.
type Server struct {
	Name, Kind                      string
	State                           string // up, loading or down
	Why                             string // why it is down
	Live, All                       int    // ways to run a tool on it
	Running, Waiting, RunningAtOnce int    // calls; RunningAtOnce 0 means unlimited
	Alone                           []string
}

// Failure is a request that failed, or was done in part.
type Failure struct {
	Request  string
	Platform string
	At       time.Time
	Partly   bool
	Tools    []FailedTool
	Why      string // why it ended early, in a word
	Cause    string // what broke, without anything that people wrote
}

// FailedTool is a tool that failed, and why, without anything that people wrote.
type FailedTool struct{ Name, Cause string }
