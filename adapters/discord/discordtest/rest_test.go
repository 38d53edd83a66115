package discordtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atelier/adapters/discord/discordtest"
)

// caller makes calls without a library.
type caller struct {
	*testing.T
	s     *discordtest.Server
	token string
	place string // a thread
}

func calls(t *testing.T, s *discordtest.Server) *caller {
	t.Helper()
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return &caller{T: t, s: s, token: "Bot " + s.Token()}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   map[string]any
	list   []map[string]any
	text   string
}

func (a answer) code() int {
	if code, ok := a.body["code"].(float64); ok {
		return int(code)
	}
	return 0
}

func (a answer) id() string {
	if id, ok := a.body["id"].(string); ok {
		return id
	}
	return ""
}

func (c *caller) do(method, path, kind string, body io.Reader) (answer, error) {
	call, err := http.NewRequestWithContext(c.Context(), method, c.s.URL()+path, body)
	if err != nil {
		return answer{}, err
	}
	call.Header.Set("Authorization", c.token)
	call.Header.Set("Content-Type", kind)
	got, err := http.DefaultClient.Do(call)
	if err != nil {
		return answer{}, err
	}
	data, err := io.ReadAll(got.Body)
	a := answer{status: got.StatusCode, header: got.Header, text: string(data)}
	if json.Unmarshal(data, &a.body) != nil && json.Unmarshal(data, &a.list) != nil {
		a.body, a.list = nil, nil // a page, or nothing
	}
	if closing := got.Body.Close(); err == nil {
		err = closing
	}
	return a, err
}

// call makes a call with JSON.
func (c *caller) call(method, path string, body any) answer {
	c.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	a, err := c.do(method, path, "application/json", bytes.NewReader(data))
	if err != nil {
		c.Fatal(err)
	}
	return a
}

