// Package kafka is the wire, in and out: membership, fetch, batch decoding,
// produce; it knows bytes and offsets, not events.
//
//	     Join                          Fetch                        Produce
//	       │                             │                             │
//	ConsumerGroup               one request a broker            one request a
//	(who owns what)            (its ready partitions)        partition, acks=all
//	       │                             │                             │
//	       │                   fetchResponse: raw bytes                │
//	       │                             │ kmsg: the answer            │
//	       │                             │ walk: what batches claim    │
//	       │                             │ kgo:  crc, codec, aborted   │
//	       ▼                             ▼                             ▼
//	  Generation                 Batch{Records, Next}            RefusedError
//	       └──────────────┬──────────────┴──────────────┬──────────────┘
//	         network: dial, TLS, frames        health: Config.Changed
//
// # Promises
//
//   - Batch.Next is the truth about progress. It passes control markers, aborted
//     transactions, emptied batches and compaction holes, so a reader that starts
//     at Next never meets the same offsets again and never stands still at a hole.
//   - Nothing is skipped in silence. A lost range, a damaged batch or a format that
//     is not understood stops its partition through Sink.Fail, with topic,
//     partition, offset and what to do; the other partitions go on.
//   - The topic stays the one that was read. Its id is part of a start, of each request
//     where brokers take it, and of each batch; another id, or another number of
//     partitions, stops the partitions. So does a log that has another history before
//     the offset, by the term of who wrote it.
//   - Transactions: with Config.ReadCommitted only committed records arrive.
//   - An unreachable or changing cluster is no error: requests are repeated after
//     growing pauses, and Config.Changed hears of the change once each way.
//   - Memory is bounded by who reads: a partition whose sink is not Ready is left
//     out of the next request. A batch unpacks to at most 128 MiB, else it stops its
//     partition; what one answer brings of a partition to that and one batch more.
//   - No bytes of a broker make it panic, and whoever starts a goroutine waits for
//     it. (The connections' own goroutines belong to kafka-go; Close cuts them off.)
//
// # Refusals
//
// kafka.Reader, kafka.Conn and Client.Fetch of kafka-go are not used for reading.
// The first two check no CRC, deliver aborted records and control markers as data,
// jump over deleted offsets without a word and hang at an emptied batch; the third
// hides where a batch ends. Instead the answer to a fetch is registered with
// kafka-go's protocol package as raw bytes, and franz-go reads the batches. The
// registration is for the whole process: Client.Fetch panics in it.
//
// Message formats 0 and 1 (before Kafka 0.11) are refused, loudly. The package
// creates no topics, and it reads no committed offset: a start offset is always
// given by the caller, who keeps it next to the state that it produced.
package kafka
