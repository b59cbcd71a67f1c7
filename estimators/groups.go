package estimators

// groups numbers the groups of one dimension in their order of appearance.
type groups struct {
	names  []string
	places map[string]int
}

func newGroups() groups { return groups{places: map[string]int{}} }

// find is the number of a group. Above most groups newcomers share Other.
func (g *groups) find(name string, most int) int {
	if i, ok := g.places[name]; ok {
		return i
	}
	if len(g.names) >= most && name != OtherLevel && name != MissingLevel {
		return g.find(OtherLevel, most)
	}
	g.names = append(g.names, name)
	g.places[name] = len(g.names) - 1
	return len(g.names) - 1
}
