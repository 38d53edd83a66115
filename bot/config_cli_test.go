package main

import (
	"strings"
	"testing"

	"atelier/bot/clitest"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/settings"
)

func TestUnknownSettings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ATELIER_PARALEL": "There is no setting ATELIER_PARALEL. To see them all: bot env",
		"ATELIER_MIND":    "The setting ATELIER_MIND is now called PLANNER.",
		"MIND":            "The setting MIND is now called PLANNER.",
		"MIND_FALLBACK":   "The setting MIND_FALLBACK is now called PLANNER_FALLBACK.",
	} {
		status, _, stderr := clitest.Run(t, map[string]string{name: "rules"}, "tools")
		if status != fault.StatusUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", name, status, stderr)
		}
	}
	if status, _, stderr := clitest.Run(t, map[string]string{"OPENAI_ORGANIZATION": "x", "OPENAI_LOG": "debug"}, "tools"); status != fault.StatusDone {
		t.Errorf("other programs' variables: status %d, %s", status, stderr)
	}
}

// TestSettingsThatGoTogether checks settings that depend on each other, or contradict each other.
func TestSettingsThatGoTogether(t *testing.T) {
	t.Parallel()
	const azure = "https://name.openai.azure.com"
	for name, c := range map[string]struct {
		env     []string
		planner settings.PlannerKind
		model   string
		wrong   string
	}{
		"nothing":            {nil, settings.RulesPlanner, "", ""},
		"a key":              {[]string{"OPENAI_API_KEY=sk-1"}, settings.LLMPlanner, "", ""},
		"a key and rules":    {[]string{"OPENAI_API_KEY=sk-1", "PLANNER=rules"}, settings.RulesPlanner, "", ""},
		"a server":           {[]string{"OPENAI_BASE_URL=http://localhost:11434/v1", "OPENAI_MODEL=qwen3"}, settings.LLMPlanner, "qwen3", ""},
		"no model":           {[]string{"OPENAI_BASE_URL=http://localhost:11434/v1"}, settings.LLMPlanner, "", ""},
		"no model, rules":    {[]string{"OPENAI_BASE_URL=http://localhost:11434/v1", "PLANNER=rules"}, settings.RulesPlanner, "", ""},
		"a model alone":      {[]string{"OPENAI_MODEL=gpt-5"}, "", "", "OPENAI_MODEL is set, but its server is not: set OPENAI_API_KEY or OPENAI_BASE_URL too"},
		"that, rules":        {[]string{"OPENAI_MODEL=gpt-5", "PLANNER=rules"}, settings.RulesPlanner, "gpt-5", ""},
		"llm without":        {[]string{"PLANNER=llm"}, "", "", "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server"},
		"a decomposer alone": {[]string{"DECOMPOSER_MODEL=mix"}, "", "", "only splits requests"},
		"its model":          {[]string{"OPENAI_API_KEY=sk-1", "DECOMPOSER_BASE_URL=http://gpu/v1"}, "", "", "DECOMPOSER_MODEL is missing"},
		"azure":              {[]string{"OPENAI_API_KEY=k", "OPENAI_API_VERSION=2024-10-21", "OPENAI_BASE_URL=" + azure, "OPENAI_MODEL=mine"}, settings.LLMPlanner, "mine", ""},
		"azure, no model":    {[]string{"OPENAI_API_KEY=k", "OPENAI_API_VERSION=2024-10-21", "OPENAI_BASE_URL=" + azure}, "", "", "OPENAI_MODEL is missing"},
		"azure without":      {[]string{"OPENAI_API_KEY=k", "OPENAI_API_VERSION=2024-10-21"}, "", "", "OPENAI_BASE_URL is not"},
		"vision":             {[]string{"OPENAI_API_KEY=k", "OPENAI_VISION=true"}, "", "", "api.openai.com is not in your own network: set ALLOW_CLOUD_MEDIA=true"},
		"vision, allowed":    {[]string{"OPENAI_API_KEY=k", "OPENAI_VISION=true", "ALLOW_CLOUD_MEDIA=true"}, settings.LLMPlanner, "", ""},
		"vision at home":     {[]string{"OPENAI_BASE_URL=http://10.0.0.3:8000/v1", "OPENAI_MODEL=m", "OPENAI_VISION=true"}, settings.LLMPlanner, "m", ""},
		"Slack without":      {[]string{"SLACK_BOT_TOKEN=xoxb-1"}, "", "", "set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for HTTP"},
		"Slack's app alone":  {[]string{"SLACK_APP_TOKEN=xapp-1"}, "", "", "SLACK_APP_TOKEN is set, and SLACK_BOT_TOKEN is not"},
		"Slack's secret":     {[]string{"SLACK_SIGNING_SECRET=1"}, "", "", "SLACK_SIGNING_SECRET is set, and SLACK_BOT_TOKEN is not"},
		"Slack":              {[]string{"SLACK_BOT_TOKEN=xoxe.xoxb-1", "SLACK_APP_TOKEN=xapp-1", "SLACK_SIGNING_SECRET=1"}, settings.RulesPlanner, "", ""},
		"Discord":            {[]string{"DISCORD_TOKEN=Bot a.b.c", "DISCORD_API_URL=http://127.0.0.1:9/api/v9"}, settings.RulesPlanner, "", ""},
		"Slack's on Discord": {[]string{"DISCORD_TOKEN=xoxb-1"}, "", "", "it is a Slack token"},
		"vision elsewhere": {[]string{
			"OPENAI_BASE_URL=http://10.0.0.3:8000/v1", "OPENAI_MODEL=m", "OPENAI_VISION=true",
			"DECOMPOSER_BASE_URL=https://models.example.com/v1", "DECOMPOSER_MODEL=d",
		}, "", "", "models.example.com is not in your own network"},
	} {
		config, err := settings.Read(c.env, nil, nil)
		switch {
		case c.wrong == "" && (err != nil || config.Planner != c.planner || config.Models.Name != c.model):
			t.Errorf("%s: %+v, %v", name, config, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := settings.Read(nil, command.Thinking{MaxActions: 1}.Apply, nil)
	if err == nil || !strings.Contains(err.Error(), "--no-prior-knowledge") {
		t.Errorf("prior knowledge: %v", err)
	}
}
