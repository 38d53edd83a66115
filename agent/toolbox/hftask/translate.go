package hftask

import (
	"context"
	"strings"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/language"
)

// askTranslation requests the translation of a text.
func askTranslation(ctx context.Context, j *job) (question, error) {
	q, err := askText(ctx, j)
	if err != nil {
		return question{}, err
	}
	said := clean(j.call.Text("language"))
	to, ok := language.Named(said)
	model := j.candidate.Model
	code := to.CodeFor(model)
	switch {
	case said == "":
		return question{}, fault(nil, "Please say which language to translate into.")
	case !ok || code == "":
		return question{}, fault(nil, "The model used here does not translate into %q.", toolbox.Shorten(said))
	case language.IsPair(model) && !strings.HasSuffix(strings.ToLower(model), "-"+to.ISO):
		return question{}, fault(nil, "The model used here does not translate into %q.", toolbox.Shorten(said))
	case language.IsPair(model):
		return q, nil
	}
	q.parameters = map[string]any{"tgt_lang": code}
	if from, ok := language.Guess(j.text()); ok && from.CodeFor(model) != "" {
		q.parameters["src_lang"] = from.CodeFor(model)
	}
	return q, nil
}
