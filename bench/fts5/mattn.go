//go:build cgo && fts5

package fts5

import _ "github.com/mattn/go-sqlite3" // SQLite itself, through cgo; needs the tag to have FTS5

func init() { drivers = append(drivers, driver{name: "fts5-mattn", registry: "sqlite3"}) }
