package ops

import (
	"context"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// FindConflicts are the parameters of find_conflicts.
type FindConflicts struct {
	Limit int `json:"limit" default:"50"`
}

// ConflictList is the result of find_conflicts.
type ConflictList struct {
	Conflicts []ListedConflict `json:"conflicts"`
	Total     int              `json:"total"`
}

// ListedConflict is a file that exists in several versions.
type ListedConflict struct {
	Note      string         `json:"note"`
	Kind      conflictKind   `json:"kind"`
	Sides     []ConflictSide `json:"sides"` // the file itself first
	Mergeable bool           `json:"mergeable"`
}

// ConflictSide is one version.
type ConflictSide struct {
	ID       string `json:"id"`
	Modified string `json:"modified"`
	Size     int64  `json:"size"`
	Deleted  bool   `json:"deleted,omitempty"` // the file was deleted in it
}

var findConflicts = tool.New(tool.Spec{
	Name: "find_conflicts", Toolset: "sync", Title: "Find sync conflicts", Effect: tool.Reads, OnlyNamed: true,
	About: "Lists the notes and files that two devices changed at the same time: revisions in conflict, and the conflict copies that sync programs leave beside a file. " +
		"The first side is the file as it is. Use resolve_conflict to merge the sides or to choose one.",
}, (*Ops).FindConflicts)

// FindConflicts lists files of which several versions exist.
func (o *Ops) FindConflicts(ctx context.Context, in FindConflicts) (ConflictList, error) {
	if in.Limit < 0 {
		return ConflictList{}, fault.InvalidArgument.Errorf("limit must not be negative")
	}
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return ConflictList{}, err
	}
	found, err := o.conflicts(ctx, s)
	if err != nil {
		return ConflictList{}, err
	}
	list := ConflictList{Conflicts: []ListedConflict{}, Total: len(found)}
	for _, conflict := range found[:min(in.Limit, len(found))] {
		listed := ListedConflict{Note: string(conflict.path), Kind: conflict.kind, Mergeable: conflict.path.IsNote()}
		for _, side := range conflict.sides {
			listed.Sides = append(listed.Sides, ConflictSide{
				ID: side.id, Modified: side.modified.UTC().Format(time.RFC3339), Size: side.size, Deleted: side.deleted,
			})
		}
		list.Conflicts = append(list.Conflicts, listed)
	}
	if shown := len(list.Conflicts); shown > 0 && shown < list.Total {
		tool.AddHint(ctx, tool.HintCut, "%d of %d shown; limit=%d lists all.", shown, list.Total, list.Total)
	}
	return list, nil
}