// upload makes a call with files, each named by its number.
func (c *caller) upload(path string, body any, files ...[]byte) answer {
	c.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	data, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	if err := form.WriteField("payload_json", string(data)); err != nil {
		c.Fatal(err)
	}
	for i, content := range files {
		part, err := form.CreateFormFile(fmt.Sprintf("files[%d]", i), fmt.Sprintf("a file %d.txt", i))
		if err != nil {
			c.Fatal(err)
		}
		if _, err := part.Write(content); err != nil {
			c.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		c.Fatal(err)
	}
	a, err := c.do(http.MethodPost, path, form.FormDataContentType(), &b)
	if err != nil {
		c.Fatal(err)
	}
	return a
}

type body = map[string]any

// TestRefused checks what the platform rejects, and how.
func TestRefused(t *testing.T) {
	t.Parallel()
	row := func(n int, b body) []body {
		buttons := []body{}
		for i := range n {
			one := body{"type": 2, "style": 1, "label": "x", "custom_id": strconv.Itoa(i)}
			maps.Copy(one, b)
			buttons = append(buttons, one)
		}
		return []body{{"type": 1, "components": buttons}}
	}
	type place struct {
		*scene
		*caller
		mine, hers, thread string
	}
	post := func(b body) func(*place) answer {
		return func(p *place) answer { return p.call("POST", "/channels/"+p.channel+"/messages", b) }
	}
	act := func(method, path string, b body) func(*place) answer {
		return func(p *place) answer {
			path := strings.NewReplacer("CHANNEL", p.channel, "MINE", p.mine, "HERS", p.hers, "THREAD", p.thread, "GUILD", p.guild,
				"APP", p.ApplicationID()).Replace(path)
			return p.call(method, path, b)
		}
	}
	after := func(change func(*place), then func(*place) answer) func(*place) answer {
		return func(p *place) answer {
			change(p)
			return then(p)
		}
	}
	archived := func(p *place) { p.People.Archive(p.thread, true) }
	forbidden := func(what discordtest.Permission) func(p *place) {
		return func(p *place) { p.World.Forbid(p.channel, what) }
	}
	reaction := "/reactions/" + url.PathEscape("👀") + "/@me"
	for name, c := range map[string]struct {
		do           func(*place) answer
		status, code int
	}{
		"too long":          {post(body{"content": strings.Repeat("é", 2001)}), 400, 50035},
		"empty":             {post(body{"content": " \n "}), 400, 50006},
		"no JSON type":      {post(body{"content": 7}), 400, 50035},
		"long nonce":        {post(body{"content": "x", "nonce": strings.Repeat("n", 26)}), 400, 50035},
		"six rows":          {post(body{"content": "x", "components": slices.Repeat(row(1, nil), 6)}), 400, 50035},
		"six buttons":       {post(body{"content": "x", "components": row(6, nil)}), 400, 50035},
		"long custom id":    {post(body{"content": "x", "components": row(1, body{"custom_id": strings.Repeat("i", 101)})}), 400, 50035},
		"same custom id":    {post(body{"content": "x", "components": row(2, body{"custom_id": "i"})}), 400, 50035},
		"long label":        {post(body{"content": "x", "components": row(1, body{"label": strings.Repeat("l", 81)})}), 400, 50035},
		"no label":          {post(body{"content": "x", "components": row(1, body{"label": ""})}), 400, 50035},
		"both allowed":      {post(body{"content": "x", "allowed_mentions": body{"parse": []string{"users"}, "users": []string{"1"}}}), 400, 50035},
		"unknown reference": {post(body{"content": "x", "message_reference": body{"message_id": "1"}}), 400, 50035},
		"eleven files": {func(p *place) answer {
			return p.upload("/channels/"+p.channel+"/messages", body{}, make([][]byte, 11)...)
		}, 400, 50035},
		"large file":       {func(p *place) answer { return p.upload("/channels/"+p.channel+"/messages", body{}, make([]byte, 1001)) }, 413, 40005},
		"long description": {post(body{"content": "x", "attachments": []body{{"id": 0, "description": strings.Repeat("d", 1025)}}}), 400, 50035},
		"no such channel":  {act("POST", "/channels/1/messages", body{"content": "x"}), 404, 10003},
		"deleted channel":  {after(func(p *place) { p.World.DeleteChannel(p.channel) }, act("POST", "/channels/THREAD/messages", body{"content": "x"})), 404, 10003},
		"no such message":  {act("GET", "/channels/CHANNEL/messages/1", nil), 404, 10008},
		"no such route":    {act("GET", "/nothing", nil), 404, 0},
		"not seen":         {after(forbidden(discordtest.View), post(body{"content": "x"})), 403, 50001},
		"not to write":     {after(forbidden(discordtest.Send), post(body{"content": "x"})), 403, 50013},
		"not in threads":   {after(forbidden(discordtest.SendInThreads), act("POST", "/channels/THREAD/messages", body{"content": "x"})), 403, 50013},
		"no threads":       {after(forbidden(discordtest.CreateThreads), act("POST", "/channels/CHANNEL/messages/MINE/threads", body{"name": "x"})), 403, 50013},
		"no reactions":     {after(forbidden(discordtest.AddReactions), act("PUT", "/channels/CHANNEL/messages/HERS"+reaction, nil)), 403, 50013},
		"no history":       {after(forbidden(discordtest.ReadHistory), act("GET", "/channels/CHANNEL/messages/HERS", nil)), 403, 50013},
		"no files": {after(forbidden(discordtest.AttachFiles), func(p *place) answer {
			return p.upload("/channels/"+p.channel+"/messages", body{}, []byte("x"))
		}), 403, 50013},
		"edit hers":           {act("PATCH", "/channels/CHANNEL/messages/HERS", body{"content": "x"}), 403, 50005},
		"edit to nothing":     {act("PATCH", "/channels/CHANNEL/messages/MINE", body{"content": ""}), 400, 50006},
		"delete hers":         {act("DELETE", "/channels/CHANNEL/messages/HERS", nil), 403, 50013},
		"edit, archived":      {after(archived, func(p *place) answer { return p.inThread("PATCH", "", body{"content": "y"}) }), 400, 50083},
		"react, archived":     {after(archived, func(p *place) answer { return p.inThread("PUT", reaction, nil) }), 400, 50083},
		"write, locked":       {after(func(p *place) { p.People.Lock(p.thread, true) }, act("POST", "/channels/THREAD/messages", body{"content": "x"})), 400, 160005},
		"write, put away":     {after(func(p *place) { archived(p); p.People.Lock(p.thread, true) }, act("POST", "/channels/THREAD/messages", body{"content": "x"})), 400, 50083},
		"second thread":       {act("POST", "/channels/CHANNEL/messages/HERS/threads", body{"name": "x"}), 400, 160004},
		"nameless thread":     {act("POST", "/channels/CHANNEL/messages/MINE/threads", body{"name": ""}), 400, 50035},
		"no emoji":            {act("PUT", "/channels/CHANNEL/messages/HERS/reactions/x/@me", nil), 400, 10014},
		"too many at once":    {act("GET", "/channels/CHANNEL/messages?limit=101", nil), 400, 50035},
		"bad token":           {after(func(p *place) { p.token = "Bot x" }, post(body{"content": "x"})), 401, 0},
		"revoked":             {after(func(p *place) { p.Revoke() }, act("GET", "/users/@me", nil)), 401, 0},
		"no commands":         {act("PUT", "/applications/APP/commands", nil), 200, 0},
		"rename hers":         {act("PATCH", "/channels/THREAD", body{"name": "x"}), 403, 50013},
		"wake, locked":        {after(func(p *place) { archived(p); p.People.Lock(p.thread, true) }, act("PATCH", "/channels/THREAD", body{"archived": false})), 403, 50013},
		"no such user":        {act("GET", "/users/1", nil), 404, 10013},
		"no such member":      {act("GET", "/guilds/GUILD/members/1", nil), 404, 10007},
		"unknown interaction": {act("POST", "/interactions/1/x/callback", body{"type": 5}), 404, 10062},
		"unknown hook":        {act("POST", "/webhooks/APP/x", body{"content": "x"}), 401, 50027},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{MaxFile: 1000})
			p := &place{scene: s, caller: calls(t, s.Server), hers: s.say("hers").ID}
			p.mine = p.call("POST", "/channels/"+s.channel+"/messages", body{"content": "mine"}).id()
			p.thread = s.People.Thread(s.channel, p.hers, "a thread", s.ana)
			p.place = p.thread
			before := len(s.World.Messages(s.channel)) + len(s.World.Messages(p.thread))
			if got := c.do(p); got.status != c.status || got.code() != c.code {
				t.Errorf("answered %d with %s, want %d and %d", got.status, got.text, c.status, c.code)
			}
			if after := len(s.World.Messages(s.channel)) + len(s.World.Messages(p.thread)); after > before {
				t.Error("a rejected call posted something")
			}
		})
	}
}

