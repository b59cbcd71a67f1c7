package event

// Decoder is the door: it turns records into events or says why not. It holds
// no state and may be used by several goroutines at once.
type Decoder struct {
	Schema  *Schema
	Keyless bool // a record without a key is accepted: one-partition topics and files
}

// Decode reads one record in any of the three forms: bare, structured or binary
// CloudEvents 1.0. The event shares no memory with the record.
//
// The checks come in a fixed order and the first that fails gives the fault:
// size, headers, syntax of the whole value, envelope, type; then trajectory_id,
// key, experiment, time; then the members in the order in which the contract
// lists them. An object's names are checked before what stands under them.
func (d *Decoder) Decode(rec Record) (Event, *Fault) {
	w := &walk{limits: d.Schema.Limits.orDefaults()}
	e := d.decode(w, rec)
	if w.fault != nil {
		return Event{}, w.fault
	}
	return e, nil
}

func (d *Decoder) decode(w *walk, rec Record) Event {
	switch {
	case rec.Value == nil:
		w.refuse(Tombstone, "the record has no value; nothing is deleted by it")
	case len(rec.Value) > w.limits.Event:
		w.refuse(TooLarge, "the value has %d bytes, and limits.event allows %d; send less state",
			len(rec.Value), w.limits.Event)
	}
	headers := w.headers(rec.Headers)
	root := w.parse(rec.Value)
	env := w.unwrap(headers, root)
	if w.fault != nil {
		return Event{}
	}
	o := env.body
	e := Event{Type: env.typ, Time: NoTime}
	e.Trajectory = o.needText("trajectory_id", `the id of the agent's run as a text, such as "conv_5j66"`)
	d.checkKey(w, rec.Key, e.Trajectory)
	var exp *Experiment
	if e.Type.timed() {
		e.Experiment, exp = d.experiment(o, e.Type)
		e.Time = env.when()
	}
	switch e.Type {
	case TypeDecision:
		e.Decision = decodeDecision(o, exp)
		e.Decision.Time = e.Time
	case TypeIntervention:
		e.Intervention = decodeIntervention(o)
	case TypeOutcome:
		e.Outcome = d.decodeOutcome(o, exp)
	case TypeEnd:
		e.End = decodeEnd(o)
	case TypeExclude:
		e.Exclude = &Exclude{Reason: o.text("reason")}
	}
	return e
}

// timed tells whether events of a type have a time and an experiment: an
// intervention belongs to its decision, which has both, an exclude to its
// trajectory.
func (t Type) timed() bool { return t != TypeIntervention && t != TypeExclude }

// checkKey holds the key to be the trajectory's id, so that all events of a
// trajectory come to one partition, in their order.
func (d *Decoder) checkKey(w *walk, key []byte, trajectory string) {
	switch {
	case w.fault != nil || trajectory == "":
	case key == nil && !d.Keyless:
		w.refuse(KeyMismatch, "the record has no key, and the topic has several partitions; send the trajectory_id %s as the key",
			quote(trajectory))
	case key != nil && string(key) != trajectory:
		w.refuse(KeyMismatch, "the record's key is %s, and trajectory_id is %s; send the trajectory_id as the key",
			quote(string(key)), quote(trajectory))
	}
}

// experiment is the name as it was sent, and what is configured under it or,
// where none is sent, as the only one. It is nil for an outcome or an end that
// waits until a decision names one.
func (d *Decoder) experiment(o object, t Type) (string, *Experiment) {
	name := o.text("experiment")
	all := d.Schema.Experiments
	switch {
	case name != "":
		if i := d.Schema.Find(name); i >= 0 {
			return name, &all[i]
		}
		o.refuse(UnknownExperiment, "%s is %s, which is not configured; %s", o.at("experiment"), quote(name), instead(name, d.names()))
	case len(all) == 1:
		return "", &all[0]
	case t == TypeDecision:
		o.refuse(NoExperiment, "%s is missing, and %d are configured; send one of %s", o.at("experiment"), len(all), list(d.names()))
	}
	return "", nil
}

func (d *Decoder) names() []string {
	names := make([]string, len(d.Schema.Experiments))
	for i := range names {
		names[i] = d.Schema.Experiments[i].Name
	}
	return names
}
