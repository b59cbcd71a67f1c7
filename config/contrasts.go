package config

import (
	"strings"

	"blipd/estimators"
)

// readContrasts reads the contrasts that every report has. They are no part of
// the definition: which are asked for changes no sum.
func readContrasts(n node, dimensions []estimators.Dimension) (contrasts []estimators.Contrast) {
	spec := estimators.Spec{Dimensions: dimensions}
	for _, item := range n.list() {
		m := item.mapping()
		of, to := m.need("of", "all, or DIMENSION=GROUP"), m.get("to")
		first, second := of.text(""), to.text("")
		m.done()
		if !of.given() {
			continue
		}
		c, err := estimators.ParseContrast(first, second, spec.DimensionNames())
		if err != nil {
			item.fault("%s", strings.TrimPrefix(err.Error(), "contrast: "))
			continue
		}
		contrasts = append(contrasts, c)
	}
	return contrasts
}
