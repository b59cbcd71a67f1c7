import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Produces with Kafka's own client what standard input says.
 *
 * <pre>.ci/kafka java DIR .ci/Producer.java BOOTSTRAP TOPIC SETTING=VALUE…</pre>
 *
 * A line is a key, a tab and a value, or a command: !begin, !commit, !abort, !flush,
 * !header NAME=VALUE (on all records from there on) or !plain (no headers from there
 * on). !commit, !abort and !flush are answered by a line when they are done; before
 * that, !flush and !commit have everything stored. Any error ends it with code 1.
 */
class Producer {
  public static void main(String[] args) throws Exception {
    var settings = new Properties();
    settings.put("bootstrap.servers", args[0]);
    settings.put("key.serializer", StringSerializer.class.getName());
    settings.put("value.serializer", StringSerializer.class.getName());
    for (int i = 2; i < args.length; i++) {
      var setting = args[i].split("=", 2);
      settings.put(setting[0], setting[1]);
    }
    var failure = new AtomicReference<Exception>();
    List<Header> headers = new ArrayList<>();
    var input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in, "UTF-8"));
    try (var producer = new KafkaProducer<String, String>(settings)) {
      if (settings.containsKey("transactional.id")) producer.initTransactions();
      for (String line; (line = input.readLine()) != null; ) {
        if (line.charAt(0) != '!') {
          var record = line.split("\t", 2);
          producer.send(new ProducerRecord<>(args[1], null, record[0], record[1], headers),
              (at, error) -> failure.compareAndSet(null, error));
          continue;
        }
        var command = line.split(" ", 2);
        switch (command[0]) {
          case "!begin" -> producer.beginTransaction();
          case "!commit" -> producer.commitTransaction();
          case "!abort" -> producer.abortTransaction();
          case "!flush" -> producer.flush();
          case "!plain" -> headers = new ArrayList<>();
          case "!header" -> {
            var header = command[1].split("=", 2);
            headers.add(new RecordHeader(header[0], header[1].getBytes("UTF-8")));
          }
          default -> throw new IllegalArgumentException(line);
        }
        if (failure.get() != null) throw failure.get();
        if (List.of("!commit", "!abort", "!flush").contains(command[0])) System.out.println(line);
      }
      producer.flush();
      if (failure.get() != null) throw failure.get();
    }
  }
}
