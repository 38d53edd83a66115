package agent

import (
	"context"
	"errors"
	"os"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// verify tells why an output is not what its tool promises: a file that is missing,
// empty, broken or of another kind, a list that cannot be read, a text without words.
func verify(ctx context.Context, tool string, promised plan.Type, o toolbox.Output) error {
	lies := func(what plan.Message, err error) error {
		return &plan.Fault{Sentence: plan.Say("The tool %s promised %s, but %s.", tool, article(promised), what), Err: err}
	}
	if promised.Media() {
		return verifyFile(ctx, promised, o, lies)
	}
	if o.Path != "" {
		return lies(plan.Say("it made a file"), nil)
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
			return lies(plan.Say("nothing came of it"), nil)
		}
	}
	if err != nil {
		return lies(plan.Say("what came cannot be read"), err)
	}
	return nil
}

func verifyFile(ctx context.Context, promised plan.Type, o toolbox.Output, lies func(plan.Message, error) error) error {
	info, err := os.Stat(o.Path)
	switch {
	case o.Path == "" || err != nil:
		return lies(plan.Say("it made no file"), err)
	case !info.Mode().IsRegular():
		return lies(plan.Say("what it made is not a file"), nil)
	case info.Size() == 0:
		return lies(plan.Say("the file is empty"), nil)
	}
	// What was made here may be larger than what people may send.
	found, err := media.InspectContext(ctx, o.Path, media.Limits{Bytes: info.Size(), Pages: true})
	if err != nil {
		return lies(plan.Say("the file is broken"), err)
	}
	if !promised.Fits(found.Type) {
		return lies(plan.Say("the file is %s", article(found.Type)), nil)
	}
	if o.Value != "" && (promised == plan.Mask || promised == plan.Segmentation) {
		if err := list[plan.Part](o.Value); err != nil {
			return lies(plan.Say("its list of parts cannot be read"), err)
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

// article is the name of a type as people count it: "an image", "a mask", "tags".
func article(t plan.Type) plan.Message {
	switch {
	case t == "":
		return plan.Message{}
	case t == plan.Tags || t == plan.Weather:
		return plan.Say("%s", t)
	case strings.ContainsAny(string(t[:1]), "aeiou") || t == plan.HED || t == plan.HTML:
		return plan.Say("an %s", t)
	}
	return plan.Say("a %s", t)
}