// inThread writes in the thread, which reopens it if it is archived, and then acts on that message.
func (c *caller) inThread(method, path string, b body) answer {
	c.Helper()
	c.s.People.Archive(c.place, false)
	id := c.call("POST", "/channels/"+c.place+"/messages", body{"content": "in it"}).id()
	c.s.People.Archive(c.place, true)
	a := c.call(method, "/channels/"+c.place+"/messages/"+id+path, b)
	c.s.People.Delete(c.place, id)
	return a
}

func TestNonces(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	path := "/channels/" + s.channel + "/messages"
	say := func(text string, enforce bool) string {
		return c.call("POST", path, body{"content": text, "nonce": "key-1", "enforce_nonce": enforce}).id()
	}
	first := say("one", true)
	if again := say("two", true); again != first {
		t.Error("posted twice")
	}
	if free := say("three", false); free == first {
		t.Error("not posted again although the nonce was not enforced")
	}
	s.Advance(10 * time.Minute)
	if later := say("four", true); later == first {
		t.Error("the nonce does not expire")
	}
	if n := len(s.World.Messages(s.channel)); n != 3 {
		t.Errorf("%d messages", n)
	}
	s.Faults.LoseAnswers(1)
	if _, err := c.do("POST", path, "application/json", strings.NewReader(`{"content":"lost","nonce":"key-2","enforce_nonce":true}`)); err == nil {
		t.Error("the response was not lost")
	}
	last := s.World.Messages(s.channel)[3]
	if found := c.call("POST", path, body{"content": "lost", "nonce": "key-2", "enforce_nonce": true}).id(); found != last.ID {
		t.Errorf("found %q, want %q", found, last.ID)
	}
}

