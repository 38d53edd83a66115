package hftask

import (
	"context"
	"strings"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/language"
)

// askTranslation requests the translation of a text.
func askTranslation(ctx context.Context, j *job) (question, error) {
	q, err := askText(ctx, j)
	if err != nil {
		return question{}, err
	}
	said := clean(j.call.Text("language"))
	if said == "" {
		return question{}, fault(nil, "Please say which language to translate into.")
	}
	model := strings.ToLower(j.candidate.Model)
	pair := strings.Contains(model, "opus-mt") // it translates between two languages: Helsinki-NLP/opus-mt-en-de
	to, err := language.Named(said)
	code := codeFor(to, model)
	if err != nil || code == "" || pair && !strings.HasSuffix(model, "-"+to.ISO) {
		return question{}, fault(err, "The model used here does not translate into %q.", toolbox.Shorten(said))
	}
	if pair {
		return q, nil
	}
	q.parameters = map[string]any{"tgt_lang": code}
	if from, sure := language.Guess(j.text()); sure && codeFor(from, model) != "" {
		q.parameters["src_lang"] = codeFor(from, model)
	}
	return q, nil
}

// codeFor returns the code of a language for a model, "" if the model does not know it.
func codeFor(l language.Language, model string) string {
	switch {
	case strings.Contains(model, "nllb"):
		return l.Flores
	case strings.Contains(model, "mbart"):
		return l.MBART
	}
	return l.ISO
}
