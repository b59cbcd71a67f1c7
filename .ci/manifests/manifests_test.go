// Package manifests checks, by the types of Kubernetes itself, that the manifests under
// examples have no member that it does not know. It is a module of its own: blipd needs
// none of these.
package manifests

import (
	"os"
	"path/filepath"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

func TestKnown(t *testing.T) {
	dir := "../../examples/kubernetes"
	for name, into := range map[string]any{
		"configmap.yaml": &core.ConfigMap{}, "service.yaml": &core.Service{}, "statefulset.yaml": &apps.StatefulSet{}, "poddisruptionbudget.yaml": &policy.PodDisruptionBudget{},
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(b, into); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := yaml.UnmarshalStrict(append(b, "spce: {}\n"...), into); err == nil {
			t.Errorf("%s: an unknown member was not noticed", name)
		}
	}
}
