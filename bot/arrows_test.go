package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrow lists the packages of ours that a package may import; an entry that ends in "/..." includes all below it.
type arrow struct {
	may    []string
	reason string
}

// arrows are all allowed imports. A package that is not here is rejected, so that each new one gets its place.
var arrows = map[string]arrow{
	"adapters":                          {nil, "a promise: what people write and read, whoever works on it"},
	"adapters/messages":                 {nil, "the fixed sentences, a leaf"},
	"adapters/adapterstest":             {[]string{"adapters"}, "the contract suite knows the promise only"},
	"adapters/inbox":                    {[]string{"adapters", "adapters/lanes"}, "how events are handed over is the same on every platform"},
	"adapters/outbox":                   {[]string{"adapters"}, "what was posted is known the same way on every platform"},
	"adapters/download":                 {[]string{"adapters"}, "how platforms are reached knows their promise, and no platform"},
	"adapters/lenient":                  {nil, "reading JSON knows types only"},
	"adapters/lanes":                    {nil, "taking turns knows keys only"},
	"adapters/recent":                   {nil, "remembering knows keys only"},
	"adapters/terminal":                 {[]string{"adapters"}, "a make imports its promise"},
	"adapters/discord":                  {[]string{"adapters", "adapters/discord/api", "adapters/discord/connect", "adapters/discord/convert", "adapters/discord/lookup", "adapters/discord/post", "adapters/discord/receive", "adapters/download", "adapters/outbox"}, "an implementation imports its contract, and wires its parts"},
	"adapters/discord/convert":          {[]string{"adapters"}, "objects, text and files are converted without a connection"},
	"adapters/discord/api":              {[]string{"adapters", "adapters/discord/convert", "adapters/download", "adapters/lenient"}, "calls know the platform's limits and errors, and not what they are for"},
	"adapters/discord/lookup":           {[]string{"adapters", "adapters/discord/api", "adapters/discord/convert", "adapters/recent"}, "servers, people and messages are looked up for what comes in and what goes out"},
	"adapters/discord/post":             {[]string{"adapters", "adapters/discord/api", "adapters/discord/convert", "adapters/discord/lookup", "adapters/outbox", "adapters/lanes"}, "what posts does not know who listens"},
	"adapters/discord/receive":          {[]string{"adapters", "adapters/discord/api", "adapters/discord/convert", "adapters/discord/lookup", "adapters/discord/post", "adapters/download", "adapters/inbox", "adapters/lanes", "adapters/lenient", "adapters/outbox", "adapters/recent"}, "events are read however they arrive; what a command asks for is posted for all to see"},
	"adapters/discord/connect":          {[]string{"adapters", "adapters/discord/api", "adapters/discord/convert", "adapters/discord/lookup", "adapters/download"}, "a connection passes on what arrives; it reads no event"},
	"adapters/discord/discordtest":      {[]string{"adapters/discord/discordtest/form"}, "a server that speaks a protocol knows nothing of ours"},
	"adapters/discord/discordtest/form": {nil, "the limits of messages and forms are checked whoever sent them"},
	"adapters/slack":                    {[]string{"adapters", "adapters/download", "adapters/outbox", "adapters/slack/api", "adapters/slack/connect", "adapters/slack/convert", "adapters/slack/lookup", "adapters/slack/post", "adapters/slack/receive", "adapters/slack/share"}, "an implementation imports its contract, and wires its parts"},
	"adapters/slack/convert":            {[]string{"adapters"}, "events, text and files are converted without a connection"},
	"adapters/slack/api":                {[]string{"adapters", "adapters/download", "adapters/lenient", "adapters/lanes"}, "calls know the platform's limits and errors, and not what they are for"},
	"adapters/slack/lookup":             {[]string{"adapters", "adapters/recent", "adapters/slack/api", "adapters/slack/convert"}, "people and messages are looked up for what comes in and what goes out"},
	"adapters/slack/share":              {[]string{"adapters", "adapters/download", "adapters/outbox", "adapters/slack/api", "adapters/slack/convert", "adapters/slack/lookup"}, "files are uploaded whatever is said beside them; where they are shown is looked up"},
	"adapters/slack/post":               {[]string{"adapters", "adapters/outbox", "adapters/slack/api", "adapters/slack/convert", "adapters/slack/lookup", "adapters/slack/share", "adapters/lanes"}, "what posts does not know who listens"},
	"adapters/slack/receive":            {[]string{"adapters", "adapters/download", "adapters/inbox", "adapters/lanes", "adapters/lenient", "adapters/recent", "adapters/slack/api", "adapters/slack/convert", "adapters/slack/lookup", "adapters/slack/post"}, "events are read however they arrive; what a command asks for is posted for all to see"},
	"adapters/slack/connect":            {[]string{"adapters", "adapters/download", "adapters/outbox", "adapters/slack/api", "adapters/slack/convert", "adapters/slack/receive"}, "a connection passes on what arrives and confirms it; it reads no event"},
	"adapters/slack/slacktest":          {[]string{"adapters/slack/slacktest/blocks"}, "a server that speaks a protocol knows nothing of ours"},
	"adapters/slack/slacktest/blocks":   {nil, "the limits of messages are checked whoever sent them"},
	"adapters/web":                      {[]string{"adapters", "adapters/web/archive", "adapters/web/chat", "adapters/web/dispatch", "adapters/web/find", "adapters/web/media", "adapters/web/page", "adapters/web/receive", "adapters/web/request", "adapters/web/site", "adapters/web/store", "adapters/web/stream", "adapters/web/thread", "adapters/web/thumbnail", "adapters/web/upload"}, "an implementation imports its contract, and wires its parts"},
	"adapters/web/chat":                 {[]string{"adapters", "adapters/web/markup"}, "conversations are folded from entries, wherever these are stored"},
	"adapters/web/store":                {[]string{"adapters", "adapters/web/chat"}, "threads are stored whoever reads and writes them"},
	"adapters/web/dispatch":             {[]string{"adapters", "adapters/web/chat", "adapters/web/store"}, "what is recorded is handed over, whoever recorded it"},
	"adapters/web/request":              {[]string{"adapters", "adapters/messages", "adapters/web/chat", "adapters/web/store"}, "requests are read and refused the same way, whatever they ask for"},
	"adapters/web/receive":              {[]string{"adapters", "adapters/web/chat", "adapters/web/markup", "adapters/web/media", "adapters/web/request", "adapters/web/store"}, "what people send is recorded; who hands it over is not known here"},
	"adapters/web/media":                {[]string{"adapters"}, "files are served without knowing any conversation"},
	"adapters/web/upload":               {[]string{"adapters", "adapters/web/chat", "adapters/web/markup", "adapters/web/media", "adapters/web/request", "adapters/web/store"}, "files are taken before the message that they are for"},
	"adapters/web/archive":              {[]string{"adapters", "adapters/web/chat", "adapters/web/media", "adapters/web/request"}, "the files of an answer are packed without changing anything"},
	"adapters/web/find":                 {[]string{"adapters", "adapters/web/chat", "adapters/web/page", "adapters/web/store"}, "threads and tools are found for pages to show"},
	"adapters/web/thread":               {[]string{"adapters", "adapters/web/chat", "adapters/web/request", "adapters/web/store"}, "threads are renamed and deleted whatever is in them"},
	"adapters/web/thumbnail":            {[]string{"adapters", "adapters/web/chat", "adapters/web/media", "adapters/web/request"}, "a picture is made small by whoever can read it"},
	"adapters/web/stream":               {[]string{"adapters", "adapters/web/chat", "adapters/web/page", "adapters/web/request", "adapters/web/store"}, "pages are told of changes, whoever made them"},
	"adapters/web/site":                 {[]string{"adapters", "adapters/web/chat", "adapters/web/drawing", "adapters/web/find", "adapters/web/page", "adapters/web/request", "adapters/web/store"}, "pages are served whatever comes in"},
	"adapters/web/page":                 {[]string{"adapters", "adapters/messages", "adapters/web/chat", "adapters/web/drawing", "adapters/web/markup", "adapters/web/media", "adapters/web/point"}, "pages are rendered without a connection, with the page to point at pictures in them"},
	"adapters/web/drawing":              {[]string{"adapters", "adapters/web/markup"}, "a graph is laid out whatever its steps do"},
	"adapters/web/markup":               {[]string{"adapters"}, "text is rendered wherever it stands"},
	"adapters/web/guard":                {[]string{"adapters", "adapters/messages"}, "who is let in does not depend on what is behind the door"},
	"adapters/web/point":                {[]string{"adapters", "adapters/messages"}, "pointing is served on its own too, for other platforms: it knows no channel"},
	"adapters/web/browsertest":          {nil, "a browser knows nothing of ours"},
	"agent/plan":                        {nil, "the shared words are a leaf"},
	"agent/sleep":                       {nil, "waiting, a leaf"},
	"agent/await":                       {nil, "waiting for a change, a leaf"},
	"agent/memo":                        {nil, "answers that are kept for a while, whatever they are about"},
	"agent/lazyregexp":                  {nil, "regular expressions that are compiled late, a leaf"},
	"agent/toolgraph":                   {[]string{"agent/plan"}, "the search is pure: it knows words and nothing that runs"},
	"agent/planner":                     {[]string{"agent/plan"}, "a promise speaks of the shared words only"},
	"agent/planner/rules/english":       {[]string{"agent/plan", "agent/toolbox/quantity", "agent/toolbox/retrieve"}, "words and phrases, whatever tools there are"},
	"agent/planner/rules/profile":       {[]string{"agent/plan", "agent/planner/rules/english", "agent/toolbox", "agent/toolbox/param", "agent/toolbox/quantity", "agent/toolbox/retrieve", "agent/toolbox/table"}, "what the catalogue holds, in the words of the rules"},
	"agent/planner/rules/clause":        {[]string{"agent/planner/rules/english", "agent/planner/rules/profile", "agent/toolbox/quantity", "agent/toolbox/retrieve"}, "a text is split by what its words ask for"},
	"agent/planner/rules/scene":         {[]string{"agent/plan", "agent/planner/rules/clause", "agent/planner/rules/english", "agent/planner/rules/profile", "agent/toolbox/quantity", "agent/toolbox/retrieve"}, "what a request speaks of"},
	"agent/planner/rules/values":        {[]string{"agent/plan", "agent/planner/rules/clause", "agent/planner/rules/english", "agent/planner/rules/profile", "agent/planner/rules/scene", "agent/toolbox", "agent/toolbox/param", "agent/toolbox/quantity", "agent/toolbox/retrieve"}, "the values that a clause states for its tool"},
	"agent/planner/rules/match":         {[]string{"agent/plan", "agent/planner/rules/clause", "agent/planner/rules/english", "agent/planner/rules/profile", "agent/planner/rules/scene", "agent/planner/rules/values", "agent/toolbox", "agent/toolbox/param", "agent/toolbox/quantity", "agent/toolbox/retrieve"}, "tools are held against a clause"},
	"agent/planner/rules/draft":         {[]string{"agent/plan", "agent/planner/rules/clause", "agent/planner/rules/english", "agent/planner/rules/match", "agent/planner/rules/profile", "agent/planner/rules/scene", "agent/planner/rules/values", "agent/toolbox", "agent/toolbox/param", "agent/toolbox/quantity", "agent/toolbox/retrieve"}, "a subtask is drafted for the tool that is found"},
	"agent/planner/rules/divide":        {[]string{"agent/plan", "agent/planner/rules/clause", "agent/planner/rules/draft", "agent/planner/rules/english", "agent/planner/rules/profile", "agent/planner/rules/scene", "agent/toolbox", "agent/toolbox/param", "agent/toolbox/quantity", "agent/toolbox/retrieve"}, "clauses of several orders are divided by what tools can do"},
	"agent/planner/rules":               {[]string{"agent/plan", "agent/planner", "agent/planner/rules/clause", "agent/planner/rules/divide", "agent/planner/rules/draft", "agent/planner/rules/english", "agent/planner/rules/match", "agent/planner/rules/profile", "agent/planner/rules/scene", "agent/toolbox", "agent/toolbox/param", "agent/toolbox/quantity", "agent/toolbox/retrieve", "agent/wording"}, "an implementation imports its contract, and understands by the catalogue's words"},
	"agent/planner/llm":                 {[]string{"agent/endpoint", "agent/plan", "agent/planner", "agent/planner/llm/assess", "agent/planner/llm/decompose", "agent/planner/llm/exchange", "agent/planner/llm/prompt", "agent/planner/llm/respond", "agent/planner/llm/settle", "agent/toolbox", "agent/toolbox/retrieve"}, "an implementation imports its contract, and joins its jobs; whose servers they ask is configured here"},
	"agent/planner/llm/token":           {nil, "the size of a text depends on its letters only"},
	"agent/planner/llm/prompt":          {nil, "prompts are filled whatever they ask for"},
	"agent/planner/llm/exchange":        {[]string{"agent/endpoint", "agent/endpoint/family", "agent/plan", "agent/planner/llm/prompt", "agent/planner/llm/replay", "agent/planner/llm/token"}, "a question is asked whatever it is about"},
	"agent/planner/llm/brief":           {[]string{"agent/plan", "agent/planner/llm/prompt", "agent/planner/llm/token", "agent/toolbox"}, "what is told of subtasks and tools does not depend on what is asked about them"},
	"agent/planner/llm/flaw":            {[]string{"agent/planner", "agent/planner/llm/exchange", "agent/wording"}, "what people read is checked whichever job wrote it"},
	"agent/planner/llm/decompose":       {[]string{"agent/plan", "agent/planner", "agent/planner/llm/brief", "agent/planner/llm/cover", "agent/planner/llm/exchange", "agent/planner/llm/flaw", "agent/planner/llm/prompt", "agent/planner/llm/token", "agent/planner/llm/workshoptest", "agent/toolbox", "agent/toolbox/param", "agent/toolbox/retrieve"}, "a job knows the catalogue and its exchange, and no other job"},
	"agent/planner/llm/assess":          {[]string{"agent/plan", "agent/planner", "agent/planner/llm/brief", "agent/planner/llm/exchange", "agent/planner/llm/prompt", "agent/planner/llm/token", "agent/planner/llm/workshoptest", "agent/toolbox", "agent/toolbox/retrieve"}, "a job knows the catalogue and its exchange, and no other job"},
	"agent/planner/llm/settle":          {[]string{"agent/plan", "agent/planner", "agent/planner/llm/brief", "agent/planner/llm/exchange", "agent/planner/llm/prompt", "agent/planner/llm/token", "agent/planner/llm/workshoptest", "agent/toolbox", "agent/toolbox/param"}, "a job knows the catalogue and its exchange, and no other job"},
	"agent/planner/llm/respond":         {[]string{"agent/plan", "agent/planner", "agent/planner/llm/exchange", "agent/planner/llm/flaw", "agent/planner/llm/prompt", "agent/planner/llm/token", "agent/planner/llm/workshoptest", "agent/toolbox", "agent/wording"}, "a job knows the catalogue and its exchange, and no other job"},
	"agent/planner/llm/workshoptest":    {[]string{"agent/endpoint", "agent/plan", "agent/planner/llm/exchange", "agent/planner/llm/llmtest", "agent/toolbox", "agent/toolbox/retrieve"}, "a workshop for tests knows what jobs are made from, and no job"},
	"agent/planner/llm/cover":           {nil, "which words are accounted for depends on words only"},
	"agent/planner/llm/replay":          {[]string{"agent/endpoint"}, "recordings know what goes over the wire, and whose call it is by its label"},
	"agent/planner/llm/llmtest":         {[]string{"agent/endpoint", "agent/planner/llm/replay"}, "the scripted server knows the wire and the recordings, not the planner that it tests"},
	"agent/endpoint":                    {[]string{"agent/plan"}, "one server, which planners and tools share: it knows no job of theirs"},
	"agent/endpoint/family":             {[]string{"agent/endpoint", "agent/memo"}, "which model of a server is asked is chosen by its list, for planners and tools alike"},
	"agent/toolbox":                     {[]string{"agent/plan", "agent/toolbox/effect", "agent/toolbox/param", "agent/toolbox/quantity", "agent/toolbox/template"}, "the catalogue and the contract of the backends need no implementation; a tool has parameters, a result has effects, the quantities of examples must fit them, and a command line or a request is a template"},
	"agent/toolbox/letter":              {nil, "words have a width whatever is done with them"},
	"agent/toolbox/template":            {[]string{"agent/plan", "agent/toolbox/letter"}, "command lines and requests know names and expressions only, and have sentences for people"},
	"agent/toolbox/param":               {[]string{"agent/plan", "agent/toolbox/quantity"}, "parameters are read from words by their type"},
	"agent/endpoint/discover":           {[]string{"agent/endpoint", "agent/endpoint/family"}, "a server that is found lists its models, of which one is chosen"},
	"agent/toolbox/effect":              {[]string{"agent/plan", "agent/toolbox/param", "agent/toolbox/quantity"}, "what a result must show is judged by what was measured, in terms of settings; nothing is read here"},
	"agent/toolbox/verify":              {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/effect", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/memory", "agent/toolbox/sandbox"}, "outputs are measured by what reads media, by confined programs too, and judged by what their tools declare"},
	"agent/toolbox/toolboxtest":         {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media/ffmpeg", "agent/toolbox/verify"}, "the contract suite knows the promise, and what results are held to"},
	"agent/toolbox/slow":                {nil, "tests of every package are skipped by it"},
	"agent/toolbox/retrieve":            {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/quantity"}, "the index is built over the catalogue, and takes no number in words for a slip; both planners use it"},
	"agent/planner/fallback":            {[]string{"agent/plan", "agent/planner", "agent/endpoint"}, "a planner made of two, which tells why the first did not do it"},
	"agent/toolbox/openai":              {[]string{"agent/plan", "agent/endpoint", "agent/endpoint/family", "agent/toolbox", "agent/toolbox/improvise", "agent/toolbox/media", "agent/toolbox/param"}, "a make imports its promise, and asks a server; it also writes the programs of another make"},
	"agent/toolbox/localai":             {[]string{"agent/endpoint", "agent/memo", "agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/media/metadata", "agent/toolbox/quantity"}, "a make imports its promise, and asks a server; how people say how much is the same everywhere"},
	"agent/toolbox/mediatest":           {nil, "media of servers for tests know nothing of ours"},
	"agent/toolbox/localai/localaitest": {[]string{"agent/toolbox/mediatest"}, "a server that speaks a protocol knows nothing of ours, only media"},
	"agent/toolbox/openai/openaitest":   {[]string{"agent/planner/llm/llmtest", "agent/toolbox/mediatest"}, "the scripted server, with answers that play and are pictures: it knows the wire, not the make"},
	"agent/toolbox/memory":              {[]string{"agent/plan"}, "how much memory there is does not depend on what it is taken for"},
	"agent/toolbox/media":               {[]string{"agent/plan", "agent/toolbox/media/codec", "agent/toolbox/media/container", "agent/toolbox/media/exif", "agent/toolbox/media/imagefile", "agent/toolbox/memory"}, "reading media safely is of use to every make and to what takes files in"},
	"agent/toolbox/media/codec":         {nil, "picture libraries know bytes and pixels only"},
	"agent/toolbox/media/container":     {nil, "how files are made of parts is known by their bytes"},
	"agent/toolbox/media/exif":          {nil, "EXIF data are bytes"},
	"agent/toolbox/media/imagefile":     {[]string{"agent/toolbox/media/codec", "agent/toolbox/media/exif"}, "kinds of picture files are known by their bytes"},
	"agent/toolbox/media/metadata":      {[]string{"agent/toolbox/media", "agent/toolbox/media/exif"}, "what files tell besides is left out of them by what is known of their kinds"},
	"agent/toolbox/media/ffmpeg":        {[]string{"agent/plan", "agent/toolbox/media", "agent/toolbox/sandbox"}, "what is read of sound and video by a program is media too, and the program is confined"},
	"agent/toolbox/media/probe":         {[]string{"agent/plan", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/sandbox"}, "facts of a file are what its readers measure"},
	"agent/toolbox/sandbox":             {[]string{"agent/plan", "agent/toolbox/memory"}, "programs are confined whatever they do"},
	"agent/toolbox/program":             {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/param", "agent/toolbox/sandbox", "agent/toolbox/program/command", "agent/toolbox/program/document", "agent/toolbox/program/facts", "agent/toolbox/program/machine", "agent/toolbox/program/music", "agent/toolbox/program/read", "agent/toolbox/program/sound", "agent/toolbox/program/speech", "agent/toolbox/program/video"}, "an implementation imports its contract, and wires its operations"},
	"agent/toolbox/program/machine":     {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/sandbox"}, "programs are run whatever they are run for"},
	"agent/toolbox/program/format":      {[]string{"agent/plan"}, "formats are options of ffmpeg, whatever is written"},
	"agent/toolbox/program/sound":       {[]string{"agent/lazyregexp", "agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/sandbox", "agent/toolbox/program/facts", "agent/toolbox/program/format", "agent/toolbox/program/machine", "agent/toolbox/program/plot"}, "sounds do not know what they are for"},
	"agent/toolbox/program/video":       {[]string{"agent/lazyregexp", "agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/program/format", "agent/toolbox/program/machine", "agent/toolbox/program/sound", "agent/toolbox/subtitle"}, "videos have sound and subtitles"},
	"agent/toolbox/program/document":    {[]string{"agent/lazyregexp", "agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/paper", "agent/toolbox/quantity", "agent/toolbox/sandbox", "agent/toolbox/program/facts", "agent/toolbox/program/machine"}, "documents are changed by programs; what is drawn on them is paper's"},
	"agent/toolbox/program/read":        {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/language", "agent/toolbox/media", "agent/toolbox/param", "agent/toolbox/program/document", "agent/toolbox/program/facts", "agent/toolbox/program/machine", "agent/toolbox/quantity", "agent/toolbox/sandbox"}, "scanned documents are read as pictures are"},
	"agent/toolbox/program/speech":      {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media/ffmpeg", "agent/toolbox/sandbox", "agent/toolbox/program/format", "agent/toolbox/language", "agent/toolbox/program/machine", "agent/toolbox/program/sound"}, "speech is a sound in a language"},
	"agent/toolbox/program/music":       {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media/ffmpeg", "agent/toolbox/sandbox", "agent/toolbox/program/composer", "agent/toolbox/program/format", "agent/toolbox/program/machine", "agent/toolbox/program/sound"}, "music is composed elsewhere, and becomes a sound"},
	"agent/toolbox/program/command":     {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/letter", "agent/toolbox/magick", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/quantity", "agent/toolbox/sandbox", "agent/toolbox/template", "agent/toolbox/program/document", "agent/toolbox/program/facts", "agent/toolbox/program/format", "agent/toolbox/program/machine", "agent/toolbox/program/sound", "agent/toolbox/program/video"}, "a command line is run as its template says, with what is known of the call"},
	"agent/toolbox/improvise":           {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/effect", "agent/toolbox/magick", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/media/probe", "agent/toolbox/param", "agent/toolbox/sandbox"}, "a make imports its promise; the settings of a program that was kept are those of a tool, and what is written for the occasion is confined and measured"},
	"agent/toolbox/program/facts":       {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/param", "agent/toolbox/quantity", "agent/toolbox/template", "agent/toolbox/program/format"}, "command lines and requests know the settings of their call and what is measured of its files"},
	"agent/toolbox/magick":              {[]string{"agent/plan"}, "a policy is a file and a sentence"},
	"agent/toolbox/program/composer":    {nil, "music is composed from words and tables only"},
	"agent/toolbox/subtitle":            {[]string{"agent/toolbox/letter"}, "subtitles are words and times only"},
	"agent/toolbox/program/plot":        {[]string{"agent/toolbox/native/canvas"}, "what draws sounds knows samples and pixels only"},
	"agent/toolbox/webapi":              {[]string{"agent/endpoint", "agent/memo", "agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/media/metadata", "agent/toolbox/program/facts", "agent/toolbox/template"}, "an implementation imports its contract, and calls a service as a template says, with what is known of the call"},
	"agent/toolbox/weather":             {[]string{"agent/endpoint", "agent/memo", "agent/plan", "agent/toolbox", "agent/toolbox/weather/forecast"}, "a make imports its promise, and asks a service"},
	"agent/toolbox/weather/forecast":    {nil, "how weather is told is words and figures only"},
	"agent/toolbox/weather/weathertest": {nil, "a server that speaks a protocol knows nothing of ours"},
	"agent/toolbox/native":              {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/memory", "agent/toolbox/native/...", "agent/toolbox/quantity"}, "an implementation imports its contract, and the packages of its tools"},
	"agent/toolbox/native/operation":    {[]string{"agent/plan", "agent/toolbox"}, "what operations share knows their calls, and no operation"},
	"agent/toolbox/native/prose":        {[]string{"agent/plan", "agent/toolbox"}, "texts are taken apart whatever is done with them"},
	"agent/toolbox/native/picture":      {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/operation", "agent/toolbox/quantity"}, "pictures are read and written whatever is done with them"},
	"agent/toolbox/native/lettering":    {[]string{"agent/plan", "agent/toolbox/media", "agent/toolbox/native/canvas"}, "words are set in lines on whatever picture"},
	"agent/toolbox/native/animation":    {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/operation", "agent/toolbox/native/picture"}, "a tool knows its calls and pictures"},
	"agent/toolbox/native/barcode":      {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/canvas", "agent/toolbox/native/operation", "agent/toolbox/native/picture", "agent/toolbox/native/prose"}, "a tool knows its calls and pictures, and draws"},
	"agent/toolbox/native/collage":      {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/canvas", "agent/toolbox/native/lettering", "agent/toolbox/native/operation", "agent/toolbox/native/picture", "agent/toolbox/native/prose"}, "a tool knows its calls and pictures, and writes labels"},
	"agent/toolbox/native/crop":         {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/operation", "agent/toolbox/native/picture", "agent/toolbox/quantity"}, "a tool knows its calls and pictures"},
	"agent/toolbox/native/document":     {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/media/metadata", "agent/toolbox/native/canvas", "agent/toolbox/native/lettering", "agent/toolbox/native/operation", "agent/toolbox/native/paper", "agent/toolbox/native/picture", "agent/toolbox/native/prose", "agent/toolbox/param"}, "documents are made of texts and pictures; what goes into a page loses its metadata here"},
	"agent/toolbox/native/drawing":      {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/canvas", "agent/toolbox/native/lettering", "agent/toolbox/native/operation", "agent/toolbox/native/picture", "agent/toolbox/native/prose", "agent/toolbox/native/selection", "agent/toolbox/quantity"}, "a tool knows its calls and pictures, and draws and writes"},
	"agent/toolbox/native/face":         {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/operation"}, "a tool knows its calls and pictures"},
	"agent/toolbox/native/file":         {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/media/metadata", "agent/toolbox/native/operation", "agent/toolbox/native/picture"}, "a tool knows its calls and files, and removes their metadata"},
	"agent/toolbox/native/filter":       {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/operation", "agent/toolbox/native/picture", "agent/toolbox/native/selection", "agent/toolbox/native/vision", "agent/toolbox/quantity"}, "a tool knows its calls and pictures, and computes on pixels"},
	"agent/toolbox/native/measure":      {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/canvas", "agent/toolbox/native/operation", "agent/toolbox/native/picture"}, "a tool knows its calls and pictures, and draws what it found"},
	"agent/toolbox/native/place":        {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/native/operation", "agent/toolbox/native/prose", "agent/toolbox/weather/forecast"}, "a tool knows its calls and texts; weather is read as it is told"},
	"agent/toolbox/native/selection":    {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/operation", "agent/toolbox/native/prose", "agent/toolbox/native/text"}, "a tool knows its calls, and what people call things"},
	"agent/toolbox/native/sheet":        {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/canvas", "agent/toolbox/native/chart", "agent/toolbox/native/operation", "agent/toolbox/native/prose", "agent/toolbox/quantity", "agent/toolbox/table"}, "a tool knows its calls and tables, and draws them"},
	"agent/toolbox/native/summary":      {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/native/operation", "agent/toolbox/native/prose"}, "a tool knows its calls and texts"},
	"agent/toolbox/native/text":         {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/native/operation", "agent/toolbox/native/prose", "agent/toolbox/subtitle"}, "a tool knows its calls and texts, and the times of subtitles"},
	"agent/toolbox/native/transform":    {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/operation", "agent/toolbox/native/picture", "agent/toolbox/param", "agent/toolbox/quantity"}, "a tool knows its calls and pictures"},
	"agent/toolbox/native/nativetest":   {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/media", "agent/toolbox/native/operation", "agent/toolbox/toolboxtest"}, "the workbench runs whatever operations a test gives it"},
	"agent/toolbox/native/canvas":       {nil, "drawing knows pixels and letters only"},
	"agent/toolbox/native/chart":        {[]string{"agent/toolbox/native/canvas"}, "a chart is numbers, drawn"},
	"agent/toolbox/native/paper":        {[]string{"agent/toolbox/native/canvas"}, "a document is text, set in the letters of pictures"},
	"agent/toolbox/hftask":              {[]string{"agent/endpoint", "agent/memo", "agent/plan", "agent/toolbox", "agent/toolbox/hftask/jsonfind", "agent/toolbox/language", "agent/toolbox/hftask/skeleton", "agent/toolbox/media", "agent/toolbox/media/metadata", "agent/toolbox/param", "agent/toolbox/quantity"}, "a make imports its promise, and asks a server; how much people want is read as everywhere"},
	"agent/toolbox/hftask/jsonfind":     {nil, "JSON is searched whatever it is about"},
	"agent/toolbox/language":            {[]string{"agent/plan", "agent/toolbox"}, "languages are words and codes"},
	"agent/toolbox/hftask/skeleton":     {nil, "drawing people knows points and pixels only"},
	"agent/toolbox/hftask/hftasktest":   {[]string{"agent/toolbox/mediatest"}, "a server that speaks a protocol knows nothing of ours, only media"},
	"agent/toolbox/quantity":            {nil, "how people say how much: words and numbers only"},
	"agent/toolbox/table":               {[]string{"agent/plan"}, "a table is read from text and written as text, whichever tool works on it"},
	"agent/toolbox/native/vision":       {nil, "what is computed on pixels knows pixels only"},
	"agent/evaluate":                    {[]string{"agent/plan", "agent/planner", "agent/toolbox"}, "plans are judged from outside: the planner and what words the answers are passed in"},
	"agent/wording":                     {[]string{"agent/plan", "agent/planner", "agent/toolbox"}, "what was made is told by the catalogue's phrases, whichever planner words the rest"},
	"agent/naming":                      {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/retrieve", "agent/toolbox/toolboxtest"}, "which model a wish names is known by the catalogue and its words, whichever planner reads the rest"},
	"agent/samples":                     {[]string{"agent/plan", "agent/planner/rules", "agent/toolbox"}, "samples are words; their test asks the rules"},
	"agent/solve/bind":                  {[]string{"agent/plan", "agent/toolbox", "agent/toolbox/param", "agent/toolbox/quantity"}, "settings are bound by the parameters of the tools that take them, and numbers by the words beside them"},
	"agent/solve/pick":                  {[]string{"agent/naming", "agent/plan", "agent/planner", "agent/toolbox"}, "a candidate is picked by what is live and by what the request names; planners choose among models"},
	"agent/solve":                       {[]string{"agent/naming", "agent/plan", "agent/planner", "agent/solve/bind", "agent/solve/pick", "agent/toolbox", "agent/toolbox/param", "agent/toolgraph"}, "solutions are searched in the graph and judged by a planner, whichever it is"},
	"agent/step":                        {[]string{"agent/naming", "agent/plan", "agent/toolbox", "agent/toolbox/media/metadata", "agent/toolbox/memory", "agent/toolbox/verify"}, "a step is done by the toolbox, and its output is verified; who planned it does not matter"},
	"agent/answer":                      {[]string{"agent/naming", "agent/plan", "agent/planner", "agent/toolbox", "agent/wording"}, "an answer is worded by a planner or by the catalogue's phrases"},
	"agent":                             {[]string{"agent/answer", "agent/naming", "agent/plan", "agent/planner", "agent/samples", "agent/solve", "agent/step", "agent/toolbox", "agent/toolbox/memory", "agent/toolbox/quantity", "agent/toolbox/retrieve", "agent/toolbox/verify", "agent/toolgraph"}, "the agent imports its promises and no make of them, and knows how people say how much and speak of files"},
	"jobs/quota":                        {[]string{"adapters", "agent/plan", "storage"}, "who may ask, and how much, knows people and places, and where it is counted"},
	"jobs/record":                       {[]string{"adapters", "adapters/messages", "agent/plan", "storage"}, "a record knows events, plans, and in which language a request is; it knows neither queues nor stages"},
	"jobs/queue":                        {[]string{"agent/plan", "jobs/record", "storage"}, "tasks and the processes that share them know the records, and no stage that a task does"},
	"jobs/intake":                       {[]string{"adapters", "agent/plan", "jobs/queue", "jobs/quota", "jobs/record", "storage"}, "files are fetched from platforms, count against a quota, and are stored for a request"},
	"jobs/post":                         {[]string{"adapters", "agent/plan", "jobs/record", "storage"}, "answers go to platforms; what posts them decides no stage"},
	"jobs/progress":                     {[]string{"adapters", "agent/plan", "jobs/queue", "jobs/record", "storage"}, "progress is read from the records when a hint comes"},
	"jobs/view":                         {[]string{"adapters", "agent/plan", "jobs/queue", "jobs/quota", "jobs/record", "storage"}, "what people look at is read from the records, and changes nothing"},
	"jobs/retention":                    {[]string{"adapters", "agent/plan", "jobs/queue", "jobs/record", "storage"}, "deleting knows where everything of a thread lies"},
	"jobs":                              {[]string{"adapters", "adapters/messages", "agent/plan", "jobs/intake", "jobs/post", "jobs/progress", "jobs/queue", "jobs/quota", "jobs/record", "jobs/retention", "jobs/view", "storage"}, "the stages know contracts only: the agent and the platforms are handed to them; tests read what people are told"},
	"jobs/faults":                       {[]string{"adapters", "agent/plan", "jobs", "storage", "storage/..."}, "what befalls processes and servers is tried on the jobs with real makes"},
	"storage":                           {nil, "a promise"},
	"storage/storagetest":               {[]string{"storage"}, "the contract suite knows the promise only"},
	"storage/disk":                      {[]string{"storage"}, "a make imports its promise"},
	"storage/redis":                     {[]string{"storage"}, "a make imports its promise"},
	"storage/redis/redistest":           {nil, "a server's program knows nothing of ours"},
	"storage/redis/embedded":            {[]string{"storage", "storage/redis"}, "a server for the make that it lies below, whose contract its tests run"},
	"storage/s3":                        {[]string{"storage"}, "a make imports its promise"},
	"storage/s3/s3test":                 {nil, "a server that speaks a protocol knows nothing of ours"},
	"bot":                               {[]string{"bot/cli"}, "main only starts the program"},
	"bot/ask":                           {[]string{"adapters", "adapters/terminal", "agent", "agent/plan", "agent/toolbox/improvise", "agent/toolbox/media", "agent/toolgraph", "bot/command", "bot/control", "bot/conversation", "bot/export", "bot/fault", "bot/operate", "bot/output", "bot/place", "bot/workshop", "jobs", "storage"}, "a command wires what it needs, and asks the running process"},
	"bot/clitest":                       {[]string{"adapters", "agent/endpoint/discover", "agent/plan", "agent/planner/llm/llmtest", "agent/toolbox/sandbox", "agent/toolbox/weather/weathertest", "bot/ask", "bot/bottest", "bot/cli", "bot/command", "bot/control", "bot/doctor", "bot/evaluate", "bot/fault", "bot/operate", "bot/place", "bot/serve", "bot/settings", "bot/tools", "bot/workshop", "jobs", "storage/s3/s3test"}, "helpers of tests run the whole program, with the servers that it needs"},
	"bot/bottest":                       {[]string{"adapters", "agent/plan", "agent/toolbox", "jobs"}, "helpers of tests know nothing of the commands that they test"},
	"bot/chat":                          {[]string{"adapters", "adapters/discord", "adapters/outbox", "adapters/messages", "adapters/slack", "agent/plan", "bot/command", "bot/fault", "bot/listen", "bot/output", "bot/place", "bot/settings", "storage"}, "platforms are made as the settings name them, for whoever serves or looks at them"},
	"bot/chatcommand":                   {[]string{"adapters", "adapters/web/page", "agent/plan", "agent/samples", "agent/toolbox", "jobs"}, "commands are answered whatever the platform"},
	"bot/cli":                           {[]string{"agent/endpoint/discover", "agent/plan", "agent/toolbox/sandbox", "bot/ask", "bot/chat", "bot/command", "bot/doctor", "bot/evaluate", "bot/fault", "bot/operate", "bot/output", "bot/serve", "bot/settings", "bot/tools", "bot/workshop"}, "the command line lists the commands"},
	"bot/command":                       {[]string{"agent/endpoint/discover", "agent/toolbox", "agent/toolgraph", "bot/fault", "bot/progress", "bot/settings", "bot/workshop"}, "what commands share knows no command"},
	"bot/control":                       {[]string{"adapters", "agent/plan", "bot/fault", "bot/listen", "jobs"}, "requests are looked at by the jobs, here or behind a socket"},
	"bot/conversation":                  {[]string{"adapters/terminal", "agent/plan", "bot/fault", "bot/place", "bot/workshop"}, "conversations are kept in places of their own"},
	"bot/doctor":                        {[]string{"adapters", "adapters/outbox", "agent/endpoint", "agent/endpoint/family", "agent/plan", "agent/toolbox", "agent/toolbox/improvise", "agent/toolbox/media/ffmpeg", "agent/toolbox/program", "agent/toolbox/sandbox", "bot/chat", "bot/command", "bot/control", "bot/fault", "bot/listen", "bot/output", "bot/place", "bot/settings", "bot/workshop", "jobs", "storage", "storage/disk", "storage/redis", "storage/s3"}, "what is looked at is made as the settings name it; nothing is served"},
	"bot/evaluate":                      {[]string{"agent", "agent/endpoint", "agent/endpoint/family", "agent/evaluate", "agent/planner", "agent/planner/llm", "agent/planner/llm/replay", "agent/plan", "agent/toolbox", "bot/command", "bot/fault", "bot/listen", "bot/output", "bot/settings", "bot/workshop"}, "plans are judged without a platform or a job"},
	"bot/export":                        {[]string{"agent/plan", "bot/fault"}, "files are written from wherever they are kept"},
	"bot/fault":                         {[]string{"adapters", "agent/plan", "storage"}, "errors are told by the sentences that they carry"},
	"bot/listen":                        {nil, "HTTP is served whatever is asked for"},
	"bot/metrics":                       {[]string{"agent/plan", "agent/toolbox", "jobs"}, "what is counted is told by the jobs and the toolbox"},
	"bot/operate":                       {[]string{"adapters", "adapters/terminal", "adapters/web", "agent/plan", "agent/toolbox/improvise", "bot/command", "bot/control", "bot/conversation", "bot/export", "bot/fault", "bot/output", "bot/place", "bot/website", "bot/workshop", "jobs"}, "the commands act on requests by an operator, wherever that is"},
	"bot/output":                        {[]string{"agent/plan"}, "what is printed knows words and figures"},
	"bot/place":                         {[]string{"adapters", "agent/plan", "bot/control", "bot/fault", "bot/settings", "storage", "storage/disk", "storage/redis", "storage/redis/embedded", "storage/s3"}, "a place is opened as the settings name it; who has the folder already is asked by its socket"},
	"bot/progress":                      {[]string{"adapters", "agent/plan"}, "the line tells what the agent and the platforms report"},
	"bot/serve":                         {[]string{"adapters", "adapters/discord", "adapters/slack", "adapters/terminal", "adapters/web", "agent", "agent/plan", "agent/toolbox", "bot/chat", "bot/command", "bot/control", "bot/fault", "bot/listen", "bot/metrics", "bot/place", "bot/settings", "bot/website", "bot/workshop", "jobs"}, "a command wires what it needs"},
	"bot/settings":                      {[]string{"adapters", "adapters/discord", "adapters/download", "adapters/slack", "adapters/terminal", "adapters/web", "agent/endpoint", "agent/endpoint/discover", "agent/toolbox", "agent/toolbox/memory", "agent/toolbox/webapi", "agent/toolgraph", "bot/fault", "jobs/quota", "storage", "storage/redis", "storage/s3"}, "settings are values: what a value may be is known by what it is for, and nothing is made of it"},
	"bot/tools":                         {[]string{"agent/plan", "agent/planner/rules", "agent/toolbox", "agent/toolbox/effect", "agent/toolbox/improvise", "agent/toolbox/media", "agent/toolbox/param", "agent/toolbox/quantity", "agent/toolbox/retrieve", "agent/toolbox/sandbox", "agent/toolbox/verify", "bot/command", "bot/control", "bot/fault", "bot/operate", "bot/output", "bot/settings", "bot/workshop", "jobs"}, "tools are made and tried by the workshop, and kept from what an operator shows"},
	"bot/website":                       {[]string{"adapters", "adapters/web", "adapters/web/drawing", "adapters/web/guard", "adapters/web/media", "adapters/web/page", "adapters/web/point", "agent/plan", "agent/samples", "agent/toolbox", "agent/toolbox/improvise", "agent/toolbox/media", "bot/chatcommand", "bot/place", "bot/settings", "bot/workshop", "jobs", "storage"}, "the channel in the browser shows what the jobs and the toolbox tell"},
	"bot/workshop":                      {[]string{"adapters", "adapters/download", "adapters/messages", "adapters/terminal", "adapters/web/page", "agent", "agent/endpoint", "agent/endpoint/family", "agent/planner", "agent/planner/llm", "agent/planner/fallback", "agent/plan", "agent/planner/rules", "agent/step", "agent/toolbox", "agent/toolbox/hftask", "agent/toolbox/improvise", "agent/toolbox/localai", "agent/toolbox/media", "agent/toolbox/media/ffmpeg", "agent/toolbox/media/probe", "agent/toolbox/native", "agent/toolbox/openai", "agent/toolbox/program", "agent/toolbox/program/document", "agent/toolbox/program/facts", "agent/toolbox/program/music", "agent/toolbox/sandbox", "agent/toolbox/weather", "agent/toolbox/webapi", "bot/chatcommand", "bot/fault", "bot/place", "bot/settings", "jobs", "jobs/quota", "storage"}, "the workshop makes every implementation that a setting names, and no platform"},
}

// TestArrows checks the directions in which packages import each other. In addition, a test may import its own
// package and those below it, the contract suites, the scripted model server, and the skip of slow tests; a test
// of the jobs may also import the storages, and a test of the program everything.
func TestArrows(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, top := range []string{"adapters", "agent", "bot", "jobs", "storage"} {
		root := filepath.Join("..", top)
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && file == root: // not there yet
				return fs.SkipDir
			case err != nil || d.IsDir() || !strings.HasSuffix(file, ".go"):
				return err
			}
			rel, err := filepath.Rel("..", file)
			if err != nil {
				return err
			}
			pkg := path.Dir(filepath.ToSlash(rel))
			test := strings.HasSuffix(file, "_test.go")
			rule, ok := arrows[pkg]
			if !ok && !seen[pkg] {
				t.Errorf("%s has no place among the arrows", pkg)
			}
			seen[pkg] = true
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, imp := range parsed.Imports {
				name, err := strconv.Unquote(imp.Path.Value)
				if err != nil {
					return err
				}
				if ours, ok := strings.CutPrefix(name, "atelier/"); ok && !rule.allows(ours) && (!test || !testMay(pkg, ours)) {
					t.Errorf("%s imports %s: %s", rel, ours, rule.reason)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for pkg := range arrows {
		if !seen[pkg] {
			t.Errorf("the arrows name %s, which is not there", pkg)
		}
	}
}

// scriptedServer replaces a model server in tests.
const scriptedServer = "agent/planner/llm/llmtest"

// browser opens pages in the tests of packages that serve them.
const browser = "adapters/web/browsertest"

// serverMedia are the media of servers for tests.
const serverMedia = "agent/toolbox/mediatest"

// slowTests skips slow tests.
const slowTests = "agent/toolbox/slow"

// testMay reports whether a test of the package may import another one, whatever the package itself may import.
func testMay(pkg, other string) bool {
	promise := path.Dir(other)
	suite := other == path.Join(promise, path.Base(promise)+"test")                                                  // storage/storagetest
	places := (pkg == "jobs" || pkg == "jobs/quota" || pkg == "jobs/record") && strings.HasPrefix(other, "storage/") // what they promise depends on where they are kept
	program := pkg == "bot" || strings.HasPrefix(pkg, "bot/")                                                        // whose tests run the whole of it
	return program || other == pkg || slices.Contains([]string{scriptedServer, browser, serverMedia, slowTests}, other) || strings.HasPrefix(other, pkg+"/") || suite && strings.HasPrefix(pkg, promise+"/") || places
}

func TestTestsMayImportTheirOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pkg, other string
		may        bool
	}{
		{"agent/plan", "agent/plan", true},
		{"agent/toolbox", "agent/toolbox/native", true},
		{"storage/disk", "storage/storagetest", true},
		{"agent/toolbox/openai", "agent/planner/llm/llmtest", true},
		{"jobs", "storage/redis", true},
		{"adapters/web/point", "adapters/web/browsertest", true},
		{"adapters/web", "agent/toolbox/slow", true},
		{"agent", "storage/storagetest", false},
		{"agent/planner", "agent/toolbox", false},
		{"agent/plan", "agent/planning", false},
		{"agent", "bot", false},
	} {
		if testMay(c.pkg, c.other) != c.may {
			t.Errorf("a test of %s may import %s: %v", c.pkg, c.other, !c.may)
		}
	}
}

func (a arrow) allows(pkg string) bool {
	if pkg == "agent/lazyregexp" || pkg == "agent/sleep" || pkg == "agent/await" {
		return true // leaves that stand for the standard library's regexp, time and sync
	}
	return slices.ContainsFunc(a.may, func(may string) bool {
		below, all := strings.CutSuffix(may, "...")
		return pkg == may || all && strings.HasPrefix(pkg, below)
	})
}
