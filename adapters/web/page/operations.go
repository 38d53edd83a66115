package page

import "time"

// Operations is how the program fares. It has nothing of what people ask for.
type Operations struct {
	Queues    []Queue
	Processes []Process
	Servers   []Server
	Failures  []Failure // latest first
}

// Queue is how the tasks of one queue stand.
type Queue struct {
	Name                           string
	Waiting, Active, Later, Failed int
	Oldest                         time.Duration // for which the first task waits
	Workers                        int
}

// Process is one that works on queues.
type Process struct {
	Name   string
	Since  time.Time
	Queues []string
	Tasks  int
	Tools  int
}

// Server is one that tools run on.
type Server struct {
	Name, Kind                      string
	State                           string // up, loading or down
	Why                             string // it is down
	Live, All                       int    // ways to run a tool on it
	Running, Waiting, RunningAtOnce int    // calls; RunningAtOnce 0 is any number
	Alone                           []string
}

// Failure is a request that failed, or was done in part.
type Failure struct {
	Request  string
	Platform string
	At       time.Time
	Partly   bool
	Tools    []string // that failed
	Why      string   // it ended before its time, in a word
}
