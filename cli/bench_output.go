package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"blipd/demo"
)

// produce puts the first n events of a workload on a topic.
func (b *bench) produce(ctx context.Context, topic string, w workload, n int64) error {
	return demo.Produce(ctx, b.broker, topic, w.records(n))
}

// valueBytes is the mean size of the first events of a workload.
func valueBytes(w workload, n int64) float64 {
	n = min(n, 100_000)
	sum := 0
	for _, value := range w.records(n) {
		sum += len(value)
	}
	return float64(sum) / float64(n)
}

// write prints the report.
func (r *benchReport) write(out io.Writer, form string) error {
	if form == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", " ")
		return encoder.Encode(r)
	}
	show := func(t table.Writer) {
		if form == "markdown" {
			fmt.Fprintf(out, "%s\n\n", t.RenderMarkdown())
		} else {
			fmt.Fprintf(out, "%s\n", t.Render())
		}
	}
	fmt.Fprintf(out, "blipd %s, %s, %d processors: %d events of %.0f bytes in %d partitions, medians of %d rounds\n\n",
		r.Version, r.Go, r.Processors, r.Events, r.ValueBytes, r.Partitions, r.Rounds)
	show(r.rowTable())
	for _, w := range r.Rows {
		if w.ToEmbedded > 0 {
			fmt.Fprintf(out, "%s: %.2f events a second for one from the embedded broker\n\n", w.Name, w.ToEmbedded)
		}
	}
	show(shareTable("stage of the daemon", r.Stages, r.daemonCPU()))
	show(shareTable("function, without those it calls", r.Functions, r.daemonCPU()))
	if len(r.Heavy) > 0 {
		show(r.heavyTable())
	}
	return nil
}

// newTable has numbers at the right in all columns but the first.
func newTable(header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(table.Row(header))
	var columns []table.ColumnConfig
	for i := range header[1:] {
		columns = append(columns, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

func (r *benchReport) rowTable() table.Writer {
	t := newTable("", "CPU µs/event", "least to most", "events/s per core", "events/s", "allocs/event", "bytes/event", "peak MB", "× raw")
	for _, w := range r.Rows {
		t.AppendRow(table.Row{w.Name, fmt.Sprintf("%.2f", w.CPU), fmt.Sprintf("%.2f to %.2f", w.Least, w.Most), fmt.Sprintf("%.0f", w.PerCore),
			fmt.Sprintf("%.0f", w.PerSecond), fmt.Sprintf("%.2f", w.Allocs), fmt.Sprintf("%.0f", w.Bytes), megabytes(w.Peak), fmt.Sprintf("%.1f", w.Ratio)})
	}
	return t
}

// daemonCPU is the row whose profile was taken, in µs an event.
func (r *benchReport) daemonCPU() float64 { return r.Rows[2].CPU }

func shareTable(what string, all []stage, cpu float64) table.Writer {
	t := newTable(what, "share", "µs/event")
	for _, s := range all {
		t.AppendRow(table.Row{s.Name, fmt.Sprintf("%.1f %%", 100*s.Share), fmt.Sprintf("%.2f", s.Share*cpu)})
	}
	return t
}

func (r *benchReport) heavyTable() table.Writer {
	t := newTable("", "size", "seconds", "× before", "CPU s", "resident MB", "peak MB")
	for _, h := range r.Heavy {
		t.AppendRow(table.Row{h.Name, h.Size, fmt.Sprintf("%.4f", h.Seconds), blank("%.2f", h.Ratio), blank("%.1f", h.CPU), megabytes(float64(h.Memory)), megabytes(float64(h.Peak))})
	}
	return t
}

// blank is a number, or nothing where there is none.
func blank(format string, x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf(format, x)
}

// megabytes are 10^6 bytes; nothing where the system does not tell.
func megabytes(bytes float64) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", bytes/1e6)
}
