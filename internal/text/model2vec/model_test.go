package model2vec

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/text/meaning"
)

// object is a JSON object.
type object = map[string]any

// marshal returns the JSON of a value.
func marshal(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// numbers are a tensor to be written.
type numbers struct {
	kind   string
	shape  []int
	values []float64
}

// safetensors writes tensors.
func safetensors(t *testing.T, tensors map[string]numbers) []byte {
	t.Helper()
	header := object{"__metadata__": object{"made": "by a test"}}
	var data []byte
	for name, tensor := range tensors {
		from := len(data)
		for _, x := range tensor.values {
			switch tensor.kind {
			case "F64":
				data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
			case "F32":
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
			case "F16": // the test's numbers have few bits, so that cutting the rest off is exact
				bits := math.Float32bits(float32(x))
				if x == 0 {
					data = append(data, 0, 0)
				} else {
					data = binary.LittleEndian.AppendUint16(data, uint16(bits>>31<<15|(bits>>23&255-112)<<10|bits>>13&1023))
				}
			case "BF16":
				data = binary.LittleEndian.AppendUint16(data, uint16(math.Float32bits(float32(x))>>16))
			case "I8":
				data = append(data, byte(int8(x)))
			case "I32":
				data = binary.LittleEndian.AppendUint32(data, uint32(int32(x)))
			case "I64":
				data = binary.LittleEndian.AppendUint64(data, uint64(int64(x)))
			}
		}
		header[name] = object{"dtype": tensor.kind, "shape": tensor.shape, "data_offsets": []int{from, len(data)}}
	}
	description := marshal(t, header)
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(description))), description, data)
}

// bert is a tokenizer like that of BERT.
func bert(words ...string) object {
	vocabulary := object{}
	for i, word := range append([]string{"[PAD]", "[UNK]"}, words...) {
		vocabulary[word] = i
	}
	return object{
		"normalizer":    object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": object{"type": "BertPreTokenizer"},
		"model":         object{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 20, "vocab": vocabulary},
	}
}

// sentencePiece is a tokenizer like that of a multilingual model, with the scores of its pieces.
func sentencePiece(charsmap string, pieces ...any) object {
	vocabulary := [][2]any{{"[UNK]", 0.0}}
	for i := 0; i < len(pieces); i += 2 {
		vocabulary = append(vocabulary, [2]any{pieces[i], pieces[i+1]})
	}
	return object{
		"normalizer": object{"type": "Sequence", "normalizers": []object{
			{"type": "Precompiled", "precompiled_charsmap": charsmap},
			{"type": "Replace", "pattern": object{"String": ","}, "content": " , "},
			{"type": "Replace", "pattern": object{"Regex": `\s+`}, "content": " "},
			{"type": "Strip", "strip_left": true, "strip_right": true},
		}},
		"pre_tokenizer": object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": false},
		"model":         object{"type": "Unigram", "unk_id": 0, "vocab": vocabulary},
	}
}

// charsmapOf makes the map of single characters of up to three bytes.
func charsmapOf(replacements map[string]string) string {
	type node struct {
		next map[byte]*node
		leaf int // plus one
	}
	var texts []byte
	root := &node{next: map[byte]*node{}}
	for from, to := range replacements {
		at := root
		for _, b := range []byte(from) {
			if at.next[b] == nil {
				at.next[b] = &node{next: map[byte]*node{}}
			}
			at = at.next[b]
		}
		at.leaf = len(texts) + 1
		texts = append(append(texts, to...), 0)
	}
	units := make([]uint32, 1<<14)
	free := uint32(256)
	var place func(n *node, at uint32)
	place = func(n *node, at uint32) { // its children are at a distance from where it is
		children := free
		free += 256
		units[at] |= (at ^ children) << 10
		if n.leaf > 0 {
			units[at] |= 1 << 8
			units[children] = uint32(n.leaf-1) | 1<<31
		}
		for b, child := range n.next {
			units[children^uint32(b)] |= uint32(b)
			place(child, children^uint32(b))
		}
	}
	place(root, 0)
	data := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, unit := range units {
		data = binary.LittleEndian.AppendUint32(data, unit)
	}
	return base64.StdEncoding.EncodeToString(append(data, texts...))
}

// pieces returns the pieces of a text, by their words.
func pieces(t *testing.T, tokens object, text string) []string {
	t.Helper()
	tokenizer, err := readTokenizer(marshal(t, tokens))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	tokenizer.each([]byte(text), func(piece int) { found = append(found, tokenizer.words.Word(piece)) })
	return found
}

