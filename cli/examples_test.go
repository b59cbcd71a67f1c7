package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"blipd/config"
	"blipd/daemon"
	"blipd/state"
	"blipd/web"
)

// object is a part of a manifest; at goes down by names of members and places in lists.
type object struct {
	t    *testing.T
	file string
	is   any
}

func (o object) at(path ...any) object {
	o.t.Helper()
	for i, step := range path {
		var is any
		switch step := step.(type) {
		case string:
			m, _ := o.is.(map[string]any)
			is = m[step]
		case int:
			if l, _ := o.is.([]any); step < len(l) {
				is = l[step]
			}
		}
		if is == nil {
			o.t.Fatalf("%s: there is nothing at %v", o.file, path[:i+1])
		}
		o.is = is
	}
	return o
}

func (o object) text(path ...any) string { o.t.Helper(); return fmt.Sprint(o.at(path...).is) }

// manifests reads every document under examples/kubernetes, by kind.
func manifests(t *testing.T) map[string]object {
	t.Helper()
	files, err := filepath.Glob("../examples/kubernetes/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d manifests: %v", len(files), err)
	}
	all := map[string]object{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		loader, err := yaml.NewLoader(bytes.NewReader(b), yaml.WithV4Defaults(), yaml.WithUniqueKeys())
		if err != nil {
			t.Fatal(err)
		}
		for {
			var doc map[string]any
			if err := loader.Load(&doc); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			o := object{t, path, doc}
			if all[o.text("kind")].is != nil {
				t.Errorf("%s: a second %s", path, o.text("kind"))
			}
			all[o.text("kind")] = o
		}
	}
	return all
}

