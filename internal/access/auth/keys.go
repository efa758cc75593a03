package auth

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
)

const (
	keyCoolDown = 10 * time.Second // between two fetches, for any key
	keyRefresh  = time.Hour        // after which a key that is no longer published is not accepted
	keyRetry    = time.Minute      // between attempts to refresh while the issuer does not answer
	keyLifetime = 24 * time.Hour   // for which keys are accepted while the issuer does not answer
	keyTimeout  = 10 * time.Second // for a fetch in total
	maxKeys     = 100              // of an issuer; the others are ignored
)

// keyring holds the issuer's public keys. It fetches them when a token first needs them, when a token names an unknown key,
// and every hour; by one request at a time, however many callers wait for it.
type keyring struct {
	where  *url.URL
	issuer string
	client *http.Client
	log    *slog.Logger
	now    func() time.Time

	fetching chan struct{} // holds an item while a fetch is under way

	mu      sync.Mutex // guards what follows
	keys    map[string][]jose.JSONWebKey
	fetched time.Time // when the fetch that brought the keys began
	tried   time.Time // when the last fetch ended
	problem error     // of the last fetch
}

func newKeyring(where *url.URL, issuer string, client *http.Client, guard Options) *keyring {
	return &keyring{where: where, issuer: issuer, client: careful(client), log: guard.Log, now: guard.Now, fetching: make(chan struct{}, 1)}
}

// find returns the keys with an id: more than one if the issuer is careless with ids. It refuses if there is no such key,
// or if the issuer cannot be asked.
func (k *keyring) find(ctx context.Context, id string) ([]jose.JSONWebKey, *refusal) {
	keys, due := k.look(id)
	underWay := len(keys) > 0 && len(k.fetching) > 0 // another caller fetches; our keys are good until then
	if due && !underWay {
		if err := k.refresh(ctx, id); err != nil {
			return nil, unreachable(err)
		}
		keys, _ = k.look(id)
	}
	if len(keys) > 0 {
		return keys, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.problem != nil {
		return nil, unreachable(k.problem)
	}
	return nil, invalid("the token is signed by a key that the issuer does not publish")
}

// look returns the keys that we have, and whether a fetch is due.
func (k *keyring) look(id string) (keys []jose.JSONWebKey, due bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	age, rest := now.Sub(k.fetched), now.Sub(k.tried)
	if age < keyLifetime {
		keys = k.keys[id]
	}
	if len(keys) == 0 {
		return nil, rest >= keyCoolDown
	}
	return keys, age >= keyRefresh && rest >= keyRetry
}

// refresh fetches the keys, unless another caller just did. The fetch outlives the request that started it, because others
// may wait for it. The error is one of waiting; the error of a fetch is kept for every caller.
func (k *keyring) refresh(ctx context.Context, id string) error {
	select {
	case k.fetching <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-k.fetching }()
	if _, due := k.look(id); !due {
		return nil
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), keyTimeout)
	defer cancel()
	began := k.now()
	keys, err := k.fetch(limited)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tried, k.problem = k.now(), err
	if err != nil {
		k.log.Warn("cannot fetch the issuer's keys", "issuer", k.issuer, "error", err)
		return nil
	}
	k.keys, k.fetched = keys, began
	return nil
}

// fetch asks the issuer for its keys.
func (k *keyring) fetch(ctx context.Context) (map[string][]jose.JSONWebKey, error) {
	address, err := k.discover(ctx)
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := k.get(ctx, address, &set); err != nil {
		return nil, err
	}
	keys := map[string][]jose.JSONWebKey{}
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		if key, ok := readKey(raw); ok {
			keys[key.KeyID] = append(keys[key.KeyID], key)
		}
	}
	return keys, nil
}

// readKey reads a published key. It returns false for a key that is malformed or meant for something else; such a key does
// not affect the others.
func readKey(raw []byte) (key jose.JSONWebKey, ok bool) {
	var purpose struct {
		Operations []string `json:"key_ops"`
	}
	if json.Unmarshal(raw, &purpose) != nil || json.Unmarshal(raw, &key) != nil {
		return key, false
	}
	verifies := purpose.Operations == nil || slices.Contains(purpose.Operations, "verify")
	signs := key.Use == "" || key.Use == "sig"
	return key, verifies && signs && key.KeyID != "" && key.Valid()
}
