package model2vec

import (
	"encoding/json"
	"errors"
	"fmt"

	"obsidian-mcp/internal/text/lexicon"
)

// tokenizer cuts texts into pieces of a vocabulary.
type tokenizer struct {
	words     *lexicon.Lexicon
	unknown   int // the piece that stands for what is unknown, or -1
	normalise []change
	split     []split
	cut       func(part []byte, yield func(piece int))
}

// change changes a text, and split cuts each part of a text into smaller ones.
type (
	change func(text []byte) []byte
	split  func(parts [][]byte) [][]byte
)

// component is a normalizer or pre-tokenizer, with the settings of all kinds of them.
type component struct {
	Type string `json:"type"`

	Normalizers   []component `json:"normalizers"`
	Pretokenizers []component `json:"pretokenizers"`

	CleanText    bool  `json:"clean_text"`
	SpaceChinese bool  `json:"handle_chinese_chars"`
	StripAccents *bool `json:"strip_accents"`
	Lowercase    bool  `json:"lowercase"`

	Pattern struct {
		String *string `json:"String"`
		Regex  *string `json:"Regex"`
	} `json:"pattern"`
	Content    string `json:"content"`
	Prepend    string `json:"prepend"`
	StripLeft  bool   `json:"strip_left"`
	StripRight bool   `json:"strip_right"`
	Charsmap   string `json:"precompiled_charsmap"`

	Replacement    string `json:"replacement"`
	PrependScheme  string `json:"prepend_scheme"`
	AddPrefixSpace *bool  `json:"add_prefix_space"`
	Split          *bool  `json:"split"`
	SingleDigits   bool   `json:"individual_digits"`
}

// readTokenizer reads a tokenizer.json.
func readTokenizer(data []byte) (*tokenizer, error) {
	var file struct {
		Normalizer   *component `json:"normalizer"`
		PreTokenizer *component `json:"pre_tokenizer"`
		Model        struct {
			Type         string          `json:"type"`
			Vocabulary   json.RawMessage `json:"vocab"`
			Unknown      string          `json:"unk_token"`
			UnknownID    *int            `json:"unk_id"`
			Inner        *string         `json:"continuing_subword_prefix"`
			Longest      int             `json:"max_input_chars_per_word"`
			ByteFallback bool            `json:"byte_fallback"`
		} `json:"model"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	t := &tokenizer{unknown: -1}
	var err error
	model := file.Model
	switch model.Type {
	case "WordPiece":
		inner := "##"
		if model.Inner != nil {
			inner = *model.Inner
		}
		if err = t.readWords(model.Vocabulary); err == nil {
			t.unknown = t.words.Find([]byte(model.Unknown))
			t.cut = wordPiece{t.words, inner, model.Longest}.cut
		}
	case "Unigram":
		if model.ByteFallback {
			return nil, errors.New("byte_fallback is not supported")
		}
		var scores []float64
		if scores, err = t.readScores(model.Vocabulary); err == nil {
			if model.UnknownID != nil {
				t.unknown = *model.UnknownID
			}
			t.cut = newUnigram(t.words, scores).cut
		}
	default:
		return nil, fmt.Errorf("models of the type %q are not supported, only WordPiece and Unigram", model.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("vocab: %w", err)
	}
	if t.words.Len() == 0 {
		return nil, errors.New("the vocabulary is empty")
	}
	t.words.AllowPrefixes()
	if t.normalise, err = changesOf(file.Normalizer); err != nil {
		return nil, err
	}
	t.split, err = splitsOf(file.PreTokenizer)
	return t, err
}

// readWords reads a vocabulary that is an object of pieces and their numbers.
func (t *tokenizer) readWords(data []byte) error {
	var numbers map[string]int
	if err := json.Unmarshal(data, &numbers); err != nil {
		return err
	}
	words := make([]string, len(numbers))
	for word, number := range numbers {
		if number < 0 || number >= len(words) {
			return fmt.Errorf("the piece %q has the number %d of %d", word, number, len(words))
		}
		words[number] = word
	}
	t.words = lexicon.Of(words)
	return nil
}

// readScores reads a vocabulary that is a list of pieces and their scores.
func (t *tokenizer) readScores(data []byte) ([]float64, error) {
	var pairs [][2]json.RawMessage
	if err := json.Unmarshal(data, &pairs); err != nil {
		return nil, err
	}
	words, scores := make([]string, len(pairs)), make([]float64, len(pairs))
	for i, pair := range pairs {
		if err := errors.Join(json.Unmarshal(pair[0], &words[i]), json.Unmarshal(pair[1], &scores[i])); err != nil {
			return nil, err
		}
	}
	t.words = lexicon.Of(words)
	return scores, nil
}

// each yields the numbers of a text's pieces, without the unknown ones.
func (t *tokenizer) each(text []byte, yield func(piece int)) {
	for _, change := range t.normalise {
		text = change(text)
	}
	parts := [][]byte{text}
	for _, split := range t.split {
		parts = split(parts)
	}
	for _, part := range parts {
		t.cut(part, func(piece int) {
			if piece != t.unknown {
				yield(piece)
			}
		})
	}
}
