package fts5

import _ "modernc.org/sqlite" // SQLite translated to Go

func init() { drivers = append(drivers, driver{name: "fts5-modernc", registry: "sqlite"}) }
