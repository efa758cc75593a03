package moment_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/testkit/cases"
	_ "obsidian-mcp/internal/testkit/mode" // fixes the seed
)

// TestFormatCases compares formats with the answers of moment itself.
func TestFormatCases(t *testing.T) {
	all := cases.List[struct{ ID, Title, Format, Date, Locale, Offset, Expect string }](t, "periodic/cases/format.json")
	for _, c := range all {
		locale, known := moment.LocaleNamed(c.Locale)
		if !known {
			t.Fatalf("%s: unknown locale %q", c.ID, c.Locale)
		}
		if got := locale.Format(parse(t, c.Date, c.Offset), c.Format); got != c.Expect {
			t.Errorf("%s: %s: %q of %s in %s is %q, want %q", c.ID, c.Title, c.Format, c.Date, c.Locale, got, c.Expect)
		}
	}
	t.Logf("format: %d cases ran", len(all))
}

// parse reads the date of a case, whose year may have six digits, and its offset.
func parse(t *testing.T, date, offset string) moment.Time {
	t.Helper()
	var at moment.Time
	year, rest := date[:4], date[4:]
	if strings.HasPrefix(date, "+") {
		year, rest = date[1:7], date[7:]
	}
	clock, fraction, _ := strings.Cut(rest, ".")
	_, err := fmt.Sscanf(year+clock, "%d-%d-%dT%d:%d:%d", &at.Date.Year, &at.Date.Month, &at.Date.Day, &at.Hour, &at.Minute, &at.Second)
	if fraction != "" && err == nil {
		_, err = fmt.Sscanf(fraction, "%d", &at.Millisecond)
	}
	if offset != "" && err == nil {
		var hours, minutes int
		_, err = fmt.Sscanf(offset[1:], "%d:%d", &hours, &minutes)
		if at.Offset = 60*hours + minutes; offset[0] == '-' {
			at.Offset = -at.Offset
		}
	}
	if err != nil {
		t.Fatalf("%s %s: %v", date, offset, err)
	}
	return at
}

// TestDatesAgreeWithTheLibrary compares the calendar with package time, which the package itself must not import.
func TestDatesAgreeWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.IntRange(-1_000_000, 4_000_000).Draw(t, "days")
		want := time.Unix(0, 0).UTC().AddDate(0, 0, days)
		date := moment.DateOf(days)
		if (date != moment.Date{Year: want.Year(), Month: int(want.Month()), Day: want.Day()}) || date.Days() != days {
			t.Fatalf("day %d is %v, and back %d; want %v", days, date, date.Days(), want)
		}
		if date.Weekday() != int(want.Weekday()) || date.YearDay() != want.YearDay() {
			t.Fatalf("%v: weekday %d, day of the year %d", date, date.Weekday(), date.YearDay())
		}
		year, week := moment.British().Weeks.Of(date)
		if wantYear, wantWeek := want.ISOWeek(); year != wantYear || week != wantWeek {
			t.Fatalf("%v: week %d of %d, want %d of %d", date, week, year, wantWeek, wantYear)
		}
	})
}

// TestWeeksFollowEachOther: whatever a week starts with, seven days have its number, and the next week has the next.
func TestWeeksFollowEachOther(t *testing.T) {
	for _, locale := range []moment.Locale{moment.English(), moment.British()} {
		for _, first := range []string{"sunday", "monday", "wednesday", "saturday"} {
			locale, ok := locale.StartingOn(first)
			if !ok {
				t.Fatalf("%s is no weekday", first)
			}
			day := locale.Weeks.Start(moment.Date{Year: 1999, Month: 6, Day: 1})
			year, week := locale.Weeks.Of(day)
			for range 60 * 53 {
				for i := range 7 {
					if y, w := locale.Weeks.Of(day.AddDays(i)); y != year || w != week {
						t.Fatalf("%s, %s: %v is in week %d of %d, want %d of %d", locale.Name, first, day.AddDays(i), w, y, week, year)
					}
				}
				day = day.AddDays(7)
				nextYear, nextWeek := locale.Weeks.Of(day)
				if follows := nextYear == year && nextWeek == week+1 || nextYear == year+1 && nextWeek == 1 && week >= 52; !follows {
					t.Fatalf("%s, %s: week %d of %d comes after week %d of %d", locale.Name, first, nextWeek, nextYear, week, year)
				}
				year, week = nextYear, nextWeek
			}
		}
	}
	if _, ok := moment.English().StartingOn("locale"); ok {
		t.Error("a week starts on 'locale'")
	}
}

