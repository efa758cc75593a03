package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// crypt decrypts the streams of a document whose user password is empty.
type crypt struct {
	key     []byte
	version int
	method  name // of the crypt filter: V2 (RC4), AESV2, AESV3 or Identity
}

// unlock prepares decryption, if the document is encrypted. If the empty password does not open it, it is locked.
func (f *file) unlock() {
	settings := f.dict(f.trailer["Encrypt"])
	if settings == nil || f.crypt != nil || f.isLocked {
		return
	}
	version, revision := int(f.number(settings["V"], 0)), int(f.number(settings["R"], 0))
	c := &crypt{version: version, method: "V2"}
	if version >= 4 {
		filters := f.dict(settings["CF"])
		standard, _ := f.resolve(settings["StmF"]).(name)
		c.method = "Identity"
		if method, ok := f.resolve(f.dict(filters[standard])["CFM"]).(name); ok {
			c.method = method
		}
	}
	handler, _ := f.resolve(settings["Filter"]).(name)
	owner, _ := f.resolve(settings["O"]).(text)
	user, _ := f.resolve(settings["U"]).(text)
	switch {
	case handler != "Standard" || len(user) < 32:
	case version >= 5:
		encrypted, _ := f.resolve(settings["UE"]).(text)
		c.key = keyOfAES256([]byte(user), []byte(encrypted), revision)
	case version >= 1:
		length := int(f.number(settings["Length"], 40)) / 8
		if version == 1 {
			length = 5
		} else if version == 4 {
			length = 16
		}
		permissions := uint32(int64(f.number(settings["P"], 0)))
		id := []byte{}
		if ids := f.array(f.trailer["ID"]); len(ids) > 0 {
			first, _ := f.resolve(ids[0]).(text)
			id = []byte(first)
		}
		plain := f.resolve(settings["EncryptMetadata"]) == false && revision >= 4
		c.key = keyOfRC4(owner, []byte(user), id, permissions, revision, min(max(length, 5), 16), plain)
	}
	if f.isLocked = c.key == nil; !f.isLocked {
		f.crypt = c
		f.objects, f.groups = map[int]any{}, map[int][]any{}
	}
}

const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"

// keyOfRC4 returns the key for the empty password, or nil if that is not the password.
func keyOfRC4(owner text, user, id []byte, permissions uint32, revision, length int, plainMetadata bool) []byte {
	hash := md5.New()
	hash.Write([]byte(padding))
	hash.Write([]byte(owner[:min(len(owner), 32)]))
	hash.Write(binary.LittleEndian.AppendUint32(nil, permissions))
	hash.Write(id)
	if plainMetadata {
		hash.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := hash.Sum(nil)
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:length])
			key = sum[:]
		}
	}
	key = key[:length]
	if revision < 3 {
		if !bytes.Equal(rc4Of(key, []byte(padding)), user[:32]) {
			return nil
		}
		return key
	}
	check := md5.New()
	check.Write([]byte(padding))
	check.Write(id)
	expected := check.Sum(nil)
	for round := range byte(20) {
		mixed := bytes.Clone(key)
		for i := range mixed {
			mixed[i] ^= round
		}
		expected = rc4Of(mixed, expected)
	}
	if !bytes.Equal(expected, user[:16]) {
		return nil
	}
	return key
}

func rc4Of(key, data []byte) []byte {
	stream, err := rc4.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	stream.XORKeyStream(out, data)
	return out
}

// keyOfAES256 returns the key for the empty password, or nil if that is not the password.
func keyOfAES256(user, encrypted []byte, revision int) []byte {
	if len(user) < 48 || len(encrypted) < 32 {
		return nil
	}
	hash := func(salt []byte) []byte {
		sum := sha256.Sum256(salt)
		if revision < 6 {
			return sum[:]
		}
		return hardenedHash(sum[:])
	}
	if !bytes.Equal(hash(user[32:40]), user[:32]) {
		return nil
	}
	block, err := aes.NewCipher(hash(user[40:48]))
	if err != nil {
		return nil
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, encrypted[:32])
	return key
}

// hardenedHash is algorithm 2.B of ISO 32000-2, for the empty password.
func hardenedHash(key []byte) []byte {
	for round := 0; ; round++ {
		repeated := bytes.Repeat(key, 64)
		block, err := aes.NewCipher(key[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, key[16:32]).CryptBlocks(repeated, repeated)
		sum := 0
		for _, b := range repeated[:16] {
			sum += int(b)
		}
		switch sum % 3 {
		case 0:
			next := sha256.Sum256(repeated)
			key = next[:]
		case 1:
			next := sha512.Sum384(repeated)
			key = next[:]
		case 2:
			next := sha512.Sum512(repeated)
			key = next[:]
		}
		if round >= 63 && int(repeated[len(repeated)-1]) <= round-31 {
			return key[:32]
		}
	}
}

// decrypt decrypts the bytes of a stream.
func (c *crypt) decrypt(data []byte, of reference) []byte {
	key := c.key
	if c.version < 5 {
		salted := append(bytes.Clone(key), byte(of.number), byte(of.number>>8), byte(of.number>>16), byte(of.generation), byte(of.generation>>8))
		if c.method == "AESV2" {
			salted = append(salted, "sAlT"...)
		}
		sum := md5.Sum(salted)
		key = sum[:min(len(key)+5, 16)]
	}
	switch c.method {
	case "V2":
		return rc4Of(key, data)
	case "AESV2", "AESV3":
		return decryptAES(key, data)
	}
	return data
}

func decryptAES(key, data []byte) []byte {
	size := len(data) / aes.BlockSize * aes.BlockSize
	if size < 2*aes.BlockSize {
		return nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, size-aes.BlockSize)
	cipher.NewCBCDecrypter(block, data[:aes.BlockSize]).CryptBlocks(out, data[aes.BlockSize:size])
	if pad := int(out[len(out)-1]); pad >= 1 && pad <= aes.BlockSize {
		out = out[:len(out)-pad]
	}
	return out
}
