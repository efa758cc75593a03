// Package dataview evaluates the queries of the plugin Dataview: TABLE, LIST, TASK and CALENDAR, and its expressions, over
// the fields of notes.
//
// It reads and answers as the plugin does, oddities included: the first alternative of the grammar that fits is taken, a
// row is left out if an expression fails for it, and missing fields are null. Cases that the plugin's own code has
// answered say so in the tests. JavaScript is never run.
//
// The package does no I/O and reads no clock: the caller imports notes, resolves links and says what time it is.
package dataview

import "obsidian-mcp/internal/query/value"

// Expression is a parsed expression.
type Expression interface {
	evaluate(s *scope) (value.Value, error)
}

type (
	literal  struct{ value value.Value }
	variable struct{ name string }
	binary   struct {
		op          operator
		left, right Expression
	}
	negation struct{ of Expression }
	index    struct{ of, by Expression }
	call     struct {
		function  Expression
		arguments []Expression
	}
	lambda struct {
		names []string
		body  Expression
	}
	listOf   struct{ items []Expression }
	objectOf struct {
		keys   []string
		values []Expression
	}
)

// operator is a binary operator as it is written; and is &, or is |.
type operator string

// Query is a parsed query.
type Query struct {
	Kind      Kind
	WithoutID bool
	Columns   []Named    // of a table; the single field of a calendar
	Format    Expression // of a list; nil if it has none
	source    source
	steps     []step
}

// Kind is the kind of a query's result.
type Kind string

// The kinds of queries.
const (
	Table    Kind = "table"
	ListKind Kind = "list"
	Task     Kind = "task"
	Calendar Kind = "calendar"
)

// Named is an expression with a name.
type Named struct {
	Name       string
	Expression Expression
}

// source says which pages a query is about.
type source struct {
	kind        sourceKind
	text        string // a tag, a folder, the target of a link, a path
	left, right *source
}

type sourceKind string

const (
	fromTag      sourceKind = "tag"
	fromFolder   sourceKind = "folder"
	fromIncoming sourceKind = "incoming"
	fromOutgoing sourceKind = "outgoing"
	fromCSV      sourceKind = "csv"
	fromBoth     sourceKind = "and"
	fromEither   sourceKind = "or"
	fromOthers   sourceKind = "not"
)

// step is one command of a query.
type step struct {
	kind  stepKind
	field Named // what to filter, group, flatten or limit by
	sort  []sortKey
	stray source // of a second FROM
}

type stepKind string

const (
	where   stepKind = "where"
	sortBy  stepKind = "sort"
	limit   stepKind = "limit"
	groupBy stepKind = "group"
	flatten stepKind = "flatten"
	again   stepKind = "from" // a second FROM, which no query survives
)

type sortKey struct {
	by         Expression
	descending bool
}
