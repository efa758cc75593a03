package bench

// OpenOurs opens the program's own engine on a vault folder, with its cache in
// place.Index. It returns at once: what must be waited for is a method of
// Product. ErrAbsent leaves the engine out of every table.
func OpenOurs(Place) (Product, error) { return nil, ErrAbsent }
