package livesync

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// session is what is known about one incarnation of the database. It is immutable: when the database's metadata change,
// a new session replaces it.
type session struct {
	remote format.Remote
	codec  *format.Codec
	fresh  bool // the database has never been used
	wiped  bool // the database has been emptied
}

// metadata are the documents that describe the database, as stored; nil if missing.
type metadata struct{ version, milestone, parameters []byte }

// remote parses the metadata.
func (m metadata) remote() (format.Remote, error) {
	return format.ParseRemote(m.version, m.milestone, m.parameters)
}

// identity returns a text that differs between incarnations of the database.
func (m metadata) identity() string {
	remote, err := m.remote()
	if err != nil {
		return "unreadable"
	}
	return strconv.FormatInt(remote.Created, 10) + " " + string(remote.Salt)
}

// metadata reads the documents that describe the database. In a cluster, local documents are not on every node: if one that was there
// before is missing although the database is in use, nodes are missing, and the database has not been replaced.
func (s *Store) metadata(ctx context.Context) (metadata, error) {
	meta, err := fetchMetadata(ctx, s.couch, nil)
	if err != nil || !s.couch.Clustered() || meta.version == nil {
		return meta, err
	}
	s.mu.Lock()
	known := s.session
	s.mu.Unlock()
	if known == nil {
		return meta, nil
	}
	if meta.milestone == nil && known.remote.Created != 0 || meta.parameters == nil && len(known.remote.Salt) > 0 {
		return meta, tooFewNodes()
	}
	return meta, nil
}

// fetchMetadata reads the documents that describe the database; version is nil, or its version document if that is known.
func fetchMetadata(ctx context.Context, client *couch.Client, version []byte) (metadata, error) {
	meta := metadata{version: version}
	group, ctx := errgroup.WithContext(ctx)
	if version == nil {
		group.Go(func() error {
			document, err := client.Get(ctx, format.VersionID, couch.GetOptions{})
			if errors.Is(err, fault.NotFound) {
				return nil
			}
			meta.version = document.Body
			return err
		})
	}
	group.Go(func() error {
		locals, err := client.GetLocals(ctx, localName(format.MilestoneID), localName(format.SyncParametersID))
		if err == nil {
			meta.milestone, meta.parameters = locals[0].Body, locals[1].Body
		}
		return err
	})
	return meta, group.Wait()
}

func localName(id string) string { return strings.TrimPrefix(id, "_local/") }

// connect reads the metadata and a few documents of the database, and finds out how to read and write it.
func (s *Store) connect(ctx context.Context) (*session, error) {
	meta, sampled, err := s.examine(ctx)
	if err != nil {
		return nil, err
	}
	remote, err := meta.remote()
	if err != nil {
		return nil, err
	}
	empty := sampled.survey.Empty() && !remote.Stated
	if empty && len(sampled.bodies) > 0 && meta.version == nil && meta.milestone == nil && meta.parameters == nil {
		return nil, fault.VaultNotFound.Errorf("the database '%s' contains documents, but none of LiveSync", s.opt.Couch.Database).
			WithHint("is COUCHDB_DATABASE_NAME right?")
	}
	sess := &session{remote: remote, fresh: empty && !s.wasUsed(), wiped: empty && s.wasUsed()}
	settings, err := s.settings(sess, sampled)
	if err != nil {
		return nil, err
	}
	sess.codec, err = format.NewCodec(format.Options{
		Settings: settings, Passphrase: s.opt.Passphrase, Salt: remote.Salt,
		Before: s.previousCodec(), DeriveKey: s.opt.DeriveKey,
	})
	if err != nil {
		return nil, fault.PermissionDenied.Errorf("%w", err).WithHint("set VAULT_PASSPHRASE to the passphrase that the devices use")
	}
	return sess, sampled.checkPassphrase(sess.codec, remote)
}

// previousCodec returns the codec of the previous session, or nil.
func (s *Store) previousCodec() *format.Codec {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil
	}
	return s.session.codec
}

// wasUsed reports whether the database had documents before. If it is empty now, a device is probably rebuilding it and
// will decide on its settings.
func (s *Store) wasUsed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usedBefore
}

// examine asks for everything that a session needs. The first request goes alone: if its login is refused, others would only make
// CouchDB lock the account.
func (s *Store) examine(ctx context.Context) (meta metadata, sampled *samples, err error) {
	if _, err := s.couch.Info(ctx); err != nil {
		return meta, nil, err
	}
	var group errgroup.Group
	var metaErr, sampleErr error
	group.Go(func() error { meta, metaErr = s.metadata(ctx); return nil })
	group.Go(func() error { sampled, sampleErr = s.sample(ctx); return nil })
	_ = group.Wait()
	return meta, sampled, cmp.Or(metaErr, sampleErr)
}

// settings determines the database's settings, and returns an error if the user's options contradict them. In an empty
// database the user's options decide.
func (s *Store) settings(sess *session, sampled *samples) (format.Settings, error) {
	settings := format.Configure(sess.remote, &sampled.survey, s.opt.Passphrase)
	obfuscated := s.opt.Obfuscated
	switch {
	case (sess.fresh || sess.wiped) && obfuscated != nil && *obfuscated && s.opt.Passphrase == "":
		return settings, fault.InvalidArgument.Errorf("USE_PATH_OBFUSCATION is true, which needs a passphrase").WithHint("set VAULT_PASSPHRASE too")
	case sess.fresh, sess.wiped:
		settings.Encrypt = s.opt.Passphrase != ""
		settings.ObfuscatePaths = obfuscated != nil && *obfuscated
	case obfuscated != nil && *obfuscated != settings.ObfuscatePaths:
		return settings, fault.InvalidArgument.Errorf("USE_PATH_OBFUSCATION is %t, but path obfuscation is %s in the database '%s'",
			*obfuscated, onOff(settings.ObfuscatePaths), s.opt.Couch.Database).
			WithHint("unset USE_PATH_OBFUSCATION: the database's own setting is used then")
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
