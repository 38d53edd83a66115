package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/bot/fault"
)

// TestWrongSettingsAreNamed checks that each setting has a value that is rejected, with its name and the expected
// form, and a valid default.
func TestWrongSettingsAreNamed(t *testing.T) {
	t.Parallel()
	wrong := map[string]string{ //nolint:gosec // none of them is a key
		"ATELIER_DATA": " ", "ATELIER_CATALOGUE": "no/such/folder", "ATELIER_STRATEGY": "luck", "ATELIER_PARALLEL": "many",
		"ATELIER_LOG": "loud", "ATELIER_LOG_FORMAT": "xml", "ATELIER_LISTEN": "8080", "ATELIER_DEADLINE": "0s", "ATELIER_GRACE": "-1s",
		"ATELIER_CHECK": "1ms", "ATELIER_RETENTION": "30 days", "REDIS_URL": "http://:secret@redis", "S3_BUCKET": "my bucket", "S3_PREFIX": "../x",
		"S3_HOST_STYLE": "1", "S3_LINK_ENDPOINT": "s3.example.org", "S3_ENCRYPTION": "DES", "S3_KMS_KEY": "a b", "AWS_REGION": "eu central",
		"AWS_ENDPOINT_URL_S3": "ftp://s3", "AWS_ACCESS_KEY_ID": "a key", "AWS_SECRET_ACCESS_KEY": "schlüssel", "AWS_SESSION_TOKEN": "to ken",
		"ATELIER_MAX_FILE_MB": "0", "ATELIER_MAX_MEGAPIXELS": "-1", "ATELIER_MEMORY_MB": "lots", "ATELIER_LINK_HOSTS": "https://example.com/pictures",
		"WEB_PASSWORD": "guessed", "WEB_USER_HEADER": "Remote User", "WEB_ADMINS": "ann\tbo", "WEB_PROXIES": "10.0.0.0/33", "PUBLIC_URL": "https://atelier.example.org/chat",
		"DISCORD_TOKEN": "1234567890123456789", "DISCORD_API_URL": "discord.example.org", "DISCORD_MAX_FILE_MB": "0",
		"SLACK_BOT_TOKEN": "xapp-1-A-1-a", "SLACK_APP_TOKEN": "xoxb-1-2-a", "SLACK_SIGNING_SECRET": "xoxb-3-4-b",
		"SLACK_API_URL": "https://me:secret@slack.example.org/api/", "SLACK_MAX_FILE_MB": "1GB",
		"ATELIER_ALLOW": "slack/planet/P1", "ATELIER_DENY": "discord/user/", "ATELIER_EXEMPT": "a/b", "ATELIER_USER_REQUESTS": "-1",
		"ATELIER_USER_AT_ONCE": "1001", "ATELIER_CHANNEL_AT_ONCE": "few", "ATELIER_USER_MEDIA_MB": "1GB",
		"PLANNER": "genius", "ATELIER_LOCAL_MODELS": "no", "ATELIER_PROGRAMS": "slack/user/U1", "PLANNER_FALLBACK": "llm", "OPENAI_API_KEY": "sk-test one", "OPENAI_BASE_URL": "http://ollama/v1?key=secret",
		"OPENAI_MODEL": "gpt 5", "OPENAI_VISION": "yes", "OPENAI_API_VERSION": "2024-10-21 ", "OPENAI_TOKEN_FIELD": "tokens",
		"OPENAI_TIMEOUT": "120", "OPENAI_CONTEXT": "100", "OPENAI_BUDGET": "19999",
		"DECOMPOSER_BASE_URL": "ftp://host", "DECOMPOSER_API_KEY": "key\n", "DECOMPOSER_MODEL": "a\tb",
		"ALLOW_CLOUD_MEDIA": "1", "OPENAI_VISION_MODEL": "a b", "OPENAI_IMAGE_MODEL": "gpt image", "OPENAI_SPEECH_MODEL": strings.Repeat("a", 201),
		"OPENAI_SPEECH_VOICE": "al loy", "OPENAI_TRANSCRIPTION_MODEL": "\x00",
		"BACKENDS_FILE": "no/such/file.yaml", "TOOL_SERVER_URL": "gpu1:8000", "TOOL_SERVER_TOKEN": "a b", "LOCALAI_URL": "ftp://localai",
		"LOCALAI_API_KEY": "clé", "HF_TOKEN": "hf one", "HF_BILL_TO": "our org", "HF_ROUTER_URL": "router.huggingface.co", "HF_ENDPOINT": "hub",
		"WEATHER_URL": "open-meteo", "ATELIER_HTTP_HOSTS": "https://example.com", "PLACES_URL": "http://",
	}
	for _, s := range settings() {
		if s.set(&Config{}, s.value) != nil {
			t.Errorf("the default of %s is refused", s.name)
		}
		value, ok := wrong[s.name]
		if !ok {
			t.Errorf("%s has no wrong value above", s.name)
		}
		want := fmt.Sprintf("%s is %q: ", s.name, value)
		if s.secret {
			want = s.name + " is invalid: "
		}
		_, err := Read([]string{s.name + "=" + value}, nil, nil)
		if _, refused := errors.AsType[*fault.UsageError](err); !refused || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%s: %v", s.name, err)
		}
		if s.secret && strings.Contains(err.Error(), value) {
			t.Errorf("%s is printed: %v", s.name, err)
		}
	}
	var environ []string
	for name, value := range wrong {
		environ = append(environ, name+"="+value)
	}
	if _, err := Read(environ, nil, nil); err == nil || len(strings.Split(err.Error(), "\n")) != len(wrong) {
		t.Errorf("all at once: %v", err)
	}
}

