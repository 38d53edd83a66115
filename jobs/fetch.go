package jobs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// maxText is the largest text that is taken, in bytes: the agent has them in memory.
const maxText = 1 << 20

// fetch takes a request's files into the Blobs, and begins its planning.
func (j *Jobs) fetch(ctx context.Context, w queue.Task) error {
	r, err := j.store.Request(ctx, w.Request)
	if err != nil {
		return err
	}
	if r.Given == nil && slices.ContainsFunc(r.Runs, (*record.Run).Working) {
		if r, err = j.take(ctx, r); err != nil {
			return err
		}
	}
	return j.advance(ctx, r)
}

// take writes down what is given.
func (j *Jobs) take(ctx context.Context, r *record.Request) (*record.Request, error) {
	e := r.Asked.Event
	t, err := j.store.Thread(ctx, record.ThreadID(e.Thread))
	if err == nil {
		t, err = j.lookBack(ctx, r, t)
	}
	if err != nil {
		return nil, err
	}
	g := record.Given{Thread: t.Size}
	if r.Asked.Answers != "" && r.Asked.Guess == "" {
		if g.Question, err = j.questionOf(ctx, r.Asked.Answers); err != nil {
			return nil, err
		}
	}
	_, earlier := t.Memory()
	if g.Resources, g.Without, err = j.takeFiles(ctx, r, t, earlier); err != nil {
		return nil, err
	}
	if g.Resources, err = j.store.Texts.Pack(ctx, t.ID, g.Resources); err != nil {
		return nil, err
	}
	after, err := j.store.Write(ctx, r.ID, record.Entry{Given: &g})
	if errors.Is(err, storage.ErrTooLarge) {
		return nil, &plan.Fault{Sentence: plan.Say("That is too much at once. Please send it in several messages."), Err: err}
	}
	if errors.Is(err, record.ErrUnknown) { // it was forgotten meanwhile
		for _, given := range g.Resources {
			if given.Blob != "" {
				err = errors.Join(err, j.config.Blobs.Delete(ctx, given.Blob))
			}
		}
	}
	return after, err
}

// questionOf is the question that a request had asked back.
func (j *Jobs) questionOf(ctx context.Context, id string) (*plan.Question, error) {
	r, err := j.store.Request(ctx, id)
	if err != nil {
		return nil, record.IgnoreUnknown(err)
	}
	for _, run := range slices.Backward(r.Runs) {
		if run.Answer != nil && run.Answer.Question != "" {
			g := r.Generations[run.Generation]
			wish := r.WishOf(g)
			if r.Given != nil && r.Given.Question != nil && !r.Guessed(g) { // the answer was not enough: it belongs to what is still open
				wish = r.Given.Question.Wish + ", " + wish
			}
			return &plan.Question{Text: run.Answer.Question, Wish: wish, Guesses: run.Answer.Guesses()}, nil
		}
	}
	return nil, nil //nolint:nilnil // it asked nothing, so nothing is answered
}