func TestPieces(t *testing.T) {
	t.Parallel()
	english := bert("un", "##aff", "##able", "want", "##want", "##ed", "run", "##ning", ",", "low", "##er", "##est", "漢", "字", "!", "u", "##u")
	spoken := sentencePiece(charsmapOf(map[string]string{"ﬁ": "fi", "Ａ": "A", "\t": " ", "é": "e"}),
		"▁", -3.0, "▁the", -2.0, "▁fire", -4.0, "▁fi", -3.0, "re", -3.0, "f", -6.0, "i", -6.0, "r", -6.0, "e", -5.0, "A", -6.0, "▁,", -3.0, "漢字", -4.0, "漢", -7.0)
	for _, test := range []struct {
		tokens object
		text   string
		want   []string
	}{
		{english, "UNwantéd,running", []string{"un", "##want", "##ed", ",", "run", "##ning"}},
		{english, "unaffable\u0000\u00a0low\u200b", []string{"un", "##aff", "##able", "low"}},
		{english, "lowest漢字!!", []string{"low", "##est", "漢", "字", "!", "!"}},
		{english, "unwantedX low", []string{"low"}}, // a word with an unknown rest is unknown
		{english, strings.Repeat("u", 20) + " " + strings.Repeat("u", 21) + " low", append(append([]string{"u"}, slices.Repeat([]string{"##u"}, 19)...), "low")},
		{english, "", nil},
		{english, "\xff\xfe low", []string{"low"}},
		{spoken, "the fire", []string{"▁the", "▁fire"}},
		{spoken, "the\t ﬁre,Ａ", []string{"▁the", "▁fire", "▁,", "▁", "A"}},
		{spoken, "fi?re", []string{"▁fi", "re"}}, // what is unknown is left out
		{spoken, "漢字漢", []string{"▁", "漢字", "漢"}},
		{spoken, "fe\u0301", []string{"▁", "f", "e"}},
		{spoken, " \u2003\u0085 the \u3000", []string{"▁the"}},
		{spoken, "", nil},
	} {
		if got := pieces(t, test.tokens, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

// Other normalizers and pre-tokenizers do what their names say.
func TestComponents(t *testing.T) {
	t.Parallel()
	letters := func(normalizer, pre any) object {
		vocabulary := object{"[UNK]": 0}
		for i, word := range []string{"a", "##a", "1", "##1", "_", "##_", "-", "##-", "▁a", "e", "x▁a", "12"} {
			vocabulary[word] = i + 1
		}
		return object{"normalizer": normalizer, "pre_tokenizer": pre, "model": object{"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocabulary}}
	}
	kind := func(name string) object { return object{"type": name} }
	both := func(list string, parts ...object) object { return object{"type": "Sequence", list: parts} }
	for _, test := range []struct {
		normalizer, pre any
		text            string
		want            []string
	}{
		{nil, kind("WhitespaceSplit"), "a a1-a", []string{"a", "a", "##1", "##-", "##a"}},
		{nil, kind("Whitespace"), "a_1--a", []string{"a", "##_", "##1", "-", "##-", "a"}},
		{nil, kind("Punctuation"), "a--a", []string{"a", "-", "-", "a"}},
		{nil, kind("Digits"), "a12a", []string{"a", "12", "a"}},
		{nil, object{"type": "Digits", "individual_digits": true}, "a11a", []string{"a", "1", "1", "a"}},
		{nil, both("pretokenizers", kind("WhitespaceSplit"), kind("Punctuation")), "a -a", []string{"a", "-", "a"}},
		{nil, both("pretokenizers", kind("WhitespaceSplit"), object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}), "a a", []string{"▁a", "a"}},
		{nil, object{"type": "Metaspace", "replacement": "▁", "add_prefix_space": false}, "a a", []string{"a", "▁a"}},
		{kind("Lowercase"), nil, "A", []string{"a"}},
		{both("normalizers", kind("NFD"), kind("StripAccents")), nil, "ä", []string{"a"}},
		{both("normalizers", kind("NFKD"), kind("StripAccents")), nil, "ⓐ\u0301", []string{"a"}},
		{kind("NFKC"), nil, "①", []string{"1"}},
		{kind("NFC"), nil, "a", []string{"a"}},
		{object{"type": "Prepend", "prepend": "▁"}, nil, "a", []string{"▁a"}},
		{object{"type": "Replace", "pattern": object{"Regex": `[\s.]+`}, "content": "-"}, nil, "a \u00a0.a", []string{"a", "##-", "##a"}},
	} {
		if got := pieces(t, letters(test.normalizer, test.pre), test.text); !slices.Equal(got, test.want) {
			t.Errorf("%v %v %q: %q, want %q", test.normalizer, test.pre, test.text, got, test.want)
		}
	}
}

// tinyRows are the vectors of a vocabulary of [PAD], [UNK], sun, moon and ##s.
var tinyRows = []float64{9, 9, 9, 9, 3, 4, 0, -2, 1, 0}

// The vectors are the sums of the pieces', in every format of numbers, with weights and with rows that pieces share.
func TestGoldenVectors(t *testing.T) {
	t.Parallel()
	tokens := marshal(t, bert("sun", "moon", "##s"))
	for name, tensors := range map[string]map[string]numbers{
		"F32":         {"embeddings": {"F32", []int{5, 2}, tinyRows}},
		"F16":         {"embeddings": {"F16", []int{5, 2}, tinyRows}},
		"BF16":        {"embeddings": {"BF16", []int{5, 2}, tinyRows}},
		"I8":          {"embeddings": {"I8", []int{5, 2}, tinyRows}},
		"other names": {"embedding.weight": {"F32", []int{5, 2}, tinyRows}},
		"few rows": {
			"embeddings": {"F32", []int{3, 2}, []float64{1.5, 2, 0, -1, 1, 0}},
			"weights":    {"F64", []int{5}, []float64{7, 7, 2, 2, 1}},
			"mapping":    {"I32", []int{5}, []float64{0, 0, 0, 1, 2}},
		},
		"half weights": {
			"embeddings": {"F16", []int{3, 2}, []float64{1.5, 2, 0, -1, 1, 0}},
			"weights":    {"F16", []int{5}, []float64{1, 1, 2, 2, 1}},
			"mapping":    {"I64", []int{5}, []float64{0, 0, 0, 1, 2}},
		},
	} {
		m, err := Read(Files{[]byte(`{"model_type":"model2vec","normalize":true}`), tokens, safetensors(t, tensors)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for text, want := range map[string]meaning.Vector{"Sun": {0.6, 0.8}, "suns of no name": {4 / math.Sqrt2 / 4, 4 / math.Sqrt2 / 4}, "moon sun moon": {1, 0}} {
			v, err := meaning.NewWords("tiny", m.Dimensions(), m.NewAdder).Question(t.Context(), text)
			if err != nil || len(v) != 2 || math.Abs(float64(v[0]-want[0]))+math.Abs(float64(v[1]-want[1])) > 1e-6 {
				t.Errorf("%s: %s is %v, want %v", name, text, v, want)
			}
		}
		if v, _ := meaning.NewWords("tiny", m.Dimensions(), m.NewAdder).Question(t.Context(), "stars"); v != nil {
			t.Errorf("%s: unknown words have the vector %v", name, v)
		}
	}
	for bits, want := range map[uint16]float32{0x3C00: 1, 0xC000: -2, 0x0001: 1.0 / (1 << 24), 0x8000: 0, 0x7C00: float32(math.Inf(1)), 0x3555: 0.33325195} {
		if got := half(bits); got != want {
			t.Errorf("%04x is %g, want %g", bits, got, want)
		}
	}
}

// Damaged files, and files of other kinds of models, are refused with the reason.
func TestDamageIsRefused(t *testing.T) {
	t.Parallel()
	whole := func() (object, map[string]numbers) {
		return bert("sun", "moon", "##s"), map[string]numbers{"embeddings": {"F32", []int{5, 2}, tinyRows}}
	}
	for want, damage := range map[string]func(files *Files, tokens object, tensors map[string]numbers){
		"config.json: ":    func(f *Files, _ object, _ map[string]numbers) { f.Config = []byte("{") },
		"of the type bert": func(f *Files, _ object, _ map[string]numbers) { f.Config = []byte(`{"model_type":"bert"}`) },
		"has only 3 bytes": func(f *Files, _ object, _ map[string]numbers) { f.Tensors = []byte("abc") },
		"not a safetensors file": func(f *Files, _ object, _ map[string]numbers) {
			f.Tensors = []byte("version https://git-lfs.github.com")
		},
		"the header of model": func(f *Files, _ object, _ map[string]numbers) {
			f.Tensors = []byte("\x02\x00\x00\x00\x00\x00\x00\x00{]")
		},
		"are not in the file": func(f *Files, _ object, _ map[string]numbers) { f.Tensors = f.Tensors[:len(f.Tensors)-1] },
		"40 bytes for the shape [5 3]": func(_ *Files, _ object, n map[string]numbers) {
			n["embeddings"] = numbers{"F32", []int{5, 3}, tinyRows}
		},
		"for the shape [-5 -2]": func(_ *Files, _ object, n map[string]numbers) {
			n["embeddings"] = numbers{"F32", []int{-5, -2}, tinyRows}
		},
		"no tensor named embeddings": func(_ *Files, _ object, n map[string]numbers) { delete(n, "embeddings") },
		"of the kind I32": func(_ *Files, _ object, n map[string]numbers) {
			n["embeddings"] = numbers{"I32", []int{5, 2}, tinyRows}
		},
		"not two dimensions": func(_ *Files, _ object, n map[string]numbers) { n["embeddings"] = numbers{"F32", []int{10}, tinyRows} },
		"but there are only 4 vectors": func(_ *Files, _ object, n map[string]numbers) {
			n["embeddings"] = numbers{"F32", []int{4, 2}, tinyRows[:8]}
		},
		"but only 4 have a vector": func(_ *Files, _ object, n map[string]numbers) {
			n["mapping"] = numbers{"I32", []int{4}, []float64{0, 1, 2, 3}}
		},
		"piece 1 has vector 5 of 5": func(_ *Files, _ object, n map[string]numbers) {
			n["mapping"] = numbers{"I32", []int{5}, []float64{0, 5, 2, 3, 4}}
		},
		"piece 1 has vector -1 of 5": func(_ *Files, _ object, n map[string]numbers) {
			n["mapping"] = numbers{"I32", []int{5}, []float64{0, -1, 2, 3, 4}}
		},
		"a mapping of the kind F32": func(_ *Files, _ object, n map[string]numbers) {
			n["mapping"] = numbers{"F32", []int{5}, make([]float64, 5)}
		},
		"but only 1 have a weight":       func(_ *Files, _ object, n map[string]numbers) { n["weights"] = numbers{"F32", []int{1}, []float64{1}} },
		"tokenizer.json: unexpected end": func(f *Files, _ object, _ map[string]numbers) { f.Tokenizer = []byte("{") },
		`the type "BPE"`:                 func(_ *Files, tokens object, _ map[string]numbers) { tokens["model"] = object{"type": "BPE"} },
		"the vocabulary is empty":        func(_ *Files, tokens object, _ map[string]numbers) { tokens["model"].(object)["vocab"] = object{} },
		`"sun" has the number 9 of 1`: func(_ *Files, tokens object, _ map[string]numbers) {
			tokens["model"].(object)["vocab"] = object{"sun": 9}
		},
		"vocab: json": func(_ *Files, tokens object, _ map[string]numbers) { tokens["model"].(object)["vocab"] = 5 },
		"byte_fallback": func(_ *Files, tokens object, _ map[string]numbers) {
			tokens["model"] = object{"type": "Unigram", "byte_fallback": true}
		},
		"the normalizer ByteLevel": func(_ *Files, tokens object, _ map[string]numbers) {
			tokens["normalizer"] = object{"type": "ByteLevel"}
		},
		"the pre-tokenizer ByteLevel": func(_ *Files, tokens object, _ map[string]numbers) {
			tokens["pre_tokenizer"] = object{"type": "ByteLevel"}
		},
		"charsmap is damaged": func(_ *Files, tokens object, _ map[string]numbers) {
			tokens["normalizer"] = object{"type": "Precompiled", "precompiled_charsmap": "/////w=="}
		},
		"has no pattern": func(_ *Files, tokens object, _ map[string]numbers) { tokens["normalizer"] = object{"type": "Replace"} },
		`the pattern "(?=x)"`: func(_ *Files, tokens object, _ map[string]numbers) {
			tokens["normalizer"] = object{"type": "Replace", "pattern": object{"Regex": "(?=x)"}}
		},
	} {
		tokens, tensors := whole()
		files := Files{[]byte("{}"), marshal(t, tokens), safetensors(t, tensors)}
		damage(&files, tokens, tensors)
		again, _ := whole()
		if fmt.Sprint(tokens) != fmt.Sprint(again) {
			files.Tokenizer = marshal(t, tokens)
		}
		if _, same := whole(); fmt.Sprint(tensors) != fmt.Sprint(same) {
			files.Tensors = safetensors(t, tensors)
		}
		if _, err := Read(files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A damaged map of characters changes nothing, and never fails.
func TestDamagedCharsmap(t *testing.T) {
	t.Parallel()
	data, err := base64.StdEncoding.DecodeString(charsmapOf(map[string]string{"a": "b"}))
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < 8192; at += 37 {
		damaged := slices.Clone(data)
		damaged[4+at] ^= 0xA5
		m, err := readCharsmap(base64.StdEncoding.EncodeToString(damaged))
		if err != nil {
			t.Fatal(err)
		}
		for b := range 256 {
			m.change([]byte{byte(b), 'a'})
		}
	}
}