// TestEntriesThatFitNobody checks that entries that match nobody are rejected: nothing else would reveal a typing
// error that lets everybody in.
func TestEntriesThatFitNobody(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"discord,slack,web,terminal": "", "discord/server/1097 discord/role/2003": "", "discord/channel/7,discord/user/8": "",
		"slack/workspace/T0AB,slack/channel/C0AB12,slack/user/U0XY34": "", "web/user/ann,web/channel/one,terminal/user/ann": "",

		"slak/user/U1": "the platform must be discord", "Slack/user/U1": "the platform must be discord", "slack/user/U1,discrod": "the platform must be discord",
		"slack/role/2": "only Discord has roles", "web/role/2": "neither servers nor roles", "terminal/workspace/w": "neither servers nor roles",
		"discord/user/ann": "Discord IDs are numbers", "slack/user/ann": "capital letters and digits",
	} {
		for _, name := range []string{"ATELIER_ALLOW", "ATELIER_DENY", "ATELIER_EXEMPT"} {
			_, err := Read([]string{name + "=" + entry}, nil, nil)
			if want == "" && err != nil {
				t.Errorf("%s=%s: %v", name, entry, err)
			}
			if want != "" && (err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s=%s: %v", name, entry, err)
			}
		}
	}
}

// TestDecomposerServer checks that a key goes only to the server that it was set for.
func TestDecomposerServer(t *testing.T) {
	t.Parallel()
	const home = "OPENAI_BASE_URL=http://home/v1"
	base := []string{home, "OPENAI_API_KEY=main", "OPENAI_MODEL=m", "DECOMPOSER_MODEL=d"}
	for name, c := range map[string]struct {
		more []string
		want Server
	}{
		"all of the other's": {nil, Server{BaseURL: "http://home/v1", Key: "main"}},
		"a key of its own":   {[]string{"DECOMPOSER_API_KEY=own"}, Server{BaseURL: "http://home/v1", Key: "own"}},
		"elsewhere":          {[]string{"DECOMPOSER_BASE_URL=http://gpu/v1"}, Server{BaseURL: "http://gpu/v1"}},
		"the same server":    {[]string{"DECOMPOSER_BASE_URL=http://home/v1"}, Server{BaseURL: "http://home/v1", Key: "main"}},
		"in other letters":   {[]string{"DECOMPOSER_BASE_URL=HTTP://Home:80/v1/"}, Server{BaseURL: "http://home/v1", Key: "main"}},
		"its own key there":  {[]string{"DECOMPOSER_BASE_URL=http://home/v1/", "DECOMPOSER_API_KEY=own"}, Server{BaseURL: "http://home/v1", Key: "own"}},
		"another port":       {[]string{"DECOMPOSER_BASE_URL=http://home:8000/v1"}, Server{BaseURL: "http://home:8000/v1"}},
		"another path":       {[]string{"DECOMPOSER_BASE_URL=http://home/v2"}, Server{BaseURL: "http://home/v2"}},
		"unencrypted":        {[]string{"DECOMPOSER_BASE_URL=https://home/v1"}, Server{BaseURL: "https://home/v1"}},
		"another user":       {[]string{"DECOMPOSER_BASE_URL=http://me@home/v1"}, Server{BaseURL: "http://me@home/v1"}},
		"OpenAI's own, both": {[]string{"OPENAI_BASE_URL=", "DECOMPOSER_BASE_URL=https://api.openai.com/v1"}, Server{Key: "main"}},
	} {
		config, err := Read(slices.Concat(base, c.more), nil, nil)
		if err != nil || config.Models.Decomposer != c.want {
			t.Errorf("%s: %+v, %v", name, config.Models.Decomposer, err)
		}
	}
}

// TestSecretsHide checks that a configuration that is printed by mistake shows no key.
func TestSecretsHide(t *testing.T) {
	t.Parallel()
	const hidden = "sk-very-secret"
	config, err := Read([]string{"OPENAI_API_KEY=" + hidden}, nil, nil)
	if err != nil || config.Models.Server.Key != hidden {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if s := fmt.Sprintf(format, config.Models); strings.Contains(s, hidden) || !strings.Contains(s, "(hidden)") {
			t.Errorf("%s: %s", format, s)
		}
	}
}
