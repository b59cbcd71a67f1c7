"""What the checks of blipd on a real Kafka ask: kafka-check.py FUNCTION ARGUMENT…"""
import json, os, sys, time, urllib.error, urllib.request

def get(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()
    except OSError as e:
        return 0, str(e)

def until(seconds, attempt):
    """attempt gives None when done, or what is wrong."""
    end = time.monotonic() + seconds
    while wrong := attempt():
        if time.monotonic() > end:
            sys.exit(f"after {seconds:.0f} s: {wrong}")
        time.sleep(0.1)

def keyed(prefix=""):
    for line in sys.stdin:
        event = json.loads(line)
        if prefix:
            event["trajectory_id"] = prefix + event["trajectory_id"]
            line = json.dumps(event, separators=(",", ":")) + "\n"
        sys.stdout.write(event["trajectory_id"] + "\t" + line)

def enveloped():
    """Keyed lines become CloudEvents in binary mode, for Producer.java."""
    for number, line in enumerate(sys.stdin):
        key, value = line.split("\t", 1)
        event = json.loads(value)
        attributes = {"specversion": "1.0", "id": str(number), "source": "/check", "type": f"blipd.{event.pop('type')}.v1"}
        if "time" in event:
            attributes["time"] = event.pop("time")
        print("!plain", *(f"!header ce_{k}={v}" for k, v in attributes.items()), "!header content-type=application/json",
              key + "\t" + json.dumps(event, separators=(",", ":")), sep="\n")

def librdkafka(brokers, topic, transaction, committed, aborted):
    """Two files of keyed lines, in turns of transactions that are committed and aborted; without a name for them the first alone."""
    from confluent_kafka import Producer
    failures = []
    settings = {"bootstrap.servers": brokers, "partitioner": "murmur2", "enable.idempotence": True, "linger.ms": 5, "compression.type": "lz4"}
    if transaction:
        settings["transactional.id"] = transaction
    producer = Producer(settings)
    def send(lines):
        for line in lines:
            key, value = line.rstrip("\n").split("\t", 1)
            producer.produce(topic, key=key, value=value, on_delivery=lambda error, _: error and failures.append(str(error)))
            producer.poll(0)
        if left := producer.flush(30):
            failures.append(f"{left} not delivered")
        if failures:
            sys.exit(f"{len(failures)} failures, the first: {failures[0]}")
    good, bad, turns = open(committed).readlines(), open(aborted).readlines(), 5
    if not transaction:
        return send(good)
    producer.init_transactions(30)
    for i in range(turns):
        for lines, end in (bad, producer.abort_transaction), (good, producer.commit_transaction):
            producer.begin_transaction()
            send(lines[len(lines) * i // turns:len(lines) * (i + 1) // turns])
            end(30)

def slow(seconds):
    lines = sys.stdin.readlines()
    start, parts = time.monotonic(), 50
    for i in range(parts):
        sys.stdout.writelines(lines[len(lines) * i // parts:len(lines) * (i + 1) // parts])
        sys.stdout.flush()
        time.sleep(max(0, start + float(seconds) * (i + 1) / parts - time.monotonic()))

def paced(rate, enough):
    """So many lines a second, until there is a file enough; then the rest at once."""
    start = time.monotonic()
    for number, line in enumerate(sys.stdin):
        while not os.path.exists(enough) and number > (time.monotonic() - start) * float(rate):
            sys.stdout.flush()
            time.sleep(0.05)
        sys.stdout.write(line)

def turns(rate, enough, committed, aborted):
    """Transactions of 50 lines at a rate, two that are committed, one that is aborted, until there is a file enough."""
    good, bad = open(committed).readlines(), open(aborted).readlines()
    start, sent, turn = time.monotonic(), 0, 0
    while not os.path.exists(enough) and len(good) > 50 and len(bad) > 50:
        turn += 1
        lines, end = (bad, "!abort") if turn % 3 == 0 else (good, "!commit")
        sys.stdout.write("!begin\n" + "".join(lines[:50]) + "!flush\n" + end + "\n")
        sys.stdout.flush()
        del lines[:50]
        sent += 50
        time.sleep(max(0, start + sent / float(rate) - time.monotonic()))

def ready(base, want, word, seconds):
    """/-/ready answers with want, and its body has word."""
    def attempt():
        status, body = get(base + "/-/ready")
        return None if status == int(want) and word in body else f"/-/ready says {status} {body.strip()}, want {want} and {word!r}"
    until(float(seconds), attempt)

EXACT = ["as_of", "trajectories", "decisions", "censored", "open", "rejected", "not_randomized", "missing", "out_of_bounds"]
CLOSE = ["estimate", "std_error", "ci_low", "ci_high", "sequence_low", "sequence_high"]

def differences(got, want):
    for k in EXACT:
        if got.get(k) != want.get(k):
            yield f"{k} is {got.get(k)}, want {want.get(k)}"
    def key(e): return tuple(e[k] for k in ("estimand", "outcome", "arm", "dimension", "group"))
    got, want = ({key(e): e for e in r["estimates"]} for r in (got, want))
    if got.keys() != want.keys():
        yield f"estimates differ: {sorted(got.keys() ^ want.keys())}"
        return
    for k, w in want.items():
        g = got[k]
        for f in ("status", "decisions", "trajectories"):
            if g[f] != w[f]:
                yield f"{k} {f} is {g[f]}, want {w[f]}"
        for f in CLOSE:
            a, b = g.get(f), w.get(f)
            if (a is None) != (b is None) or a is not None and not abs(a - b) <= 1e-9 * w["std_error"]:
                yield f"{k} {f} is {a}, want {b} within 1e-9 standard errors"

def equal(base, file, seconds):
    """The effects are those of the file, and stay so for two more refits."""
    want = json.load(open(file))
    if not want["decisions"] or not any(e["status"] == "ok" for e in want["estimates"]):
        sys.exit("nothing to compare")
    def attempt():
        status, body = get(base + "/api/v1/effects")
        return f"effects: {status} {body.strip()[:300]}" if status != 200 else "\n  ".join(differences(json.loads(body), want))
    until(float(seconds), attempt)
    time.sleep(1.2)
    if wrong := attempt():
        sys.exit("was equal, then: " + wrong)

def save(base, file):
    """The effects as they are."""
    status, body = get(base + "/api/v1/effects")
    if status != 200:
        sys.exit(f"effects: {status} {body.strip()[:300]}")
    open(file, "w").write(body)

def same(base, file, seconds):
    """The effects are those that were saved, to the last bit."""
    want = json.load(open(file))
    def attempt():
        status, body = get(base + "/api/v1/effects")
        if status != 200:
            return f"effects: {status} {body.strip()[:300]}"
        got = json.loads(body)
        return next((f"{k} is {got.get(k)}, was {w}" for k, w in want.items() if got.get(k) != w), None)
    until(float(seconds), attempt)

def metric(base, line, seconds):
    """/metrics has a line."""
    def attempt():
        status, body = get(base + "/metrics")
        return None if line in body.splitlines() else f"/metrics: {status}, without {line}"
    until(float(seconds), attempt)

def progress(base, more, seconds):
    """So many more records are read."""
    def read():
        _, body = get(base + "/metrics")
        return sum(float(line.split()[-1]) for line in body.splitlines() if line.startswith("blipd_records_total{"))
    begun = read()
    until(float(seconds), lambda: None if (now := read()) >= begun + int(more) else f"{now:.0f} records are read, {begun:.0f} were")

def letter(topic):
    """Standard input is one dead letter, as kcat -J prints it."""
    letters = [json.loads(line) for line in sys.stdin]
    if len(letters) != 1:
        sys.exit(f"{len(letters)} dead letters, want 1: {letters}")
    l = letters[0]
    headers = dict(zip(l["headers"][::2], l["headers"][1::2]))
    wrong = [f"{k} is {g!r}, want {w!r}" for k, g, w in [
        ("key", l["key"], "poison-1"), ("value", l["payload"], "{not json"), ("trace", headers.get("trace"), "42"),
        ("blipd-reason", headers.get("blipd-reason"), "malformed"), ("blipd-topic", headers.get("blipd-topic"), topic),
    ] if g != w] + [f"no header {k}" for k in ("blipd-detail", "blipd-partition", "blipd-offset") if k not in headers]
    if wrong:
        sys.exit("; ".join(wrong) + f": {l}")

globals()[sys.argv[1]](*sys.argv[2:])
