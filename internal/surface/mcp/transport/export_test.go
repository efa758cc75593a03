package transport

// What the tests outside of the package compare with.
const (
	AliasPrefix  = aliasPrefix
	MaxAsked     = maxAsked
	MaxBatch     = maxBatch
	TurnPatience = turnPatience
)
