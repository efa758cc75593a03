// Package fts5 is SQLite's full-text index, as an engine to compare with: five columns with weights, ranked by
// bm25, with snippets from its own function. The same code runs with both drivers, with and without cgo.
package fts5

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"obsidian-mcp/bench"
)

// Makers returns FTS5 over every driver of this build.
func Makers() []bench.Maker {
	var all []bench.Maker
	for _, d := range drivers {
		all = append(all, bench.Maker{
			Name:  d.name,
			Build: func(place bench.Place) error { return build(d, place) },
			Open:  func(place bench.Place) (bench.Engine, error) { return open(d, place) },
		})
	}
	return all
}

// driver is a way to reach SQLite.
type driver struct {
	name     string // in the tables
	registry string // in database/sql
}

// drivers are added by the files that import them.
var drivers []driver

const schema = `
CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, title, alias, heading, tag, text, tokenize = "unicode61 remove_diacritics 2");
INSERT INTO notes(notes, rank) VALUES ('rank', 'bm25(0, 8, 6, 3, 3, 1)');
CREATE TABLE places(path TEXT PRIMARY KEY, id INTEGER);`

func connect(d driver, place bench.Place, pragmas string) (*sql.DB, error) {
	db, err := sql.Open(d.registry, place.Index+"/"+d.name+".db")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // the settings below belong to a connection
	if _, err := db.Exec(pragmas); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// build fills the table in a single transaction. Nothing is synced or journalled meanwhile: a build that is
// interrupted is started again.
func build(d driver, place bench.Place) error {
	db, err := connect(d, place, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"+schema)
	if err != nil {
		return err
	}
	all, err := db.Begin()
	if err != nil {
		return errors.Join(err, db.Close())
	}
	if err := fill(all, place.Vault); err != nil {
		return errors.Join(err, all.Rollback(), db.Close())
	}
	return errors.Join(all.Commit(), db.Close())
}

func fill(all *sql.Tx, vault string) error {
	note, err := all.Prepare("INSERT INTO notes(path, title, alias, heading, tag, text) VALUES (?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	where, err := all.Prepare("INSERT INTO places(path, id) VALUES (?, ?)")
	if err != nil {
		return err
	}
	return bench.EachDoc(vault, func(doc bench.Doc) error {
		added, err := note.Exec(columns(doc)...)
		if err != nil {
			return fmt.Errorf("%s: %w", doc.Path, err)
		}
		id, err := added.LastInsertId()
		if err != nil {
			return err
		}
		_, err = where.Exec(doc.Path, id)
		return err
	})
}

func columns(doc bench.Doc) []any {
	return []any{doc.Path, doc.Title, strings.Join(doc.Aliases, "\n"), strings.Join(doc.Headings, "\n"), strings.Join(doc.Tags, "\n"), doc.Text}
}

type engine struct {
	db            *sql.DB
	search, place *sql.Stmt
	replace       *sql.Stmt
}

func open(d driver, place bench.Place) (bench.Engine, error) {
	db, err := connect(d, place, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA mmap_size=1073741824;")
	if err != nil {
		return nil, err
	}
	e := &engine{db: db}
	for statement, text := range map[**sql.Stmt]string{
		&e.search:  "SELECT path, rank, snippet(notes, 5, '<b>', '</b>', '…', 24) FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?",
		&e.place:   "SELECT id FROM places WHERE path = ?",
		&e.replace: "UPDATE notes SET path = ?, title = ?, alias = ?, heading = ?, tag = ?, text = ? WHERE rowid = ?",
	} {
		if *statement, err = db.Prepare(text); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return e, nil
}

func (e *engine) Search(query bench.Query, limit int) ([]bench.Hit, error) {
	rows, err := e.search.Query(translate(query), limit)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", query.Class, query.Terms, err)
	}
	defer rows.Close()
	var hits []bench.Hit
	for rows.Next() {
		var hit bench.Hit
		if err := rows.Scan(&hit.Path, &hit.Score, &hit.Snippet); err != nil {
			return nil, err
		}
		hits = append(hits, hit)
	}
	return hits, rows.Err()
}

func (e *engine) Update(doc bench.Doc) error {
	var id int64
	if err := e.place.QueryRow(doc.Path).Scan(&id); err != nil {
		return fmt.Errorf("%s: %w", doc.Path, err)
	}
	_, err := e.replace.Exec(append(columns(doc), id)...)
	return err
}

func (e *engine) Close() error { return e.db.Close() }
