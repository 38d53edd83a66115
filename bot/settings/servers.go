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
	ServiceKind   = "http" // a service named in a tool's file

	ToolServer        = "toolserver"
	WeatherServer     = "weather"
	HuggingFaceServer = "huggingface"
)

// The settings by which errors refer to servers.
const (
	OpenAISetting = "OPENAI_BASE_URL"
	HubSetting    = "HF_ROUTER_URL"
)

// serverKinds are the kinds of servers that BACKENDS_FILE may list.
var serverKinds = []string{HFTaskKind, OpenAIKind, LocalAIKind}
