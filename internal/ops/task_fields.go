package ops

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/query/tasks"
)

// taskFields are the fields that update_task sets; those with an empty value are removed.
type taskFields struct {
	values      map[task.Kind]string
	status      string // "" if it is not set
	description string // likewise
}

// kinds returns the fields that are set, in the order in which the plugin writes them.
func (f taskFields) kinds() []task.Kind {
	var kinds []task.Kind
	for _, kind := range fieldOrder {
		if _, isSet := f.values[kind]; isSet {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// fieldOrder is the order in which the plugin writes fields.
var fieldOrder = []task.Kind{task.ID, task.DependsOn, task.Priority, task.Recurrence, task.Created, task.Start, task.Scheduled, task.Due}

// fieldNames are the keys of set.
var fieldNames = []string{"status", "due", "scheduled", "start", "priority", "recurrence", "id", "depends_on", "description"}

// readTaskFields reads the parameter set.
func (o *Ops) readTaskFields(in UpdateTask) (taskFields, error) {
	fields := taskFields{values: map[task.Kind]string{}}
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(cmp.Or(string(in.Set), "{}")), &given); err != nil {
		return fields, fault.InvalidArgument.Errorf("set must be an object")
	}
	if len(given) > 0 && in.Action != "set" && in.Action != "create" {
		return fields, fault.InvalidArgument.Errorf("set is for the actions set and create").WithHint("use action=set")
	}
	if len(given) == 0 && in.Action == "set" {
		return fields, fault.InvalidArgument.Errorf("set is empty").WithHint("it takes: %s", strings.Join(fieldNames, ", "))
	}
	for key, raw := range given {
		value, err := fieldText(key, raw)
		if err == nil {
			err = o.readTaskField(&fields, key, value)
		}
		if err != nil {
			return fields, err
		}
	}
	return fields, nil
}

// fieldText returns the value of a field as text: a string, a number, null for nothing, or a list of ids.
func fieldText(key string, raw json.RawMessage) (string, error) {
	var text *string
	if json.Unmarshal(raw, &text) == nil {
		if text == nil {
			return "", nil
		}
		return *text, nil
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil && key == "depends_on" {
		return strings.Join(list, ","), nil
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String(), nil
	}
	return "", fault.InvalidArgument.Errorf("%s must be a text", key)
}

func (o *Ops) readTaskField(fields *taskFields, key, value string) error {
	kind := task.Kind(key)
	if key != "status" { // of which a space is one
		value = strings.TrimSpace(value)
	}
	if strings.ContainsAny(value, "\r\n") {
		return fault.InvalidArgument.Errorf("%s must be one line", key)
	}
	switch {
	case !slices.Contains(fieldNames, key):
		err := fault.InvalidArgument.Errorf("unknown field '%s' in set", key)
		return err.WithHint("it takes: %s", strings.Join(fieldNames, ", "))
	case key == "description":
		if value == "" {
			return fault.InvalidArgument.Errorf("a task needs a description").WithHint("use replace_text to delete the line")
		}
		fields.description = value
		return nil
	case key == "status":
		if value == "" {
			value = " "
		}
		fields.status = value
		return nil
	case value == "":
	case kind == task.DependsOn && kind.Accepts(value):
		value = strings.ReplaceAll(value, " ", "")
	case kind.IsDate():
		day, ok := comingDay(value, o.clock.moment().Date)
		if !ok {
			return fault.InvalidArgument.Errorf("%s: '%s' is not a date", key, value).WithHint("write 2026-11-16, tomorrow, next friday or in two weeks")
		}
		value = isoDate(day)
	case kind == task.Priority:
		if value = strings.ToLower(value); value == "normal" {
			value = "none"
		}
		if !slices.Contains(task.Priorities(), value) {
			return fault.InvalidArgument.Errorf("unknown priority '%s'", value).WithHint("priorities are: %s", strings.Join(task.Priorities(), ", "))
		}
	case kind == task.Recurrence:
		if _, ok := task.ReadRecurrence(value); !ok {
			return fault.InvalidArgument.Errorf("recurrence: '%s' cannot be read", value).
				WithHint("write every day, every 2 weeks, every month on the 1st, every week on Monday, every day when done")
		}
	case !kind.Accepts(value):
		return fault.InvalidArgument.Errorf("%s: '%s' is not made of letters, digits, - and _", key, value)
	}
	fields.values[kind] = value
	return nil
}

var weekday = regexp.MustCompile(`(?i)^(?:this |next |on )?(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?$`)

// comingDay reads a date that something is put off to. Unlike in queries, a weekday is the first one after today.
func comingDay(text string, today moment.Date) (moment.Date, bool) {
	found := weekday.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return tasks.ReadDay(text, today)
	}
	for days := 1; ; days++ {
		day := today.AddDays(days)
		if name := moment.English().Format(moment.Time{Date: day}, "ddd"); strings.EqualFold(name, found[1][:3]) {
			return day, true
		}
	}
}

// apply sets the fields on a line, and checks that they read back as they were given.
func (f taskFields) apply(settings task.Settings, line string) (string, error) {
	if f.description != "" {
		read, _ := settings.Parse(line)
		line = settings.SetDescription(read, f.description)
		if read, _ = settings.Parse(line); !strings.HasSuffix(read.Description, f.description) {
			return "", fault.InvalidArgument.Errorf("a part of the description would be read as a field").WithHint("give dates and other fields in set")
		}
	}
	for _, kind := range f.kinds() {
		read, ok := settings.Parse(line)
		if !ok {
			return "", fault.InvalidArgument.Errorf("the line would not be a task")
		}
		line = settings.SetField(read, kind, f.values[kind])
		read, ok = settings.Parse(line)
		want := f.values[kind]
		if kind == task.Priority && want == "none" {
			want = ""
		}
		if !ok || strings.ReplaceAll(read.Get(kind), " ", "") != strings.ReplaceAll(want, " ", "") {
			return "", fault.InvalidArgument.Errorf("%s cannot be set on this line", kind)
		}
	}
	return line, nil
}
