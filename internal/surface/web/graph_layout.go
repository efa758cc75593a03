package web

import "math"

// rounds is how many times the forces of a layout act.
const rounds = 160

// arrange gives every node a position and a size: notes repel each other, links pull
// them together, and the centre stays in the middle. The same neighbourhood always
// looks the same.
func arrange(nodes []*graphNode, pairs []pair) {
	shrink := math.Max(0.6, math.Min(1, math.Sqrt(50/float64(len(nodes))))) // many nodes need room between them
	for i, node := range nodes {
		node.R = size(node) * shrink
		if i > 0 { // a spiral, so that no two start at the same point
			angle, far := float64(i)*math.Pi*(3-math.Sqrt(5)), 60+110*float64(node.Depth)+float64(i%7)*9
			node.X, node.Y = far*math.Cos(angle), far*math.Sin(angle)
		}
	}
	wish := math.Sqrt(pictureWidth * pictureTall / float64(len(nodes)+1)) // at this distance the notes fill the picture
	force := make([][2]float64, len(nodes))
	for round := range rounds {
		push(nodes, force, wish)
		pull(nodes, pairs, force, wish)
		move(nodes, force, wish*(1-float64(round)/rounds))
	}
	fit(nodes)
	for range 12 {
		apart(nodes)
	}
	for _, node := range nodes {
		node.X, node.Y, node.R = tenth(node.X), tenth(node.Y), tenth(node.R)
	}
}

// size returns the radius of a node, which grows with its links or notes.
func size(node *graphNode) float64 {
	switch node.Kind {
	case stepKinds[0]:
		return 17
	case folderKind:
		return math.Min(12+2*math.Log10(float64(node.Count)), 20)
	}
	return math.Min(5+1.5*math.Sqrt(float64(node.Links)), 14)
}

func push(nodes []*graphNode, force [][2]float64, wish float64) {
	for i, node := range nodes {
		for j := range i {
			dx, dy := node.X-nodes[j].X, node.Y-nodes[j].Y
			square := math.Max(dx*dx+dy*dy, 1)
			by := wish * wish / square
			force[i][0] += dx * by
			force[i][1] += dy * by
			force[j][0] -= dx * by
			force[j][1] -= dy * by
		}
	}
}

func pull(nodes []*graphNode, pairs []pair, force [][2]float64, wish float64) {
	for _, link := range pairs {
		from, to := nodes[link.from], nodes[link.to]
		dx, dy := to.X-from.X, to.Y-from.Y
		by := math.Hypot(dx, dy) / wish
		if link.from == 0 || link.to == 0 {
			by *= 0.5 // the centre links to everything, so other links say more
		}
		force[link.from][0] += dx * by
		force[link.from][1] += dy * by
		force[link.to][0] -= dx * by
		force[link.to][1] -= dy * by
	}
}

// move applies the forces to all nodes except the centre, up to a maximum distance,
// and resets them.
func move(nodes []*graphNode, force [][2]float64, most float64) {
	for i, node := range nodes {
		dx, dy := force[i][0]-node.X*0.08, force[i][1]-node.Y*0.12 // the picture is wide
		force[i] = [2]float64{}
		if i == 0 {
			continue
		}
		if far := math.Hypot(dx, dy); far > most {
			dx, dy = dx*most/far, dy*most/far
		}
		node.X += dx
		node.Y += dy
	}
}

// fit scales all nodes into the picture with the centre in its middle. A few nodes stay
// close together, and outliers are pulled in, so that they do not squeeze the others.
func fit(nodes []*graphNode) {
	widest, tallest := 1.0, 1.0
	for _, node := range nodes {
		if far := math.Hypot(node.X, node.Y); far > 1 {
			by := math.Pow(far, 0.7) / far
			node.X, node.Y = node.X*by, node.Y*by
		}
		widest, tallest = math.Max(widest, math.Abs(node.X)), math.Max(tallest, math.Abs(node.Y))
	}
	grow := math.Min(1, 0.35+float64(len(nodes))/24)
	across, down := grow*(pictureWidth/2-90)/widest, grow*(pictureTall/2-45)/tallest
	for _, node := range nodes {
		node.X, node.Y = pictureWidth/2+node.X*across, pictureTall/2+node.Y*down
	}
}

// apart separates overlapping nodes.
func apart(nodes []*graphNode) {
	for i, node := range nodes {
		for _, other := range nodes[:i] {
			dx, dy := node.X-other.X, node.Y-other.Y
			far := math.Max(math.Hypot(dx, dy), 0.5)
			over := node.R + other.R + 7 - far
			if over <= 0 {
				continue
			}
			dx, dy = dx/far*over, dy/far*over
			node.X, node.Y = within(node.X+dx/2, pictureWidth), within(node.Y+dy/2, pictureTall)
			if other.Kind != stepKinds[0] {
				other.X, other.Y = within(other.X-dx/2, pictureWidth), within(other.Y-dy/2, pictureTall)
			}
		}
	}
}

// within keeps a position off the border.
func within(x, size float64) float64 { return math.Max(24, math.Min(x, size-24)) }
