package plan

import "errors"

// Fault is an error with a sentence for the person in the chat, advice for the operator, and a
// detail for the log.
type Fault struct { //nolint:errname // a Fault is more than an error: it has a sentence for people
	// Sentence says what was wrong and what to do. It never contains local paths, secrets or a
	// model's raw text.
	Sentence Message
	// Operator is the sentence for the operator, which may name settings and servers; zero means
	// that Sentence is used.
	Operator Message
	Err      error // the detail; may be nil
	// Final means that nothing may be tried instead: the request cannot be done as stated, and
	// anything else would be something else.
	Final bool
}

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Sentence.String() + ": " + f.Err.Error()
	}
	return f.Sentence.String()
}

func (f *Fault) Unwrap() error { return f.Err }

// Refusal returns a final Fault with only a sentence: what was explicitly requested is impossible.
func Refusal(format string, args ...any) error {
	return &Fault{Sentence: Say(format, args...), Final: true}
}

// Final reports whether err contains a final Fault.
func Final(err error) bool {
	for {
		f, ok := errors.AsType[*Fault](err)
		if !ok || f.Final {
			return ok
		}
		err = f.Err
	}
}

// Sentence returns the sentence of the Fault in err, or otherwise if there is none.
func Sentence(err error, otherwise Message) Message {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Sentence
	}
	return otherwise
}

// OperatorSentence returns the operator's sentence of the Fault in err, or of a Fault within it
// that has the same Sentence, else the sentence for people, else otherwise.
func OperatorSentence(err error, otherwise Message) Message {
	outer, ok := errors.AsType[*Fault](err)
	if !ok {
		return otherwise
	}
	for f := outer; ok && f.Sentence.Equal(outer.Sentence); f, ok = errors.AsType[*Fault](f.Err) {
		if !f.Operator.IsZero() {
			return f.Operator
		}
	}
	return outer.Sentence
}
