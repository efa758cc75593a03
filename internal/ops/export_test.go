package ops

// ShownLine is how a line is shown, for tests that know what is in it.
var ShownLine = shownLine
