package edit

import (
	"testing"

	"obsidian-mcp/internal/note/md"
)

func TestTagRename(t *testing.T) {
	for _, test := range []struct{ from, to, before, after string }{
		{"work", "job", "---\ntags: [work, home]\n---\n#work and #Work/deep, not #workshop\n", "---\ntags: [job, home]\n---\n#job and #job/deep, not #workshop\n"},
		{"work", "job", "---\ntags:\n  - 'work' # mine\n  - \"#work/a\"\n  - x\n---\n", "---\ntags:\n  - 'job' # mine\n  - \"#job/a\"\n  - x\n---\n"},
		{"work", "home", "---\ntags: [work, home, other]\n---\n", "---\ntags: [home, other]\n---\n"},
		{"work", "Home", "---\ntags:\n  - home\n  - work\n---\n", "---\ntags:\n  - home\n---\n"},
		{"work", "job", "---\ntags: [work, WORK]\n---\n", "---\ntags: [job]\n---\n"},
		{"work", "job", "---\ntags: work\n---\n", "---\ntags: job\n---\n"},
		{"work", "job", "---\ntags: \"work, home\"\ntag: work\n---\n", "---\ntags: \"job, home\"\ntag: job\n---\n"},
		{"work", "home", "---\ntags: work home\n---\n", "---\ntags: home\n---\n"},
		{"work", "job", "---\ntags: work, Job, x\n---\n", "---\ntags: Job, x\n---\n"},
		{"a/b", "c", "#a/b #a/b/c #a #A/B\r\n", "#c #c/c #a #c\r\n"},
		{"a", "a/b", "#a #a/b\n", "#a/b #a/b/b\n"},
		{"work", "job", "`#work` [[#work]] https://x.y/#work [x](y#work)\n```\n#work\n```\n## #work\n%% #work %%\n", "`#work` [[#work]] https://x.y/#work [x](y#work)\n```\n#work\n```\n## #job\n%% #job %%\n"},
		{"work", "work", "#work\n", "#work\n"},
		{"Work", "work", "---\ntags: [Work, work]\n---\n#Work\n", "---\ntags: [work]\n---\n#work\n"},
		{"work", "job", "---\ntags: {work: 1}\nother: work\n---\n", "---\ntags: {work: 1}\nother: work\n---\n"},
		{"work", "job", "\ufeff---\r\ntags:\r\n- work\r\n---\r\n", "\ufeff---\r\ntags:\r\n- job\r\n---\r\n"},
	} {
		splices, err := NewTagRename(test.from, test.to).Splices(md.Scan([]byte(test.before)))
		if got := string(md.Apply([]byte(test.before), splices)); err != nil || got != test.after {
			t.Errorf("%s -> %s in %q: %q, %v", test.from, test.to, test.before, got, err)
		}
	}
}