func TestNotified(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	bob := s.World.User("Bob")
	role := s.World.Role(s.guild, "Painters", 0)
	s.World.Assign(s.guild, bob, role)
	hers := s.say("hers").ID
	text := s.ana.Mention() + " @everyone <@&" + role + "> `" + bob.Mention() + "`"
	reply := body{"message_id": hers}
	for name, tt := range map[string]struct {
		body body
		want []string
	}{
		"all":     {body{"content": text}, []string{s.ana.ID, bob.ID, discordtest.Everybody}},
		"nobody":  {body{"content": text, "allowed_mentions": body{"parse": []string{}}}, nil},
		"one":     {body{"content": text, "allowed_mentions": body{"users": []string{s.ana.ID}}}, []string{s.ana.ID}},
		"roles":   {body{"content": text, "allowed_mentions": body{"parse": []string{"roles"}}}, []string{bob.ID}},
		"unnamed": {body{"content": "x", "allowed_mentions": body{"users": []string{s.ana.ID}}}, nil},
		"replied": {body{"content": "x", "message_reference": reply}, []string{s.ana.ID}},
		"reply":   {body{"content": "x", "message_reference": reply, "allowed_mentions": body{"parse": []string{}}}, nil},
		"reply2":  {body{"content": "x", "message_reference": reply, "allowed_mentions": body{"replied_user": true}}, []string{s.ana.ID}},
	} {
		id := c.call("POST", "/channels/"+s.channel+"/messages", tt.body).id()
		m, ok := s.World.Message(s.channel, id)
		slices.Sort(tt.want)
		if !ok || !slices.Equal(m.Notified, tt.want) {
			t.Errorf("%s: notified %q, want %q", name, m.Notified, tt.want)
		}
	}
}

func TestFilesSent(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	told := body{"content": "two", "attachments": []body{{"id": 0, "description": "a map"}, {"id": 1, "filename": "b.txt"}}}
	sent := c.upload("/channels/"+s.channel+"/messages", told, []byte("one"), []byte("two"))
	m, _ := s.World.Message(s.channel, sent.id())
	if len(m.Attachments) != 2 {
		t.Fatalf("answered %s", sent.text)
	}
	a, b := m.Attachments[0], m.Attachments[1]
	if a.Name != "a file 0.txt" || a.Filename != "a_file_0.txt" || a.Description != "a map" || string(a.Content) != "one" {
		t.Errorf("the first is %+v", a)
	}
	if b.Name != "b.txt" || string(b.Content) != "two" {
		t.Errorf("the second is %+v", b)
	}
}

func TestReactions(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	m := s.say("look")
	path := func(emoji string) string {
		return "/channels/" + s.channel + "/messages/" + m.ID + "/reactions/" + url.PathEscape(emoji) + "/@me"
	}
	s.People.React(s.ana, s.channel, m.ID, "2️⃣", true)
	if got := c.call("PUT", path("2⃣"), nil); got.status != http.StatusNoContent {
		t.Errorf("answered %s", got.text)
	}
	m, _ = s.World.Message(s.channel, m.ID)
	if len(m.Reactions) != 1 || !slices.Equal(m.Reactions[0].Users, []string{s.ana.ID, s.BotID()}) {
		t.Errorf("there are %+v", m.Reactions)
	}
	for i := range 20 {
		want := http.StatusNoContent
		if i == 19 {
			want = http.StatusBadRequest
		}
		if got := c.call("PUT", path(string(rune('😀'+i))), nil); got.status != want || i == 19 && got.code() != 30010 {
			t.Errorf("the %dth: %d %s", i+2, got.status, got.text)
		}
	}
	c.call("DELETE", path("2️⃣"), nil)
	m, _ = s.World.Message(s.channel, m.ID)
	if !slices.Equal(m.Reactions[0].Users, []string{s.ana.ID}) {
		t.Errorf("there are %+v", m.Reactions)
	}
}

func TestListing(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	var ids []string
	for i := range 10 {
		ids = append(ids, s.say(strconv.Itoa(i)).ID)
	}
	for query, want := range map[string]string{
		"":                           "9876543210",
		"?limit=2":                   "98",
		"?limit=2&before=" + ids[5]:  "43",
		"?limit=2&after=" + ids[5]:   "76",
		"?limit=50&after=" + ids[9]:  "",
		"?limit=50&before=" + ids[0]: "",
	} {
		var got strings.Builder
		for _, m := range c.call("GET", "/channels/"+s.channel+"/messages"+query, nil).list {
			fmt.Fprint(&got, m["content"])
		}
		if got.String() != want {
			t.Errorf("%s: %s, want %s", query, got.String(), want)
		}
	}
}
