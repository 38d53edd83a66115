package bottest

import (
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// At returns the time ms milliseconds after the request was made.
func At(ms int) time.Time {
	return time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

// ShownRequest is a request with everything that can occur: a failed step, a further run that reuses results
// and still runs, and control characters.
func ShownRequest() jobs.Request {
	arg := func(name string, s plan.Source) plan.Binding { return plan.Binding{Arg: name, Source: s} }
	grey := plan.Step{Key: "a", Action: plan.Action{Tool: "greyscale_image", Args: []plan.Binding{arg("image", plan.FromResource("photo.jpg"))}}}
	half := plan.Step{Key: "b", Action: plan.Action{Tool: "resize_image", Args: []plan.Binding{
		arg("image", plan.FromAction(0)), arg("amount", plan.FromValue("half\nas large")), arg("blank", plan.Source{}),
	}}}
	text := plan.Step{Key: "c", Action: plan.Action{Tool: "caption", Args: []plan.Binding{arg("question", plan.FromText("Is {0} nice?", plan.FromAction(1)))}}}
	made := plan.Resource{Name: "photo.grey-1a.png", Type: plan.Image}
	p := &plan.Plan{
		Tasks: []plan.Task{
			{Subtask: plan.Subtask{Description: "make photo.jpg black and white, half as large", Returns: plan.Image}, Solutions: make([]plan.Solution, 3)},
			{Subtask: plan.Subtask{Description: "sing it", Returns: plan.Audio}, Missing: []string{"text_to_music"}},
		},
		Thinking: plan.Thinking{Jobs: []plan.Job{{Name: "decompose", Calls: 1, Input: 900, Output: 100, Took: 1500 * time.Millisecond}}},
	}
	done := jobs.Step{Step: grey, Status: plan.Done, Started: At(1610), Ended: At(1950), Output: made.Name}
	return jobs.Request{
		ID: "abcdefghabcdefgh", ThreadID: "zyxwvutszyxwvuts", Thread: adapters.Thread{Adapter: "web", Channel: "general"},
		By: adapters.Person{ID: "u1", Name: "An\u202en"}, Wish: "make it black and white\r\n\tand \x1b[2Jhalf as large\n", At: At(0),
		Asked: plan.Request{Given: []plan.Resource{{Name: "photo.jpg", Type: plan.Image}}},
		Runs: []jobs.Run{
			{
				N: 1, Status: jobs.Failed, At: At(0), Planned: At(1600), Answered: At(130_000), Ended: At(130_200), Plan: p, Choice: plan.Choice{1, -1},
				Steps: []jobs.Step{
					done,
					{Step: half, Status: plan.Failed, Started: At(1955), Ended: At(129_000), Problem: "There is no\nroom."},
					{Step: text, Status: plan.Skipped},
				},
				Results: map[string]plan.Result{"a": {Candidate: "native:greyscale", Usage: plan.Tokens{Calls: 1, Input: 50, Output: 5}}},
				Made:    []plan.Resource{made},
				Answer: &jobs.Answer{
					Status: jobs.Failed, Thinking: p.Thinking,
					Reply: adapters.Reply{
						Text:    "Half of it could not be done.\n\n- **photo.grey-1a.png**",
						Choices: []adapters.Choice{{Text: "blur_image"}, {Text: "crop_region, then blur_image"}},
					},
				},
				Problem: "The channel is gone.",
			},
			{
				N: 2, Status: jobs.Running, At: At(200_000), Planned: At(1600), Plan: p, Choice: plan.Choice{0, -1},
				Steps: []jobs.Step{
					done,
					{Step: half, Status: plan.Running, Started: At(200_012), Drafts: []plan.Draft{
						{Program: `{"program":"print(1)\nprint('\u001b[2J')\n"}`, Model: "scribe", Usage: plan.Tokens{Input: 1200, Output: 34}, //
							Trouble: &plan.Trouble{
								What: "it left no file in OUT.", Printed: "1\n\x1b[2J\n", Left: []string{"a.png", "b\x07.png"},
							}},
						{Program: "I cannot", Trouble: &plan.Trouble{What: "the answer is not one JSON object."}},
						{Program: `{"program":"print(2)"}`, Model: "scribe"},
					}},
					{Step: text, Status: plan.Waiting},
				},
			},
			{N: 3, Status: jobs.Planning, At: At(203_000)},
			{
				N: 4, Status: jobs.Done, At: At(203_000), Planned: At(203_100), Answered: At(203_200), Ended: At(203_300),
				Plan: &plan.Plan{Reply: "Hello."}, Answer: &jobs.Answer{Reply: adapters.Reply{Text: "Hello."}},
				Votes: []jobs.Vote{{By: "u1", Good: true}, {By: "u\u202e2"}},
			},
			{
				N: 5, Status: jobs.Asking, At: At(203_000), Planned: At(203_100), Answered: At(203_200), Ended: At(203_300),
				Plan: &plan.Plan{Question: "Which?"}, Answer: &jobs.Answer{},
			},
			{
				N: 6, Status: jobs.Cancelled, At: At(203_000), Planned: At(203_100), Ended: At(203_300), Plan: p, Choice: plan.Choice{0, -1},
				Steps: []jobs.Step{{Step: grey, Status: plan.Running, Started: At(203_200)}, {Step: half, Status: plan.Waiting}},
			},
			{
				N: 7, Status: jobs.Done, At: At(203_000), Planned: At(203_100), Answered: At(203_200), Ended: At(203_300),
				Plan: &plan.Plan{Reply: "No.", Refused: true}, Answer: &jobs.Answer{},
			},
		},
	}
}
