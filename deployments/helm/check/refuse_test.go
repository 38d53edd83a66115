package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrongValuesAreRefused checks that each is rejected with an error that names it.
func TestWrongValuesAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ values, want string }{
		"a name that is not there":     {"gatway: {replicas: 2}", "additional properties 'gatway' not allowed"},
		"a name within":                {"cpu: {replica: 2}", "additional properties 'replica' not allowed"},
		"of another type":              {"cpu: {replicas: two}", "/cpu/replicas': got string, want integer"},
		"too few":                      {"cpu: {minReplicas: 0}", "/cpu/minReplicas': minimum: got 0, want 1"},
		"a grace the program refuses":  {"gpu: {graceSeconds: 7200}", "/gpu/graceSeconds': maximum: got 7,200, want 3,600"},
		"a size":                       {"volumes: {tmpSizeLimit: lots}", "/volumes/tmpSizeLimit': 'lots' does not match pattern"},
		"a setting that is not there":  {"settings: {ATELIER_DEADLIEN: 1h}", "/settings': additional properties 'ATELIER_DEADLIEN' not allowed"},
		"a secret among the settings":  {"settings: {WEB_PASSWORD: hunter22}", "/settings': additional properties 'WEB_PASSWORD' not allowed"},
		"a secret that is the chart's": {"secrets: {REDIS_URL: {}}", "REDIS_URL is set by the chart: configure it with redis."},
		"a secret's value":             {"secrets: {HF_TOKEN: hf_123}", "/secrets/HF_TOKEN': got string, want object"},
		"a variable of the chart's":    {"environment: {AWS_REGION: eu-west-1}", "AWS_REGION is set by the chart: configure it with s3."},
		"a secret variable":            {"environment: {GPU2_TOKEN: word}", "environment.GPU2_TOKEN is a secret"},
		"a mode":                       {"toolServer: {mode: slurm}", "/toolServer/mode': value must be one of 'none', 'external', 'ray'"},
		"a digest":                     {"image: {digest: latest}", "/image/digest': 'latest' does not match pattern"},
		"a queue of the gateway":       {"gateway: {concurrency: gpu=2}", "/gateway/concurrency': 'gpu=2' does not match pattern"},
		"an address":                   {"redis: {external: {addresses: [redis.example.org]}}", "does not match pattern"},
		"a host with a scheme":         {"ingress: {host: https://a.example.org}", "/ingress/host': 'https://a.example.org' does not match pattern"},
		"a tool server's setting":      {"toolServer: {ray: {settings: {TOOLSERVER_TEIR: full}}}", "/toolServer/ray/settings': additional properties 'TOOLSERVER_TEIR' not allowed"},

		"a long name":             {"fullnameOverride: a-name-that-is-much-too-long-for-it", "is longer than 30 characters: set fullnameOverride"},
		"nobody asked":            {"secrets: {WEB_PASSWORD: null}", "set secrets.WEB_PASSWORD, or settings.WEB_USER_HEADER"},
		"a header from anybody":   {"settings: {WEB_USER_HEADER: X-User}", "accepted only from the proxies in settings.WEB_PROXIES, which is not set"},
		"a secret twice":          {"secrets: {OPENAI_BASE_URL: {}}\nsettings: {OPENAI_BASE_URL: http://a}", "OPENAI_BASE_URL is in secrets, and in settings or environment too"},
		"a password in a URL":     {"settings: {OPENAI_BASE_URL: http://a:b@c}", "settings.OPENAI_BASE_URL contains a password"},
		"half of Slack":           {"secrets: {SLACK_BOT_TOKEN: {}}", "add SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (events over HTTP)"},
		"Slack cannot come in":    {"secrets: {SLACK_BOT_TOKEN: {}, SLACK_SIGNING_SECRET: {}}", "but cannot reach it: set ingress.enabled"},
		"an ingress of nothing":   {"ingress: {enabled: true}", "ingress.enabled needs ingress.host"},
		"half of the credentials": {"s3: {mode: external, external: {accessKeyId: {key: a}}}", "belong together"},
		"KEDA without Redis":      {"keda: {enabled: true}\nredis: {mode: external}", "keda.enabled needs redis.external.addresses"},
		"sentinels of nobody":     {"keda: {enabled: true}\nredis: {mode: external, external: {type: redis-sentinel, addresses: ['a:1']}}", "needs redis.external.sentinelMaster"},
		"one Redis that is two":   {"keda: {enabled: true}\nredis: {mode: external, external: {addresses: ['a:1', 'b:1']}}", "set redis-cluster or redis-sentinel"},
		"more than the most":      {"keda: {enabled: true}\ncpu: {minReplicas: 20}", "cpu.minReplicas is 20, which is more than cpu.maxReplicas, 10"},
		"more programs":           {"keda: {enabled: true}\nprogram: {minReplicas: 5}", "program.minReplicas is 5, which is more than program.maxReplicas, 4"},
		"a server nobody asks":    {"toolServer: {mode: ray}", "gpu.enabled is false: no worker would use that server"},
		"a server nowhere":        {"toolServer: {mode: external}\ngpu: {enabled: true}", "needs toolServer.external.url"},
		"a server without token":  {"toolServer: {mode: ray, token: {key: ''}}\ngpu: {enabled: true}", "toolServer.mode ray needs toolServer.token"},
		"an open Ray":             {"toolServer: {mode: ray, ray: {auth: false}}\ngpu: {enabled: true}\nnetworkPolicy: {enabled: false}", "could run anything on its pods"},
		"metrics for nobody":      {"serviceMonitor: {enabled: true}", "serviceMonitor.enabled needs networkPolicy.metricsFrom"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := filepath.Join(t.TempDir(), "values.yaml")
			if err := os.WriteFile(values, []byte(c.values), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := template(t, "--values", values)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
