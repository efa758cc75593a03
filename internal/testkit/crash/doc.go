// Package crash proves on the real program that a crash loses nothing.
//
// It holds tests alone. They build the program as it is released, drive it as
// a client does on a vault in a real folder, and end it in every way that a
// machine knows: killed at random moments, killed before each single call
// that changes a file, with each of those calls failing, and with the power
// cut under its disk. Then they start it again and look at the folder with a
// reader of their own, which shares no code with the program.
//
// What they hold the program to: each file is whole, and one that was meant;
// a change is made as a whole or not at all; a change that was answered is
// there, in the history too; nothing is left lying about; and the first answer
// after the crash comes soon.
//
// Every run makes a short form of this. OBSIDIAN_MCP_TEST_LONG=1 makes all of
// it, which takes minutes; docs/RELIABILITY.md has the figures.
package crash