// settingsOf is the configuration in a ConfigMap.
func settingsOf(t *testing.T, o object) *daemon.Config {
	t.Helper()
	cfg, err := config.Parse("blipd.yaml", []byte(o.text("data", "blipd.yaml")), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestManifests: what the manifests say of each other, of the image and of the
// configuration fits together. Whether Kubernetes knows each of their members is
// checked in .ci/manifests.
func TestManifests(t *testing.T) {
	all := manifests(t)
	for kind, version := range map[string]string{
		"Kustomization": "kustomize.config.k8s.io/v1beta1", "ConfigMap": "v1", "Service": "v1", "StatefulSet": "apps/v1",
		"PodDisruptionBudget": "policy/v1", "ServiceMonitor": "monitoring.coreos.com/v1",
	} {
		if all[kind].is == nil || all[kind].text("apiVersion") != version {
			t.Fatalf("no %s of %s", kind, version)
		}
		if kind != "Kustomization" && all[kind].text("metadata", "name") != "blipd" {
			t.Errorf("%s is not named blipd", kind)
		}
	}
	for _, name := range all["Kustomization"].at("resources").is.([]any) {
		if _, err := os.Stat(filepath.Join("../examples/kubernetes", fmt.Sprint(name))); err != nil {
			t.Error(err)
		}
	}
	set := all["StatefulSet"]
	labels := set.text("spec", "template", "metadata", "labels")
	for kind, path := range map[string][]any{
		"StatefulSet": {"spec", "selector", "matchLabels"}, "Service": {"spec", "selector"},
		"PodDisruptionBudget": {"spec", "selector", "matchLabels"},
	} {
		if got := all[kind].text(path...); got != labels {
			t.Errorf("%s selects %s, the pod is %s", kind, got, labels)
		}
	}
	if got := all["ServiceMonitor"].text("spec", "selector", "matchLabels"); got != all["Service"].text("metadata", "labels") {
		t.Errorf("ServiceMonitor selects %s", got)
	}
	if set.text("spec", "serviceName") != all["Service"].text("metadata", "name") {
		t.Error("the StatefulSet names another Service")
	}
	if set.text("spec", "replicas") != "1" {
		t.Error("several pods would share one topic, which blipd refuses")
	}
	checkPorts(t, all)
	checkPod(t, set.at("spec", "template", "spec"), settingsOf(t, all["ConfigMap"]))
}

// checkPorts: one port from the configuration to the ServiceMonitor.
func checkPorts(t *testing.T, all map[string]object) {
	t.Helper()
	container := all["StatefulSet"].at("spec", "template", "spec", "containers", 0)
	host, port, err := net.SplitHostPort(settingsOf(t, all["ConfigMap"]).Web.Listen)
	if err != nil || web.Loopback(host) {
		t.Errorf("the configuration listens on %s, where no probe comes in", host)
	}
	name := container.text("ports", 0, "name")
	for what, got := range map[string]string{
		"the container": container.text("ports", 0, "containerPort"), "the Service": all["Service"].text("spec", "ports", 0, "port"),
	} {
		if got != port {
			t.Errorf("%s has port %s, the configuration listens on %s", what, got, port)
		}
	}
	for what, got := range map[string]string{
		"the Service's target": all["Service"].text("spec", "ports", 0, "targetPort"), "the Service": all["Service"].text("spec", "ports", 0, "name"),
		"the ServiceMonitor": all["ServiceMonitor"].text("spec", "endpoints", 0, "port"),
	} {
		if got != name {
			t.Errorf("%s has port %s, the container's is named %s", what, got, name)
		}
	}
	h := web.Handler(web.Config{}, nobody{}, slog.New(slog.DiscardHandler))
	paths := []string{all["ServiceMonitor"].text("spec", "endpoints", 0, "path")}
	for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		paths = append(paths, container.text(probe, "httpGet", "path"))
		if got := container.text(probe, "httpGet", "port"); got != name {
			t.Errorf("%s asks port %s", probe, got)
		}
	}
	for _, path := range paths {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code == http.StatusNotFound {
			t.Errorf("there is no %s", path)
		}
	}
}

// nobody is a source that knows nothing.
type nobody struct{ web.Source }

func (nobody) Live() web.Live                { return web.Live{} }
func (nobody) Readiness() web.Readiness      { return web.Readiness{} }
func (nobody) Stalled() []string             { return nil }
func (nobody) Held() []state.Hold            { return nil }
func (nobody) Experiments() []web.Experiment { return nil }

// checkPod: the pod goes with the image and the configuration.
func checkPod(t *testing.T, pod object, cfg *daemon.Config) {
	t.Helper()
	container := pod.at("containers", 0)
	dockerfile := readText(t, "../Dockerfile")
	user := pod.text("securityContext", "runAsUser")
	if !strings.Contains(dockerfile, "USER "+user+":"+pod.text("securityContext", "runAsGroup")+"\n") {
		t.Errorf("the image has another user than %s", user)
	}
	if pod.text("securityContext", "runAsNonRoot") != "true" || container.text("securityContext", "readOnlyRootFilesystem") != "true" ||
		container.text("securityContext", "allowPrivilegeEscalation") != "false" || container.text("securityContext", "capabilities", "drop") != "[ALL]" {
		t.Error("the pod may do more than it needs to")
	}
	mounts := map[string]string{}
	for i := range container.at("volumeMounts").is.([]any) {
		mounts[container.text("volumeMounts", i, "name")] = container.text("volumeMounts", i, "mountPath")
	}
	if !strings.Contains(dockerfile, `VOLUME ["`+mounts["state"]+`"]`) || !strings.Contains(dockerfile, `"--config.file", "`+mounts["config"]+`/blipd.yaml"`) {
		t.Errorf("the image expects other places than %v", mounts)
	}
	if parent := filepath.Dir(cfg.State.Dir); parent != mounts["state"] {
		t.Errorf("state.dir %s does not lie right below the volume %s, where a rebuild needs a directory beside it", cfg.State.Dir, mounts["state"])
	}
	for what, image := range map[string]string{"request": container.text("resources", "requests", "memory"), "limit": container.text("resources", "limits", "memory")} {
		if gib := strings.TrimSuffix(image, "Gi"); number(t, gib)<<30 < cfg.State.Memory+1<<30 {
			t.Errorf("memory %s of %s, state.memory is %d MiB and takes 1 GiB more", what, image, cfg.State.Memory>>20)
		}
	}
	if grace := time.Duration(number(t, pod.text("terminationGracePeriodSeconds"))) * time.Second; grace < cfg.ShutdownTimeout+10*time.Second {
		t.Errorf("a grace period of %s, shutdown_timeout is %s", grace, cfg.ShutdownTimeout)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestUnit: the systemd unit goes with the program. systemd-analyze checks the rest in
// .ci/run.
func TestUnit(t *testing.T) {
	unit := readText(t, "../examples/systemd/blipd.service")
	of := func(key string) string {
		found := regexp.MustCompile(`(?m)^`+key+`=(.*)$`).FindAllStringSubmatch(unit, -1)
		if len(found) != 1 {
			t.Fatalf("%d lines with %s", len(found), key)
		}
		return found[0][1]
	}
	if of("Type") != "notify" || of("NotifyAccess") != "main" || of("Restart") != "on-failure" || of("ExecReload") != "/bin/kill -HUP $MAINPID" {
		t.Error("it is not told how blipd is, or does not act on it")
	}
	command := strings.Fields(of("ExecStart"))
	if command[0] != "/usr/local/bin/blipd" || command[1] != "run" {
		t.Errorf("ExecStart=%v", command)
	}
	var out, words strings.Builder
	if code := Run(append(command[1:], "--help"), nil, &out, &words); code != exitOK {
		t.Errorf("%v: %d %s", command, code, &words)
	}
	if got, want := of("RestartPreventExitStatus"), fmt.Sprint(exitConfiguration); got != want {
		t.Errorf("not restarted after %s, want %s: a crash ends with 2 as wrong usage does, and damaged state is mended by a start", got, want)
	}
	cfg, err := config.Parse("example", config.Example(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if stop, err := time.ParseDuration(of("TimeoutStopSec")); err != nil || stop < cfg.ShutdownTimeout+10*time.Second {
		t.Errorf("TimeoutStopSec=%s, shutdown_timeout is %s", of("TimeoutStopSec"), cfg.ShutdownTimeout)
	}
	if most := number(t, strings.TrimSuffix(of("MemoryMax"), "G")) << 30; most < cfg.State.Memory+1<<30 {
		t.Errorf("MemoryMax=%s, state.memory is %d MiB and takes 1 GiB more", of("MemoryMax"), cfg.State.Memory>>20)
	}
	if of("WorkingDirectory") != "/var/lib/"+of("StateDirectory") || filepath.IsAbs(cfg.State.Dir) {
		t.Errorf("state lies in %s below %s, which is not the unit's own", cfg.State.Dir, of("WorkingDirectory"))
	}
}
