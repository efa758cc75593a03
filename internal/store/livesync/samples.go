package livesync

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// samples are documents that reveal the database's settings, and on which a passphrase is tried.
type samples struct {
	survey format.Survey
	bodies [][]byte
}

const (
	sampledFiles  = 50
	sampledChunks = 20
)

// sampleQueries select the ranges of ids from which documents are sampled.
func sampleQueries() []couch.Query {
	all := []couch.Query{{Start: firstChunk, Before: afterChunks, Docs: true, Page: sampledChunks}}
	for _, part := range parts {
		if part.Docs {
			all = append(all, couch.Query{Start: part.Start, Before: part.Before, Docs: true, Page: sampledFiles})
		}
	}
	return all
}

// sample fetches a few documents of each kind.
func (s *Store) sample(ctx context.Context) (*samples, error) {
	queries := sampleQueries()
	found := make([][][]byte, len(queries))
	group, ctx := errgroup.WithContext(ctx)
	for i, query := range queries {
		group.Go(func() (err error) {
			found[i], err = s.firstPage(ctx, query)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	sampled := &samples{survey: format.Survey{DeriveKey: s.opt.DeriveKey}, bodies: slices.Concat(found...)}
	for _, body := range sampled.bodies {
		sampled.survey.Add(body)
	}
	return sampled, nil
}

// firstPage fetches the first page of a query.
func (s *Store) firstPage(ctx context.Context, query couch.Query) (bodies [][]byte, err error) {
	count := 0
	for row, err := range s.couch.AllDocs(ctx, query) {
		if err != nil {
			return nil, err
		}
		if row.Doc != nil && row.ID != foundingID {
			bodies = append(bodies, row.Doc.Body)
		}
		if count++; count == query.Page {
			break
		}
	}
	return bodies, nil
}

// checkPassphrase tries the passphrase on the samples.
func (m *samples) checkPassphrase(codec *format.Codec, remote format.Remote) error {
	refusal := m.decrypt(codec)
	if refusal == nil {
		refusal = m.compareIDs(codec)
	}
	if refusal == nil || len(remote.Salt) == 0 && codec.Settings().Algorithm == format.EncryptV2 && codec.Settings().Encrypt {
		return nil // without the salt it cannot be checked
	}
	return &fault.Error{
		Kind: fault.PermissionDenied, Message: "VAULT_PASSPHRASE does not open the vault",
		Hint: "set it to the passphrase that the devices use", Err: refusal,
	}
}

// decrypt returns an error if the passphrase decrypts none of the encrypted documents. If it decrypts some it is right;
// others may be damaged, or older than a change of the passphrase.
func (m *samples) decrypt(codec *format.Codec) (refusal error) {
	for _, body := range m.bodies {
		if !format.Sealed(body) {
			continue
		}
		_, err := codec.Decode(body)
		if err == nil {
			return nil
		}
		if fault.KindOf(err) == fault.PermissionDenied {
			refusal = err
		}
	}
	return refusal
}

// compareIDs returns an error if the passphrase reproduces none of the obfuscated ids. If only paths are obfuscated,
// nothing else shows that it is wrong.
func (m *samples) compareIDs(codec *format.Codec) (refusal error) {
	if !codec.Settings().ObfuscatePaths {
		return nil
	}
	for _, body := range m.bodies {
		read, err := codec.Decode(body)
		if err != nil || read.Kind != format.Note || read.File == nil {
			continue
		}
		if err := codec.CheckID(read.File); err == nil {
			return nil
		} else if refusal == nil {
			refusal = err
		}
	}
	return refusal
}
