package retrieval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// conversation is one of LoCoMo's: sessions of chat, and questions about them.
type conversation struct {
	QA []struct {
		Question string
		Evidence []string
		Category int
	}
	Conversation map[string]json.RawMessage
}

type turn struct {
	ID            string `json:"dia_id"`
	Speaker, Text string
}

// categories are LoCoMo's kinds of questions, by number.
var categories = []string{"", "single hop", "multi hop", "temporal", "open domain", "adversarial"}

// locomo writes every session of every conversation as a note, all into one vault, and reads the questions that name
// the sessions that answer them.
func locomo(file, vault string) (Set, error) {
	var conversations []conversation
	if err := readJSON(file, &conversations); err != nil {
		return Set{}, err
	}
	set := Set{Name: "LoCoMo", Vault: vault}
	for i, talk := range conversations {
		sessions, err := writeSessions(vault, fmt.Sprintf("locomo-c%02d", i), talk.Conversation)
		if err != nil {
			return Set{}, err
		}
		for _, qa := range talk.QA {
			want := notesOf(qa.Evidence, sessions)
			if len(want) == 0 || qa.Category >= len(categories) {
				continue
			}
			set.Questions = append(set.Questions, Question{
				Number: len(set.Questions) + 1, Kind: categories[qa.Category], Text: qa.Question, Want: want, Proof: turnsOf(qa.Evidence, talk.Conversation),
			})
		}
	}
	return set, nil
}

var sessionKey = regexp.MustCompile(`^session_(\d+)$`)

// writeSessions writes the sessions of a conversation as notes, and returns their paths by number.
func writeSessions(vault, name string, blob map[string]json.RawMessage) (map[string]string, error) {
	paths := map[string]string{}
	for key, value := range blob {
		number := sessionKey.FindStringSubmatch(key)
		var turns []turn
		if number == nil || json.Unmarshal(value, &turns) != nil {
			continue
		}
		date := ""
		if raw, ok := blob[key+"_date_time"]; ok {
			if err := json.Unmarshal(raw, &date); err != nil {
				return nil, err
			}
		}
		path := fmt.Sprintf("%s-s%02s.md", name, number[1])
		paths[number[1]] = path
		if err := os.WriteFile(filepath.Join(vault, path), sessionNote(path, name, number[1], date, turns), 0o600); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return nil, errors.New(name + " has no sessions")
	}
	return paths, nil
}

// sessionNote writes a session as the other programs that publish figures do.
func sessionNote(path, name, number, date string, turns []turn) []byte {
	title := strings.TrimSuffix(path, ".md")
	lines := []string{
		"---", fmt.Sprintf("title: %s (%s)", title, date), "type: note", "source_doc_id: " + title, "dataset_id: locomo",
		"conversation_id: " + name, "session_number: " + number, "session_date: " + date, "---", "",
		"# Chat session at " + date, "", "## Conversation",
	}
	for _, turn := range turns {
		if text := strings.TrimSpace(turn.Text); text != "" {
			lines = append(lines, fmt.Sprintf("- **%s:** %s", turn.Speaker, text))
		}
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// turnsOf returns what was said in the turns that answer a question.
func turnsOf(ids []string, blob map[string]json.RawMessage) []string {
	var texts []string
	for _, value := range blob {
		var turns []turn
		if json.Unmarshal(value, &turns) != nil {
			continue
		}
		for _, turn := range turns {
			if text := strings.TrimSpace(turn.Text); text != "" && slices.Contains(ids, turn.ID) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

var evidence = regexp.MustCompile(`^D(\d+):`)

// notesOf returns the notes that hold the evidence of an answer.
func notesOf(all []string, sessions map[string]string) []string {
	var notes []string
	for _, id := range all {
		if number := evidence.FindStringSubmatch(id); number != nil {
			if path := sessions[number[1]]; path != "" && !slices.Contains(notes, path) {
				notes = append(notes, path)
			}
		}
	}
	return notes
}
