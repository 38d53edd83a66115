package settings

// The kinds of backends, and the servers that settings name.
const (
	BuiltinKind   = "native" // part of the program
	ProgramKind   = "program"
	CommandKind   = "command"
	ImproviseKind = "improvise"
	OpenAIKind    = "openai"
	HFTaskKind    = "hftask"
	LocalAIKind   = "localai"
	WeatherKind   = "weather"
	ServiceKind   = "http" // a service that a tool's file names

	ToolServer        = "toolserver"
	WeatherServer     = "weather"
	HuggingFaceServer = "huggingface"
)

// The settings that name servers with more to them than their address.
const (
	OpenAISetting = "OPENAI_BASE_URL"
	HubSetting    = "HF_ROUTER_URL"
)

// serverKinds are those of servers that the operator may name.
var serverKinds = []string{HFTaskKind, OpenAIKind, LocalAIKind}
