// Package crash checks on the real program that a crash loses nothing.
//
// It contains only tests. They run the program as it is released, drive it like a client on a vault in a real folder, and
// crash it in every way that a machine can: they kill it at random moments, kill it before every single system call that
// changes a file, make each of those calls fail, and cut the power of its disk. Then they start it again and read the
// folder with code of their own, which they do not share with the program.
//
// After each crash, every file must be intact and hold an intended version; the interrupted change must have been made
// completely or not at all; a change that was answered must be there, also in the history; and nothing may be left over.
//
// A plain run crashes the program some dozen times, and OBSIDIAN_MCP_TEST_FULL=1 some hundred times.
// OBSIDIAN_MCP_TEST_LONG=1 tries every call, which takes minutes; docs/RELIABILITY.md has the figures.
package crash
