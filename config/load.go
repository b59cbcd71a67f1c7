package config

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"go.yaml.in/yaml/v4"

	"blipd/daemon"
)

// Load reads the configuration in a file; ${env:NAME} is asked of env, and the
// paths of ${file:path}, like all paths in it, start at the working directory.
// An error is a *Faults.
func Load(path string, env func(string) (string, bool)) (*daemon.Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		hint := "; make it readable, or name another file"
		if errors.Is(err, fs.ErrNotExist) {
			hint = "; name another file, or let blipd init write an example"
		}
		return nil, &Faults{Name: path, List: []Fault{{Message: reason(err).Error() + hint}}}
	}
	return Parse(path, data, env, os.ReadFile)
}

// Parse reads a configuration; name is what faults call the file. Where env or
// readFile is nil there is no environment and no file. An error is a *Faults.
func Parse(name string, data []byte, env func(string) (string, bool), readFile func(string) ([]byte, error)) (*daemon.Config, error) {
	r := &reader{env: env, readFile: readFile, known: map[string]bool{}}
	config := r.read(data)
	if len(r.faults) > 0 {
		redact(r.faults, r.hidden)
		return nil, &Faults{Name: name, List: byPlace(r.faults)}
	}
	return config, nil
}

// read is the walk through the file, section by section.
func (r *reader) read(data []byte) *daemon.Config {
	root, ok := r.document(data)
	if !ok {
		return nil
	}
	top := root.mapping()
	var config daemon.Config
	config.Kafka = readKafka(top.get("kafka"))
	var asked []string
	config.Outputs, asked = readOutputs(top.get("outputs"), config.Kafka.Topic)
	config.State = readState(top.get("state"))
	config.Web = readWeb(top.get("web"))
	config.RefitInterval = readRefit(top.get("refit"))
	config.Web.GroupsPerDimension = readMetrics(top.get("metrics"))
	config.ShutdownTimeout = top.get("shutdown_timeout").duration(defaultShutdown, shortest)
	limits := readLimits(top.get("limits"))
	config.Limits = limits.Limits
	config.Experiments = readExperiments(top.need("experiments", "a list of at least one experiment"), limits)
	for i := range config.Experiments {
		config.Experiments[i].NotYet = append(config.Experiments[i].NotYet, asked...)
	}
	top.done()
	return &config
}

// document is the one YAML document of the file.
func (r *reader) document(data []byte) (node, bool) {
	top := node{r: r, line: 1, column: 1}
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithV4Defaults())
	if err != nil {
		top.fault("not read: %v", err)
		return top, false
	}
	var first, second yaml.Node
	if err := loader.Load(&first); err != nil && !errors.Is(err, io.EOF) {
		top.unreadable(err)
		return top, false
	}
	if err := loader.Load(&second); err == nil {
		top.at("", &second).fault("a second document; keep one in the file")
	} else if !errors.Is(err, io.EOF) {
		top.unreadable(err)
	}
	if len(first.Content) == 0 {
		return top, true
	}
	return top.at("", first.Content[0]), true
}

// unreadable notes an error of the YAML library, where it says where.
func (n node) unreadable(err error) {
	fault, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		n.fault("not YAML: %v", err)
		return
	}
	n.line, n.column = fault.Mark.Line, fault.Mark.Column
	message := fault.Message
	if fault.ContextMsg != "" {
		message = fault.ContextMsg + ": " + message
	}
	n.fault("not YAML: %s; check indentation, quotes and brackets (${...} within {} needs quotes)", message)
}
