package plan

import "errors"

// Fault is an error with two faces: a sentence for the person in the chat, and for the operator
// the settings that would help and the detail for the log.
type Fault struct { //nolint:errname // a Fault is more than an error: what people are told
	// Sentence says what was wrong and what to do. It never holds a path of the
	// machine, a secret or a model's raw text.
	Sentence Message
	// Operator is the sentence for whoever runs the program, who is told settings and servers
	// too; zero where that is Sentence.
	Operator Message
	Err      error // the detail; may be nil
	// Final means that no other way may stand in: what was asked for cannot be done
	// as it was said, and anything else would be something else.
	Final bool
}

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Sentence.String() + ": " + f.Err.Error()
	}
	return f.Sentence.String()
}

func (f *Fault) Unwrap() error { return f.Err }

// Final reports whether err, or a Fault within it, is final.
func Final(err error) bool {
	for {
		f, ok := errors.AsType[*Fault](err)
		if !ok || f.Final {
			return ok
		}
		err = f.Err
	}
}

// Sentence is what a person is told of err: its Fault's sentence, or otherwise.
func Sentence(err error, otherwise Message) Message {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Sentence
	}
	return otherwise
}

// OperatorSentence is what the operator is told of err: the sentence for operators of its Fault, or
// of one within it that people are told the same of, or what people are told.
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
