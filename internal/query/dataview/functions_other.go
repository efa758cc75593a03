package dataview

import (
	"fmt"

	"obsidian-mcp/internal/query/value"
)

// utilities are the remaining functions.
func utilities() []*overloaded {
	orElse := with(func(arguments []value.Value) value.Value {
		if arguments[0] == nil {
			return arguments[1]
		}
		return arguments[0]
	})
	hash := with(func(arguments []value.Value) value.Value {
		text, seed := asText(arguments[0]), uint32(0)
		for _, argument := range arguments[1:] {
			switch argument := argument.(type) {
			case string:
				text += argument
			case float64:
				seed = uint32(int64(argument))
			}
		}
		return cyrb53(text, seed)
	})
	return []*overloaded{
		define("default").on("* *", orElse).over(2, 0, 1),
		define("ldefault").on("* *", orElse),
		define("display").on("*", func(env *environment, arguments []value.Value) (value.Value, error) { return env.display(arguments[0]) }),
		define("choice").on("* * *", with(func(arguments []value.Value) value.Value {
			if isTrue(arguments[0]) {
				return arguments[1]
			}
			return arguments[2]
		})).over(3, 0),
		define("striptime").on("date", func(env *environment, arguments []value.Value) (value.Value, error) {
			year, month, day := arguments[0].(value.Date).Time.Date()
			return env.clock.date(year, int(month), day, 0, 0, 0, 0), nil
		}).null("null").over(1, 0),
		define("dateformat").on("date string", with(func(arguments []value.Value) value.Value {
			return formatDate(arguments[0].(value.Date), asText(arguments[1]))
		})).null("null string").over(2, 0),
		define("durationformat").on("duration string", with(func(arguments []value.Value) value.Value {
			return formatDuration(arguments[0].(value.Duration), asText(arguments[1]))
		})).null("null string").over(2, 0),
		define("currencyformat").on("number string", currency).null("null string").on("number", currency).null("null").over(2, 0),
		define("localtime").on("date", func(env *environment, arguments []value.Value) (value.Value, error) {
			return value.Date{Time: arguments[0].(value.Date).Time.In(env.clock.Now.Location())}, nil
		}).null("null").over(1, 0),
		define("hash").on("string number", hash).on("string string", hash).on("string string number", hash),
		define("meta").on("link", with(func(arguments []value.Value) value.Value {
			link := arguments[0].(value.Link)
			object := value.NewObject()
			object.Set("display", textOrNull(link.Display))
			object.Set("embed", link.Embed)
			object.Set("path", link.Path)
			object.Set("subpath", textOrNull(link.Subpath))
			object.Set("type", string(link.Kind))
			return object
		})),
	}
}

func textOrNull(text string) value.Value {
	if text == "" {
		return nil
	}
	return text
}

// display is the text of a value without Markdown.
func (env *environment) display(v value.Value) (string, error) {
	if err := env.spend(0); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return plainText(v), nil
	case value.List:
		texts := make(value.List, len(v))
		for i, element := range v {
			text, err := env.display(element)
			if err != nil {
				return "", err
			}
			texts[i] = text
		}
		return env.joinedTexts(texts, ", ")
	case value.Link:
		if v.Display != "" {
			return plainText(v.Display), nil
		}
		return linkText(v), nil
	}
	return Text(v), nil
}

// currencies are the signs of currencies, and how many decimals their amounts have, as American English writes them.
var currencies = map[string]struct {
	sign     string
	decimals int
}{
	"USD": {"$", 2}, "EUR": {"€", 2}, "GBP": {"£", 2}, "JPY": {"¥", 0}, "CNY": {"CN¥", 2}, "KRW": {"₩", 0}, "INR": {"₹", 2},
	"BRL": {"R$", 2}, "CAD": {"CA$", 2}, "AUD": {"A$", 2}, "MXN": {"MX$", 2}, "NZD": {"NZ$", 2}, "ILS": {"₪", 2}, "VND": {"₫", 0},
}

func currency(_ *environment, arguments []value.Value) (value.Value, error) {
	code := "USD"
	if len(arguments) > 1 {
		code = asText(arguments[1])
	}
	if len(code) != 3 {
		return nil, fmt.Errorf("%q is not the code of a currency", code)
	}
	known, ok := currencies[code]
	if !ok {
		known.sign, known.decimals = code+"\u00a0", 2
	}
	amount := asNumber(arguments[0])
	text := grouped(amount, known.decimals)
	if amount < 0 {
		return "-" + known.sign + text[1:], nil
	}
	return known.sign + text, nil
}

// cyrb53 is the hash that the plugin uses, over UTF-16 units.
func cyrb53(text string, seed uint32) float64 {
	const first, second, third, fourth = 2654435761, 1597334677, 2246822507, 3266489909
	a, b := uint32(0xdeadbeef)^seed, uint32(0x41c6ce57)^seed
	for _, unit := range value.UTF16(text) {
		a, b = (a^uint32(unit))*first, (b^uint32(unit))*second
	}
	a = (a ^ a>>16) * third
	a ^= (b ^ b>>13) * fourth
	b = (b ^ b>>16) * third
	b ^= (a ^ a>>13) * fourth
	return float64(uint64(b&0x1FFFFF)<<32 | uint64(a))
}
