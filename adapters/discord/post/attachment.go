package post

import (
	"context"
	"errors"
	"fmt"
	"io"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
)

// Attachments reads the files of replies.
type Attachments struct {
	Open    adapters.Opener
	MaxFile int64 // bytes
}

// read reads the files of a part into memory, since a call may have to be made again.
func (as *Attachments) read(ctx context.Context, p convert.Part) ([]api.File, error) {
	var all []api.File
	for i, a := range p.Files {
		b, err := as.readOne(ctx, a)
		if err != nil {
			return nil, err
		}
		if int64(len(b)) > as.MaxFile {
			return nil, &adapters.Fault{
				Sentence: "The files are larger than the platform takes.", Kind: adapters.ErrTooLarge, Files: []int{p.Numbers[i]}, Limit: as.MaxFile,
			}
		}
		all = append(all, api.File{Name: convert.FileName(a.Name), Type: a.Type, Content: b})
	}
	return all, nil
}

func (as *Attachments) readOne(ctx context.Context, a adapters.Attachment) (_ []byte, err error) {
	r, err := as.Open(ctx, a.Handle)
	if err != nil {
		return nil, fmt.Errorf("discord: open an attachment: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	b, err := io.ReadAll(io.LimitReader(r, as.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("discord: read an attachment: %w", err)
	}
	return b, nil
}
