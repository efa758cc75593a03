package tool

// Media is a picture, a sound or a reference to a file that follows an answer.
type Media struct {
	Kind MediaKind
	MIME string
	Data []byte // of a picture or sound

	// Of a reference.
	URI  string
	Name string
	Size int64
}

// MediaKind is what a Media is.
type MediaKind uint8

// The kinds of media.
const (
	Picture   MediaKind = iota
	Sound               // that a model can listen to
	Reference           // to a resource that the client may read
)

// Attached is embedded in results that media follow.
type Attached []Media

func (a Attached) media() []Media { return a }