// FuzzFormat: no format panics, and text in brackets is copied.
func FuzzFormat(f *testing.F) {
	for _, seed := range []string{"YYYY-MM-DD", `\`, "[", "[]", "LLLLLL", "\\\n", "[\n]", "lllLTS", "\xff"} {
		f.Add(seed)
	}
	at := moment.Time{Date: moment.Date{Year: 2026, Month: 11, Day: 16}, Hour: 9}
	f.Fuzz(func(t *testing.T, format string) {
		moment.English().Format(at, format)
		if strings.ContainsAny(format, "[]") {
			return
		}
		if got := moment.British().Format(at, "["+format+"]"); got != format {
			t.Errorf("[%s] gives %q", format, got)
		}
	})
}

// TestParseCases compares what is read with the answers of moment itself.
func TestParseCases(t *testing.T) {
	type parseCase struct {
		ID, Title, Text, Format, Locale, Now string
		Expect                               struct {
			Valid bool
			Date  string
		}
	}
	all := cases.List[parseCase](t, "periodic/cases/parse.json")
	for _, c := range all {
		locale, known := moment.LocaleNamed(c.Locale)
		if !known {
			t.Fatalf("%s: unknown locale %q", c.ID, c.Locale)
		}
		at, valid := locale.Parse(c.Text, c.Format, parse(t, c.Now, ""))
		got := locale.Format(at, "YYYY-MM-DDTHH:mm:ss.SSS")
		if valid != c.Expect.Valid || valid && got != c.Expect.Date {
			t.Errorf("%s: %s: %q as %q in %s: %v, %s; want %v", c.ID, c.Title, c.Text, c.Format, c.Locale, valid, got, c.Expect)
		}
	}
	t.Logf("parse: %d cases ran", len(all))
}

// TestOracle compares with what moment itself says about generated formats, dates and texts, as tools/oracle/moment.mjs
// prints it.
func TestOracle(t *testing.T) {
	type answer struct {
		Format, Locale, Date, Written, Text, Read string
		Offset                                    int
	}
	now := parse(t, "2026-11-16T10:00:00", "")
	cases.EachAnswer(t, "OBSIDIAN_MCP_TEST_MOMENT", func(c answer) bool {
		locale, _ := moment.LocaleNamed(c.Locale)
		at := parse(t, c.Date, "")
		at.Offset = c.Offset
		written, read := locale.Format(at, c.Format), ""
		if at, ok := locale.Parse(c.Text, c.Format, now); ok {
			read = locale.Format(at, "YYYY-MM-DDTHH:mm:ss.SSS")
		}
		if written != c.Written {
			t.Errorf("%q of %s in %s is %q, want %q", c.Format, c.Date, c.Locale, written, c.Written)
		}
		if read != c.Read {
			t.Errorf("%q as %q in %s: %q, want %q", c.Text, c.Format, c.Locale, read, c.Read)
		}
		return written == c.Written && read == c.Read
	})
}

// FuzzParse: no text panics, and what is read from a text that a format wrote is written as the same text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"YYYY-MM-DD", "gggg-[W]ww", "GGGG-[W]WW-E", "x", "[", "\\", "DDDD", "kk:mm A"} {
		f.Add(seed, "2026-11-16", 20000)
	}
	now := moment.Time{Date: moment.Date{Year: 2026, Month: 11, Day: 16}, Hour: 9}
	f.Fuzz(func(t *testing.T, format, text string, days int) {
		moment.English().Parse(text, format, now)
		date := moment.Time{Date: moment.DateOf(days % 1_000_000)}
		for _, whole := range []string{"YYYY-MM-DD", "gggg-[W]ww-e", "GGGG-[W]WW-E", "YYYY DDDD", "dddd Do MMMM YYYY"} {
			if date.Date.Year < 1 || date.Date.Year > 9998 {
				continue
			}
			written := moment.English().Format(date, whole)
			if read, ok := moment.English().Parse(written, whole, now); !ok || read != date {
				t.Errorf("%q as %q is %v, %v; want %v", written, whole, read, ok, date)
			}
		}
	})
}