// takeFiles fetches the files of the message and of the one that it replies to, and what
// was pointed at. Where some of the files cannot be taken, what people are told of these is
// given beside the others.
func (j *Jobs) takeFiles(ctx context.Context, r *record.Request, t *record.Thread, earlier []plan.Resource) (all []plan.Resource, without []string, err error) {
	namer := plan.NewNamer(earlier...)
	room := record.MaxTexts
	take := func(adapter string, f adapters.File) (plan.Resource, error) {
		res, size, err := j.takeFile(ctx, r, adapter, f, namer, slices.Concat(earlier, all))
		if err == nil && size > room {
			err = &plan.Fault{Sentence: plan.Say("These texts are too long together: I take at most %d MB at once.", record.MaxTexts>>20)}
		}
		if err == nil {
			room -= size
		}
		return res, err
	}
	given := func(r plan.Resource) {
		if !slices.ContainsFunc(all, func(o plan.Resource) bool { return o.Name == r.Name }) {
			all = append(all, r)
		}
	}
	carried, err := j.carried(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range carried {
		if i := slices.IndexFunc(earlier, func(o plan.Resource) bool { return o.Name == c.Name }); i >= 0 {
			given(earlier[i])
		}
	}
	names := map[string]string{} // of the files, by id
	var unfit []error
	e := r.Asked.Event
	for _, f := range attached(e.Message) {
		res, err := take(e.Adapter, f)
		switch {
		case err == nil:
			given(res)
			names[f.ID] = res.Name
		case refused(err):
			unfit = append(unfit, err)
		default:
			return nil, nil, err
		}
	}
	marked := marked(t, r)
	if len(unfit) > 0 && (len(names) == 0 || len(marked) > 0) { // it would not be what is wished for
		return nil, nil, together(unfit)
	}
	for _, err := range unfit {
		j.log.WarnContext(ctx, "a file is left out", "request", r.ID, "error", plan.ForOperator(err))
	}
	if len(unfit) > 0 {
		without = []string{j.say(r, plan.Say("Left out: %s", plan.Sentence(together(unfit), plan.Message{})))}
	}
	for i, m := range marked {
		m.Picture = cmp.Or(m.Picture, names[m.File])
		if at := slices.IndexFunc(earlier, func(o plan.Resource) bool { return o.Name == m.Picture }); at >= 0 {
			given(earlier[at]) // it is what the message is about
		}
		picture := m.Picture
		if at := slices.IndexFunc(all, func(o plan.Resource) bool { return o.Name == m.Picture }); at >= 0 {
			picture = cmp.Or(all[at].File, picture)
		}
		marks, err := takeMark(m, fmt.Sprintf("%s %d", r.ID, i), namer, take, j.say(r, plan.Say("marked on %s", picture)))
		if err != nil {
			return nil, nil, err
		}
		all = append(all, marks...)
	}
	return all, without, nil
}

// attached are the files of a message and of the one that it replies to. What the bot's own
// are is told by its answer.
func attached(m *adapters.Message) []adapters.File {
	switch {
	case m == nil:
		return nil
	case m.ReplyTo == nil || m.ReplyTo.Own:
		return m.Files
	default:
		return slices.Concat(m.ReplyTo.Files, m.Files)
	}
}

// refused tells that a file cannot be taken, now or later, for a reason that people are told.
func refused(err error) bool {
	_, told := errors.AsType[*plan.Fault](err)
	return told && !passing(err)
}

// together is one fault of several. What is the same of all is said once.
func together(all []error) error {
	sentences := make([]plan.Message, len(all))
	for i, err := range all {
		sentences[i] = plan.Sentence(err, faultOf(err))
	}
	return &plan.Fault{Sentence: plan.Sentences(sentences...), Err: errors.Join(all...)}
}

// takeFile fetches one file, and tells how many bytes of text it is. One that the thread has
// already is what it was; it is stored once more, which renews its time.
func (j *Jobs) takeFile(
	ctx context.Context, of *record.Request, adapter string, f adapters.File, namer *plan.Namer, known []plan.Resource,
) (r plan.Resource, size int, err error) {
	thread := record.ThreadID(of.Asked.Event.Thread)
	from, ok := j.adapters[adapter]
	if !ok {
		return r, 0, queue.Wait(retrySoon, fmt.Errorf("fetch from %s: %w", adapter, ErrLacking))
	}
	dir, err := os.MkdirTemp(j.config.Scratch, "atelier-fetch-")
	if err != nil {
		return r, 0, fmt.Errorf("make a folder for a file: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// Whoever looks into it tells people about it by its name.
	local := filepath.Join(dir, localName(f))
	sum, err := j.download(ctx, of, from, f, local)
	if err != nil {
		return r, 0, err
	}
	info, err := j.config.Inspect(ctx, local)
	if err != nil {
		return r, 0, named(f, err)
	}
	r = plan.Resource{Type: info.Type, File: record.FileName(f), Facts: info.Facts, About: f.Alt}
	if info.Type.Media() {
		r.Blob = path.Join(record.ThreadFolder(thread), "given", sum+info.Ext)
	} else if r.Value, err = text(local); err != nil {
		return r, 0, named(f, err)
	}
	if size = len(r.Value); size >= record.LongText {
		r.Blob, r.Value = record.TextBlob(thread, sum), ""
	}
	if r.Blob != "" {
		if err := j.upload(ctx, r.Blob, local); err != nil {
			return r, 0, err
		}
	}
	if i := slices.IndexFunc(known, func(o plan.Resource) bool {
		return o.File == r.File && o.Type == r.Type && o.Blob == r.Blob && o.Value == r.Value
	}); i >= 0 {
		return known[i], size, nil
	}
	name := r.File
	if filepath.Ext(name) == "" {
		name += info.Ext
	}
	r.Name = namer.Original(name, sum)
	return r, size, nil
}

// named tells a person which file it was that could not be taken.
func named(f adapters.File, err error) error {
	if _, ok := errors.AsType[*plan.Fault](err); ok {
		return err
	}
	return &plan.Fault{Sentence: plan.Say("The file %q cannot be read.", record.FileName(f)), Err: err}
}

// download writes a file into a new local one, and gives the hash of its content. It counts
// as taken in from who made the request. The bytes are counted as they come, whatever was
// said of their number.
func (j *Jobs) download(ctx context.Context, r *record.Request, from adapters.Adapter, f adapters.File, local string) (sum string, err error) {
	room, err := j.roomFor(ctx, r, f)
	if err != nil {
		return "", err
	}
	body, err := from.Fetch(ctx, f)
	if err != nil {
		return "", j.fetchFault(ctx, f, err)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	out, err := os.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("make a passing file: %w", err)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, h), io.LimitReader(body, room+1))
	err = errors.Join(err, out.Close())
	switch {
	case n > room:
		return "", j.tooLarge(ctx, r, f, n)
	case err != nil:
		return "", j.fetchFault(ctx, f, err)
	case n == 0:
		return "", &plan.Fault{Sentence: plan.Say("The file %q is empty.", record.FileName(f))}
	}
	if err := j.tookIn(ctx, r, f, n); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// fetchFault tells what could not be fetched. What cannot come back is final, and so is what
// was tried often enough.
func (j *Jobs) fetchFault(ctx context.Context, f adapters.File, err error) error {
	if wait := waitFor(err); wait > 0 {
		return queue.Wait(wait, err)
	}
	var own *adapters.Fault
	switch {
	case !adapters.Final(err) && (ctx.Err() != nil || queue.Retried(ctx) < queue.Allowed(queue.KindFetch).Retries && !j.config.Impatient):
		return err
	case !adapters.Final(err):
		return &plan.Fault{Sentence: plan.Say("The file %q could not be fetched. Please send it again later.", record.FileName(f)), Err: err}
	case errors.As(err, &own): // its sentence is for the person alone: it may quote
		said := plan.Message{Format: own.Sentence, Args: own.Args}
		return &plan.Fault{Sentence: said, Err: errors.Join(own.Unwrap()...)}
	default:
		return &plan.Fault{Sentence: plan.Say("The file %q cannot be had any more. Please send it again.", record.FileName(f)), Err: err}
	}
}

// localName is a file's name as every file system takes it.
func localName(f adapters.File) string {
	const longest = 200 // bytes
	name := record.FileName(f)
	if ext := filepath.Ext(name); len(name) > longest && len(ext) <= 8 {
		name = strings.ToValidUTF8(name[:longest-len(ext)], "") + ext
	} else if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "")
	}
	return name
}

// text reads a text that is kept with the request.
func text(local string) (_ string, err error) {
	f, err := os.Open(local)
	if err != nil {
		return "", fmt.Errorf("read a text: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read a text: %w", err)
	case len(b) > maxText:
		return "", &plan.Fault{Sentence: plan.Say("The text is too long: at most 1 MB is taken.")}
	}
	return string(b), nil
}

func (j *Jobs) upload(ctx context.Context, key, local string) (err error) {
	f, err := os.Open(local)
	if err != nil {
		return fmt.Errorf("read a passing file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := j.config.Blobs.Put(ctx, key, f); err != nil {
		return fmt.Errorf("store a file: %w", err)
	}
	return nil
}
