// Broker is a Kafka broker in memory, for trying blipd and for its checks: it
// forgets everything when it ends. Do not run it for anything else.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/twmb/franz-go/pkg/kfake"
)

func main() {
	port := flag.Int("port", 9092, "port on 127.0.0.1")
	topics := flag.String("topics", "blipd.events:4,blipd.rejected:1", "topics to make, each with its number of partitions")
	flag.Parse()
	options := []kfake.Opt{kfake.NumBrokers(1), kfake.Ports(*port)}
	for _, topic := range strings.Split(*topics, ",") {
		name, count, _ := strings.Cut(topic, ":")
		var partitions int32
		if _, err := fmt.Sscan(count, &partitions); err != nil || name == "" || partitions < 1 {
			fmt.Fprintf(os.Stderr, "broker: -topics: %q is not name:partitions\n", topic)
			os.Exit(2)
		}
		options = append(options, kfake.SeedTopics(partitions, name))
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "broker:", err)
		os.Exit(1)
	}
	defer cluster.Close()
	fmt.Println(cluster.ListenAddrs()[0])
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	<-interrupted
}
