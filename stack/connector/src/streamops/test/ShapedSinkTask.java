// Copyright (c) 2026 streamops contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

package streamops.test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Writes records to a file, and the next record of each partition to another one, if it is asked to. */
public class ShapedSinkTask extends SinkTask {
    private final Properties positions = new Properties();
    private Path output;
    private Path store;
    private boolean seeks;
    private long fixed;

    @Override
    public String version() {
        return "1.0.0";
    }

    @Override
    public void start(Map<String, String> properties) {
        AbstractConfig config = new AbstractConfig(ShapedSinkConnector.DEFINITION, properties, false);
        output = Path.of(config.getString("file"));
        store = config.getString("position.file").isEmpty() ? null : Path.of(config.getString("position.file"));
        seeks = config.getString("position.use").equals("seek");
        fixed = config.getLong("commit.fixed");
        if (store != null && Files.exists(store)) {
            try (var reader = Files.newBufferedReader(store)) {
                positions.load(reader);
            } catch (IOException error) {
                throw new ConnectException(error);
            }
        }
    }

    @Override
    public void open(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            if (seeks && stored(partition) > 0) {
                context.offset(partition, stored(partition));
            }
        }
    }

    @Override
    public void put(Collection<SinkRecord> records) {
        List<String> lines = new ArrayList<>();
        for (SinkRecord record : records) {
            TopicPartition partition = new TopicPartition(record.topic(), record.kafkaPartition());
            if (record.kafkaOffset() >= stored(partition)) {
                lines.add(String.valueOf(record.value()));
                if (store != null) {
                    positions.setProperty(partition.toString(), Long.toString(record.kafkaOffset() + 1));
                }
            }
        }
        if (lines.isEmpty()) {
            return;
        }
        try {
            Files.write(output, lines, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            if (store != null) {
                try (var writer = Files.newBufferedWriter(store)) {
                    positions.store(writer, null);
                }
            }
        } catch (IOException error) {
            throw new ConnectException(error);
        }
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> preCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (fixed < 0) {
            return super.preCommit(offsets);
        }
        Map<TopicPartition, OffsetAndMetadata> answer = new HashMap<>();
        offsets.keySet().forEach(partition -> answer.put(partition, new OffsetAndMetadata(fixed)));
        return answer;
    }

    @Override
    public void stop() {
    }

    /** The next record of a partition by its own account, 0 without one. */
    private long stored(TopicPartition partition) {
        return Long.parseLong(positions.getProperty(partition.toString(), "0"));
    }
}
