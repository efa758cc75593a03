package dataview

import "obsidian-mcp/internal/query/value"

// Tree writes a query as the cases of the parser do.
func Tree(q *Query, plain func(value.Value) any) any {
	w := treeWriter{plain}
	tree := map[string]any{"type": string(q.Kind), "source": w.source(&q.source), "commands": w.steps(q.steps)}
	switch q.Kind {
	case Table:
		columns := []any{}
		for _, column := range q.Columns {
			columns = append(columns, w.named(column))
		}
		tree["columns"], tree["show_id"] = columns, !q.WithoutID
	case ListKind:
		tree["format"], tree["show_id"] = nil, !q.WithoutID
		if q.Format != nil {
			tree["format"] = w.expression(q.Format)
		}
	case Calendar:
		tree["field"] = w.named(q.Columns[0])
	}
	return tree
}

// ExpressionTree writes an expression as the cases of the parser do.
func ExpressionTree(e Expression, plain func(value.Value) any) any {
	return treeWriter{plain}.expression(e)
}

type treeWriter struct{ plain func(value.Value) any }

func (w treeWriter) named(n Named) any {
	return map[string]any{"name": n.Name, "expr": w.expression(n.Expression)}
}

func (w treeWriter) source(s *source) any {
	switch s.kind {
	case fromBoth, fromEither:
		return []any{string(s.kind), w.source(s.left), w.source(s.right)}
	case fromOthers:
		return []any{"not", w.source(s.left)}
	}
	return []any{string(s.kind), s.text}
}

func (w treeWriter) steps(steps []step) any {
	all := []any{}
	for _, step := range steps {
		switch step.kind {
		case where:
			all = append(all, map[string]any{"where": w.expression(step.field.Expression)})
		case limit:
			all = append(all, map[string]any{"limit": w.expression(step.field.Expression)})
		case groupBy, flatten:
			all = append(all, map[string]any{string(step.kind): w.expression(step.field.Expression), "name": step.field.Name})
		case again:
			all = append(all, map[string]any{"stray_from": true, "source": w.source(&step.stray)})
		case sortBy:
			var keys []any
			for _, key := range step.sort {
				direction := "asc"
				if key.descending {
					direction = "desc"
				}
				keys = append(keys, []any{w.expression(key.by), direction})
			}
			all = append(all, map[string]any{"sort": keys})
		}
	}
	return all
}

func (w treeWriter) expression(e Expression) any {
	switch e := e.(type) {
	case literal:
		return []any{"lit", w.plain(e.value)}
	case variable:
		return []any{"var", e.name}
	case binary:
		return []any{"op", string(e.op), w.expression(e.left), w.expression(e.right)}
	case negation:
		return []any{"not", w.expression(e.of)}
	case index:
		return []any{"idx", w.expression(e.of), w.expression(e.by)}
	case call:
		return append([]any{"call", w.expression(e.function)}, w.expressions(e.arguments)...)
	case lambda:
		names := append([]string{}, e.names...)
		return []any{"fn", names, w.expression(e.body)}
	case listOf:
		return append([]any{"list"}, w.expressions(e.items)...)
	case objectOf:
		all := []any{"obj"}
		for i, key := range e.keys {
			all = append(all, []any{key, w.expression(e.values[i])})
		}
		return all
	}
	return nil
}

func (w treeWriter) expressions(all []Expression) (trees []any) {
	for _, expression := range all {
		trees = append(trees, w.expression(expression))
	}
	return trees
}
