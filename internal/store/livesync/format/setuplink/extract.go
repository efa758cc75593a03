package setuplink

import (
	"net/url"
	"regexp"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// mostLink is the size in bytes of the longest text that is examined. Links have a few thousand.
const mostLink = 1 << 20

var (
	lineBreaks = regexp.MustCompile(`[\s\x{a0}]*[\r\n]+[\s\x{a0}]*`)
	spaces     = regexp.MustCompile(`[\s\x{a0}]+`)
	// invisible matches what some programs put into long words, so that they can be wrapped.
	invisible = regexp.MustCompile("[\u00ad\u200b-\u200d\u2060\ufeff]")
	start     = regexp.MustCompile(`(?i)obsidian:(//)?setuplivesync/?\?`)
	// anyLink matches an address; the plugin's QR codes may lead to a web page that collects their parts.
	anyLink = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]*://`)
)

// extract returns the encrypted settings in a text with a link.
func extract(text string) (string, error) {
	if len(text) > mostLink {
		return "", fault.InvalidArgument.Errorf("the text is too long for a setup link").WithHint("%s", copyAgain)
	}
	text = lineBreaks.ReplaceAllString(strings.TrimSpace(invisible.ReplaceAllString(text, "")), "")
	text = strings.Trim(text, " \t\"'`<>“”‘’")
	if text == "" {
		return "", fault.InvalidArgument.Errorf("the setup link is missing").WithHint("it begins with %s", prefix)
	}
	payload := text // without the part before it, if it begins with what a link contains
	if at := start.FindStringIndex(text); at != nil {
		var err error
		if payload, err = settingsOf(text[at[1]:]); err != nil {
			return "", err
		}
	} else if anyLink.MatchString(text) || !strings.ContainsAny(text[:1], "%[") {
		return "", notALink(text)
	}
	return decode(payload)
}

func notALink(text string) error {
	if strings.Contains(text, "obsidian-livesync/aggregator") {
		return fromQR()
	}
	return fault.InvalidArgument.Errorf("this is not a setup link of Self-hosted LiveSync: it must begin with %s", prefix).
		WithHint("%s", copyAgain)
}

func fromQR() error {
	return fault.InvalidArgument.Errorf("this is the link of a QR code, which is for devices only").
		WithHint("%s", "on a device, run the command \"Copy settings as a new setup URI\" of Self-hosted LiveSync, and use that link")
}

// settingsOf returns the parameter of a link that has the settings.
func settingsOf(query string) (string, error) {
	for parameter := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(parameter, "=")
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "settings":
			return strings.TrimSpace(value), nil
		case "settingsqr":
			return "", fromQR()
		}
	}
	return "", notALink("")
}

// mostEncodings is how often a link may have been percent-encoded: once by the plugin, and again by programs that it
// went through. Some of these programs also decode it.
const mostEncodings = 4

// decode undoes the percent-encoding.
func decode(payload string) (string, error) {
	for range mostEncodings {
		if _, complete := format.SealedSettings(restorePlus(payload)); complete {
			return restorePlus(payload), nil
		}
		decoded, err := url.PathUnescape(spaces.ReplaceAllString(payload, ""))
		if err != nil || decoded == payload {
			break
		}
		payload = decoded
	}
	if known, _ := format.SealedSettings(payload); known || payload == "" {
		return "", fault.InvalidArgument.Errorf("the link is incomplete or damaged").WithHint("%s", copyAgain)
	}
	return "", fault.InvalidArgument.Errorf("the link has a form that this release does not know").
		WithHint("%s; or try a newer release of this program", copyAgain)
}

// restorePlus undoes what reading a link as a form does to its plus signs.
func restorePlus(payload string) string { return strings.ReplaceAll(payload, " ", "+") }
