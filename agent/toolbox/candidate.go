package toolbox

import (
	"cmp"
	"slices"
	"time"

	"atelier/agent/plan"
)

// Server is where backings run: this process itself, or a server that it asks.
type Server struct {
	// Name stands in front of the names of its candidates; "" is the Kind. One that speaks
	// several dialects is several with one name, each of its kind, which share what it can
	// take at a time.
	Name string
	// Kind is that of the backings that it runs: native, program, hftask, openai,
	// localai, http, weather.
	Kind string
	// Base is the address of a service, of the kind http: it runs the backings whose requests go
	// there, and no others.
	Base    string
	Backend Backend
	// Cloud marks one outside of the house: it is asked after all others.
	Cloud bool
	// Parallel is how many calls it is given at a time; 0 is any number.
	Parallel int
	// Assumed has the server count as up until a probe says otherwise, so that no plan waits
	// for that probe. Before a call it is probed like any other.
	Assumed bool
}

// name is the server's name in candidates.
func (s Server) name() string { return cmp.Or(s.Name, s.Kind) }

// runs reports whether the backing is of the server's kind, and its request goes there.
func (s Server) runs(b Backing) bool { return s.Kind == b.Kind && s.Base == b.Request.Base() }

// Way is one way to run a tool as an operator lists it, in place of what the
// catalogue and the order of the servers say.
type Way struct {
	// Server is the name of a [Server].
	Server string
	// Run is that of the tool's backing of the server's kind; "" is the first one.
	Run string
	// Model is the server's name of a model; "" is the one that the server has for it.
	Model string
	// Timeout is how long one call may take; 0 is [Config].Patience.
	Timeout time.Duration
	// Approximate marks a weaker stand-in, besides those that the catalogue marks.
	Approximate bool
}

// Candidate is one way to run a tool: a backing, on a server, by a model.
type Candidate struct {
	Backing
	// Server is the name of the server; "" is the Kind.
	Server string
	// Model is the server's name of a model, "" where none is named.
	Model string
	// Cloud tells that the server is outside of the house.
	Cloud bool
	// Timeout is how long one call may take; 0 is as long as any.
	Timeout time.Duration

	rank int // see plan.Candidate
}

// Name is unique among the candidates of a tool, and the same in every process:
// "native:image_to_edge", "toolserver:text-to-image@org/model".
func (c Candidate) Name() string {
	name := c.server() + ":" + c.Run
	if c.Model != "" {
		name += "@" + c.Model
	}
	return name
}

// server is the name of its server.
func (c Candidate) server() string { return cmp.Or(c.Server, c.Kind) }

// told is what other processes are told of it.
func (c Candidate) told() plan.Candidate {
	return plan.Candidate{
		Name: c.Name(), Kind: c.Kind, Run: c.Run, Server: c.server(), Model: c.Model, Device: c.Device,
		Approximate: c.Approximate, Cloud: c.Cloud, Rank: c.rank,
	}
}

// candidates lists the ways to run a tool, in the order in which they are tried. Unless
// the operator has said otherwise, that is the catalogue's order of backings, each on the
// servers in their order and by the models in theirs, the one that no name is given for
// last; what is in the house before what is not, and stand-ins after all others.
func candidates(tool Tool, config Config) []Candidate {
	if ways, ok := config.Ways[tool.Name]; ok {
		return listed(tool, config.Servers, ways)
	}
	var all []Candidate
	for i, b := range tool.Backends {
		for _, s := range config.Servers {
			if !s.runs(b) {
				continue
			}
			c := Candidate{Backing: b, Server: s.Name, Cloud: s.Cloud, rank: listable + i}
			if c.Cloud {
				c.rank += listable
			}
			if c.Approximate {
				c.rank += 2 * listable
			}
			for _, m := range config.Catalogue.Models() {
				if m.Does(tool.Name, b) {
					named := c
					named.Model = m.ID
					all = append(all, named)
				}
			}
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(a.rank, b.rank) })
	return all
}

// listable is more than the candidates of a tool that an operator may list, and more than
// the backings that a tool may have.
const listable = 1000

// listed are the candidates of a tool that the operator has listed.
func listed(tool Tool, servers []Server, ways []Way) []Candidate {
	var all []Candidate
	for i, w := range ways {
		s, b := runsOn(tool, servers, w)
		if b < 0 {
			continue
		}
		c := Candidate{Backing: tool.Backends[b], Server: servers[s].Name, Cloud: servers[s].Cloud, Model: w.Model, Timeout: w.Timeout}
		c.rank = min(i, listable-1)
		c.Approximate = c.Approximate || w.Approximate
		all = append(all, c)
	}
	return all
}

// runsOn finds the server of a way, and the tool's backing that is meant; -1 if none is.
func runsOn(tool Tool, servers []Server, w Way) (server, backing int) {
	for b, backing := range tool.Backends {
		if w.Run != "" && backing.Run != w.Run {
			continue
		}
		if s := slices.IndexFunc(servers, func(s Server) bool { return s.name() == w.Server && s.runs(backing) }); s >= 0 {
			return s, b
		}
	}
	return -1, -1
}
