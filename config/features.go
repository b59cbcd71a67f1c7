package config

import (
	"strings"

	"blipd/estimators"
)

// readFeatures reads the inputs of the outcome model.
func readFeatures(n node, v vocabulary) []estimators.Feature {
	var features []estimators.Feature
	names := distinct{what: "features"}
	for _, item := range n.list() {
		m := item.mapping()
		features = append(features, readFeature(m, v, &names))
		m.done()
	}
	return features
}

func readFeature(m *mapping, v vocabulary, names *distinct) estimators.Feature {
	var f estimators.Feature
	name := m.need("name", "the name of the feature")
	f.Name = names.add(name, name.name(v.text))
	f.Category = m.get("category").flag(false)
	most := m.get("max_levels").whole(64, 1, 1000)
	if f.Category {
		f.MaxLevels = most
	}
	scale := m.get("range")
	f.Low, f.Up, f.Ranged = readRange(scale)
	if f.Category && f.Ranged {
		scale.fault("a category has levels and no scale; remove range, or category")
	}
	want := aNumber
	if f.Category {
		want = anyValue
	}
	f.Expr = v.source(m, want)
	return f
}

// readGroups reads the dimensions along which effects are reported.
func readGroups(n node, v vocabulary) []estimators.Dimension {
	var dimensions []estimators.Dimension
	names := distinct{what: "dimensions"}
	for _, item := range n.list() {
		m := item.mapping()
		place := m.need("dimension", "the name of the dimension")
		name := names.add(place, place.name(v.text))
		switch {
		case name == estimators.All:
			place.fault("%q is always there and holds every row; choose another name", estimators.All)
		case strings.HasPrefix(name, "(") && strings.HasSuffix(name, ")"):
			place.fault("names in parentheses are reserved; choose another")
		}
		dimensions = append(dimensions, estimators.Dimension{Name: name, Expr: v.source(m, anyValue)})
		m.done()
	}
	return dimensions
}

// source reads where values come from: an expression or a built-in.
func (v vocabulary) source(m *mapping, want kind) estimators.Expression {
	text, builtin := m.get("expr"), m.get("builtin")
	switch {
	case text.given() && builtin.given():
		builtin.fault("given beside expr; keep one of them")
	case text.given():
		x, _ := v.expression(text, want)
		return x
	case builtin.given():
		if name := builtin.oneOf("", builtins...); name != "" {
			x, _ := v.compile(name, want)
			return x
		}
	case !m.broken:
		m.fault("no expr and no builtin; write one, such as expr: action.tool or builtin: index")
	}
	return estimators.Expression{}
}

// numeric lists the names of the features that are numbers.
func numeric(features []estimators.Feature) []string {
	var names []string
	for _, f := range features {
		if !f.Category {
			names = append(names, f.Name)
		}
	}
	return names
}

// dimensionNames lists what effects can be reported by, `all` included.
func dimensionNames(dimensions []estimators.Dimension) []string {
	names := []string{estimators.All}
	for _, d := range dimensions {
		names = append(names, d.Name)
	}
	return names
}
