package plan

import (
	"errors"
	"fmt"
)

// Validate returns everything that is wrong with the plan: resources with a missing name or type or
// a duplicate name, subtasks that depend on later ones, arguments whose source does not exist,
// comes later or has the wrong type, and guesses that are malformed or come without a question.
func (p *Plan) Validate() error {
	var errs []error
	types := map[string]Type{}
	for _, r := range p.Resources {
		if r.Name == "" || r.Type == "" {
			errs = append(errs, fmt.Errorf("resource %q of type %q: the name and the type are required", r.Name, r.Type))
		}
		if _, twice := types[r.Name]; twice {
			errs = append(errs, fmt.Errorf("duplicate resource %q", r.Name))
		}
		types[r.Name] = r.Type
	}
	if p.Question == "" && len(p.Guesses) > 0 {
		errs = append(errs, errors.New("guesses without a question"))
	}
	errs = append(errs, ValidateGuesses(p.Guesses))
	for t, task := range p.Tasks {
		v := validator{resources: types, tasks: p.Tasks[:t]}
		for _, after := range task.Subtask.After {
			if after < 0 || after >= t {
				errs = append(errs, fmt.Errorf("subtask %d depends on subtask %d, which is not an earlier one", t+1, after+1))
			}
		}
		for _, a := range task.Subtask.Args {
			if err := v.source(a.Type, a.Source); err != nil {
				errs = append(errs, fmt.Errorf("subtask %d: %w", t+1, err))
			}
		}
		for s, solution := range task.Solutions {
			if err := v.solution(solution, task.Subtask.Returns); err != nil {
				errs = append(errs, fmt.Errorf("subtask %d, solution %d: %w", t+1, s+1, err))
			}
		}
	}
	return errors.Join(errs...)
}

type validator struct {
	resources map[string]Type
	tasks     []Task   // the earlier ones
	actions   []Action // the earlier ones of the solution
}

func (v validator) solution(s Solution, returns Type) error {
	if len(s.Actions) == 0 {
		return errors.New("no actions")
	}
	if last := s.Actions[len(s.Actions)-1].Returns; !last.Fits(returns) {
		return fmt.Errorf("the result has type %s, want %s", last, returns)
	}
	var errs []error
	for i, a := range s.Actions {
		v.actions = s.Actions[:i]
		for _, b := range a.Args {
			if err := v.source(b.Type, b.Source); err != nil {
				errs = append(errs, fmt.Errorf("action %d (%s), argument %q: %w", i+1, a.Tool, b.Arg, err))
			}
		}
	}
	return errors.Join(errs...)
}

// source returns an error if s cannot provide a value of the wanted type.
func (v validator) source(want Type, s Source) error {
	switch s.Kind {
	case Blank:
		return nil
	case OfValue:
		if want.Media() {
			return fmt.Errorf("a literal cannot be of type %s", want)
		}
		return nil
	case OfText:
		if want.Media() {
			return fmt.Errorf("a text cannot be of type %s", want)
		}
		for _, p := range s.Parts {
			have, err := v.typeOf(p)
			if err != nil {
				return err
			}
			if have.Media() {
				return fmt.Errorf("a text cannot quote %s, which is of type %s", p, have)
			}
		}
		return nil
	default: // sources with a type of their own
	}
	have, err := v.typeOf(s)
	if err != nil {
		return err
	}
	if !have.Fits(want) {
		return fmt.Errorf("%s has type %s, want %s", s, have, want)
	}
	return nil
}

// typeOf returns the type of a resource, an earlier action's output or an earlier result.
func (v validator) typeOf(s Source) (Type, error) {
	switch s.Kind {
	case OfResource:
		t, ok := v.resources[s.Name]
		if !ok {
			return "", fmt.Errorf("there is no resource %q", s.Name)
		}
		return t, nil
	case OfAction:
		if s.Index < 0 || s.Index >= len(v.actions) {
			return "", fmt.Errorf("action %d is not an earlier one", s.Index+1)
		}
		return v.actions[s.Index].Returns, nil
	case OfSubtask:
		if s.Index < 0 || s.Index >= len(v.tasks) {
			return "", fmt.Errorf("subtask %d is not an earlier one", s.Index+1)
		}
		return v.tasks[s.Index].Subtask.Returns, nil
	default:
		return "", fmt.Errorf("a source of kind %q is not allowed here", s.Kind)
	}
}
