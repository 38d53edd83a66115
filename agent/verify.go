package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// verify tells why an output is not what its tool promises: a file that is missing,
// empty, broken or of another kind, a list that cannot be read, a text without words.
func verify(ctx context.Context, tool string, promised plan.Type, o toolbox.Output) error {
	lies := func(what string, err error) error {
		return &plan.Fault{Sentence: fmt.Sprintf("The tool %s promised %s, but %s.", tool, article(promised), what), Err: err}
	}
	if promised.Media() {
		return verifyFile(ctx, promised, o, lies)
	}
	if o.Path != "" {
		return lies("it made a file", nil)
	}
	var err error
	switch promised {
	case plan.BBox:
		err = list[plan.Box](o.Value)
	case plan.Points:
		err = list[plan.Point](o.Value)
	case plan.Category:
		err = list[plan.Class](o.Value)
	default:
		if strings.TrimSpace(o.Value) == "" {
			return lies("nothing came of it", nil)
		}
	}
	if err != nil {
		return lies("what came cannot be read", err)
	}
	return nil
}

func verifyFile(ctx context.Context, promised plan.Type, o toolbox.Output, lies func(string, error) error) error {
	info, err := os.Stat(o.Path)
	switch {
	case o.Path == "" || err != nil:
		return lies("it made no file", err)
	case !info.Mode().IsRegular():
		return lies("what it made is not a file", nil)
	case info.Size() == 0:
		return lies("the file is empty", nil)
	}
	// What was made here may be larger than what people may send.
	found, err := media.InspectContext(ctx, o.Path, media.Limits{Bytes: info.Size()})
	if err != nil {
		return lies("the file is broken", err)
	}
	if !promised.Fits(found.Type) {
		return lies("the file is "+article(found.Type), nil)
	}
	if o.Value != "" && (promised == plan.Mask || promised == plan.Segmentation) {
		if err := list[plan.Part](o.Value); err != nil {
			return lies("its list of parts cannot be read", err)
		}
	}
	return nil
}

func list[T plan.Box | plan.Point | plan.Class | plan.Part](value string) error {
	if value == "" {
		return errors.New("there is no list")
	}
	_, err := plan.DecodeValue[T](plan.Resource{Value: value})
	return err
}

// article puts "a" or "an" before the name of a type that people count.
func article(t plan.Type) string {
	switch {
	case t == plan.Tags || t == plan.Weather || t == "":
		return string(t)
	case strings.ContainsAny(string(t[:1]), "aeiou") || t == plan.HED || t == plan.HTML:
		return "an " + string(t)
	}
	return "a " + string(t)
}
