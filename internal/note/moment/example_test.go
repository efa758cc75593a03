package moment_test

import (
	"fmt"

	"obsidian-mcp/internal/note/moment"
)

func ExampleLocale_Format() {
	monday := moment.Time{Date: moment.Date{Year: 2026, Month: 11, Day: 16}}
	fmt.Println(moment.English().Format(monday, "gggg/[W]ww/YYYY-MM-DD dddd"))
	// Output: 2026/W47/2026-11-16 Monday
}
