package check

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// reaches reports whether the policies of the release allow a connection from one pod to another's port.
func (r rendering) reaches(t *testing.T, from, to pod, port int32) bool {
	t.Helper()
	return r.allows(t, from, to, port, networkingv1.PolicyTypeEgress) && r.allows(t, to, from, port, networkingv1.PolicyTypeIngress)
}

// allows checks one side of it.
func (r rendering) allows(t *testing.T, of, peer pod, port int32, side networkingv1.PolicyType) bool {
	t.Helper()
	held := false
	for _, p := range r.policies {
		if !selects(t, &p.Spec.PodSelector, of.Labels) || !slices.Contains(p.Spec.PolicyTypes, side) {
			continue
		}
		held = true
		listener := peer
		if side == networkingv1.PolicyTypeIngress {
			listener = of
			for _, rule := range p.Spec.Ingress {
				if fits(t, rule.From, peer) && opens(rule.Ports, listener, port) {
					return true
				}
			}
			continue
		}
		for _, rule := range p.Spec.Egress {
			if fits(t, rule.To, peer) && opens(rule.Ports, listener, port) {
				return true
			}
		}
	}
	return !held
}

// fits reports whether a pod of the same namespace is among the peers. Blocks of addresses are assumed to contain
// no pods.
func fits(t *testing.T, peers []networkingv1.NetworkPolicyPeer, p pod) bool {
	t.Helper()
	return len(peers) == 0 || slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		if peer.NamespaceSelector != nil && len(peer.NamespaceSelector.MatchLabels)+len(peer.NamespaceSelector.MatchExpressions) > 0 {
			return false
		}
		if peer.PodSelector == nil {
			return peer.NamespaceSelector != nil
		}
		return selects(t, peer.PodSelector, p.Labels)
	})
}

// opens reports whether a port of the listening pod is among those of a rule.
func opens(ports []networkingv1.NetworkPolicyPort, listener pod, port int32) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		if p.Protocol != nil && *p.Protocol != corev1.ProtocolTCP {
			return false
		}
		if p.Port == nil || p.Port.Type == intstr.Int {
			return p.Port == nil || p.Port.IntVal == port
		}
		for _, c := range listener.Spec.Containers {
			for _, have := range c.Ports {
				if have.Name == p.Port.StrVal {
					return have.ContainerPort == port
				}
			}
		}
		return false
	})
}

// TestInternalTraffic checks that every pod has policies for both directions, and that exactly these connections
// between pods are allowed.
func TestInternalTraffic(t *testing.T) {
	t.Parallel()
	program := []string{"gateway", "plan", "cpu", "gpu", "program"}
	tools := []string{"tools-head", "tools-worker"}
	ports := map[string][]int32{
		"gateway": {8080}, "plan": {8080}, "cpu": {8080}, "gpu": {8080}, "program": {8080}, "redis": {6379}, "s3": {7070},
		"tools-head": {6379, 8265, 52365, 8000}, "tools-worker": {8000, 10002, 52365},
	}
	open := func(from, to string, port int32) bool {
		switch {
		case to == "redis" || to == "s3":
			return slices.Contains(program, from)
		case slices.Contains(tools, to) && slices.Contains(tools, from):
			return true
		case to == "tools-worker":
			return from == "gpu" && port == 8000
		}
		return to == "gateway" && from == "test"
	}
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		if variant(t) == "trial" {
			if len(r.policies) > 0 {
				t.Errorf("there are %d policies", len(r.policies))
			}
			return
		}
		for _, p := range r.policies {
			if len(r.found(t, &p.Spec.PodSelector)) == 0 {
				t.Errorf("the policy %s is for no pod", p.Name)
			}
		}
		for _, from := range r.pods {
			for _, to := range r.pods {
				if from.owner == to.owner && from.component() == to.component() && !slices.Contains(tools, to.component()) {
					continue
				}
				for _, port := range ports[to.component()] {
					if got, want := r.reaches(t, from, to, port), open(from.component(), to.component(), port); got != want {
						t.Errorf("%s reaches %s at %d: %v", from.component(), to.component(), port, got)
					}
				}
			}
		}
	})
}

// reachesStoresOnly checks that a pod can reach only DNS, Redis and S3, and that nothing can reach it.
func reachesStoresOnly(t *testing.T, r rendering, p pod) {
	t.Helper()
	for _, policy := range r.policies {
		if policy.Spec.PodSelector.MatchLabels["app.kubernetes.io/component"] == p.component() && len(policy.Spec.Egress) != 3 {
			t.Errorf("%s reaches %d kinds of places, want names, Redis and S3", p.owner, len(policy.Spec.Egress))
		}
		if selects(t, &policy.Spec.PodSelector, p.Labels) && len(policy.Spec.Ingress) > 0 {
			t.Errorf("%s is reached by %v", p.owner, policy.Spec.Ingress)
		}
	}
}

// TestInternetTraffic checks that the stores, the programs of models and the test have no internet access, and
// that the others' does not include private addresses.
func TestInternetTraffic(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		if variant(t) == "trial" {
			return
		}
		for _, p := range r.pods {
			got := false
			for _, policy := range r.policies {
				if !selects(t, &policy.Spec.PodSelector, p.Labels) {
					continue
				}
				for _, rule := range policy.Spec.Egress {
					for _, peer := range rule.To {
						if peer.IPBlock == nil || peer.IPBlock.CIDR != "0.0.0.0/0" {
							continue
						}
						got = true
						if !slices.Contains(peer.IPBlock.Except, "10.0.0.0/8") || !slices.Contains(peer.IPBlock.Except, "169.254.0.0/16") {
							t.Errorf("%s reaches addresses of the house", p.owner)
						}
					}
				}
			}
			closed := slices.Contains([]string{"redis", "s3", "test", "program"}, p.component()) ||
				variant(t) == "everything" && (p.component() == "tools-head" || p.component() == "tools-worker") // the weights are at hand
			if got == closed {
				t.Errorf("%s reaches the internet: %v", p.owner, got)
			}
			if p.component() == "program" {
				reachesStoresOnly(t, r, p)
			}
		}
	})
}
