package livesync

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// session is what was found out about one incarnation of the database. It
// does not change: a database that says something else gets another session.
type session struct {
	remote format.Remote
	codec  *format.Codec
	fresh  bool // nothing has been written to the database yet
	wiped  bool // nothing is in it any more
}

// statement is what the database says of itself, as it came.
type statement struct{ version, milestone, parameters []byte }

// remote is what that means.
func (r statement) remote() (format.Remote, error) {
	return format.ParseRemote(r.version, r.milestone, r.parameters)
}

// identity tells incarnations of the database, and their settings, apart.
func (r statement) identity() string {
	remote, err := r.remote()
	if err != nil {
		return "unreadable"
	}
	return strconv.FormatInt(remote.Created, 10) + " " + string(remote.Salt)
}

// ask reads what the database says of itself.
func ask(ctx context.Context, client *couch.Client) (statement, error) {
	var said statement
	group, ctx := errgroup.WithContext(ctx)
	for into, get := range map[*[]byte]func() (couch.Document, error){
		&said.version:    func() (couch.Document, error) { return client.Get(ctx, format.VersionID, couch.GetOptions{}) },
		&said.milestone:  func() (couch.Document, error) { return client.GetLocal(ctx, localName(format.MilestoneID)) },
		&said.parameters: func() (couch.Document, error) { return client.GetLocal(ctx, localName(format.SyncParametersID)) },
	} {
		group.Go(func() error {
			document, err := get()
			if errors.Is(err, fault.NotFound) {
				return nil
			}
			*into = document.Body
			return err
		})
	}
	return said, group.Wait()
}

func localName(id string) string { return strings.TrimPrefix(id, "_local/") }

// samples are documents from which settings are learnt, and with which a
// passphrase is tried.
type samples struct {
	survey format.Survey
	bodies [][]byte
}

const (
	sampledFiles  = 50
	sampledChunks = 20
)

// connect finds out how the database is to be read and written.
func (s *Store) connect(ctx context.Context) (*session, error) {
	said, seen, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	remote, err := said.remote()
	if err != nil {
		return nil, err
	}
	empty := seen.survey.Empty() && !remote.Stated
	if empty && len(seen.bodies) > 0 && said.version == nil && said.milestone == nil && said.parameters == nil {
		return nil, fault.VaultNotFound.Errorf("the database '%s' holds documents, but none of LiveSync", s.opt.Couch.Database).WithHint("is COUCHDB_DATABASE_NAME right?")
	}
	now := &session{remote: remote, fresh: empty && !s.hasServed(), wiped: empty && s.hasServed()}
	settings, err := s.settings(now, seen)
	if err != nil {
		return nil, err
	}
	now.codec, err = format.NewCodec(format.Options{Settings: settings, Passphrase: s.opt.Passphrase, Salt: remote.Salt, Before: s.codecBefore()})
	if err != nil {
		return nil, fault.PermissionDenied.Errorf("%w", err).WithHint("set VAULT_PASSPHRASE to the passphrase that the devices use")
	}
	return now, seen.open(now.codec, remote)
}

// codecBefore is the codec of the session before, if there was one.
func (s *Store) codecBefore() *format.Codec {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil
	}
	return s.session.codec
}

// hasServed reports whether the database had something in it before: whoever
// empties it then is about to fill it again, and decides how.
func (s *Store) hasServed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served
}

// ask asks everything at once; why the database cannot be had is best said by
// the first question.
func (s *Store) ask(ctx context.Context) (said statement, seen *samples, err error) {
	var group errgroup.Group
	var there, saying, seeing error
	group.Go(func() error { _, there = s.couch.Info(ctx); return nil })
	group.Go(func() error { said, saying = ask(ctx, s.couch); return nil })
	group.Go(func() error { seen, seeing = s.sample(ctx); return nil })
	_ = group.Wait()
	return said, seen, cmp.Or(there, saying, seeing)
}

// sampled are the parts of the database that a few documents are taken from.
func sampled() []couch.Query {
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
	from := sampled()
	found := make([][][]byte, len(from))
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range from {
		group.Go(func() (err error) {
			found[i], err = s.firstOf(ctx, part)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	seen := &samples{bodies: slices.Concat(found...)}
	for _, body := range seen.bodies {
		seen.survey.Add(body)
	}
	return seen, nil
}

// firstOf fetches one page.
func (s *Store) firstOf(ctx context.Context, part couch.Query) (bodies [][]byte, err error) {
	count := 0
	for row, err := range s.couch.AllDocs(ctx, part) {
		if err != nil {
			return nil, err
		}
		if row.Doc != nil {
			bodies = append(bodies, row.Doc.Body)
		}
		if count++; count == part.Page {
			break
		}
	}
	return bodies, nil
}

// settings puts together how the database is written, and refuses what the
// user said otherwise. A database with nothing in it is as the user says.
func (s *Store) settings(now *session, seen *samples) (format.Settings, error) {
	settings := format.Configure(now.remote, &seen.survey, s.opt.Passphrase)
	said := s.opt.Obfuscated
	switch {
	case (now.fresh || now.wiped) && said != nil && *said && s.opt.Passphrase == "":
		return settings, fault.InvalidArgument.Errorf("USE_PATH_OBFUSCATION is true, which needs a passphrase").WithHint("set VAULT_PASSPHRASE too")
	case now.fresh, now.wiped:
		settings.Encrypt = s.opt.Passphrase != ""
		settings.ObfuscatePaths = said != nil && *said
	case said != nil && *said != settings.ObfuscatePaths:
		return settings, fault.InvalidArgument.Errorf("USE_PATH_OBFUSCATION is %t, but the database '%s' has it %s", *said, s.opt.Couch.Database, onOff(settings.ObfuscatePaths)).
			WithHint("unset USE_PATH_OBFUSCATION: the database tells")
	case s.opt.Passphrase != "" && !settings.Encrypt && !settings.ObfuscatePaths:
		return settings, fault.InvalidArgument.Errorf("VAULT_PASSPHRASE is set, but the database '%s' is not encrypted", s.opt.Couch.Database).
			WithHint("unset VAULT_PASSPHRASE, or turn on end-to-end encryption on a device")
	}
	return settings, nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// open tries the passphrase.
func (m *samples) open(codec *format.Codec, remote format.Remote) error {
	refusal := m.decrypt(codec)
	if refusal == nil {
		refusal = m.compareIDs(codec)
	}
	if refusal == nil || len(remote.Salt) == 0 && codec.Settings().Algorithm == format.EncryptV2 && codec.Settings().Encrypt {
		return nil // without the salt nothing can be said
	}
	return &fault.Error{
		Kind: fault.PermissionDenied, Message: "VAULT_PASSPHRASE does not open the vault", Hint: "set it to the passphrase that the devices use", Err: refusal,
	}
}

// decrypt refuses a passphrase that opens none of the documents that need one.
// If it opens some it is right, and others may be damaged, or from before it
// was changed.
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

// compareIDs refuses a passphrase that makes none of the ids that are made with
// one: where only paths are hidden, nothing else shows that it is wrong.
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
