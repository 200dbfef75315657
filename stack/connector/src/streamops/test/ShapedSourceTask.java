// Copyright (c) 2026 streamops contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

package streamops.test;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes records 0, 1, 2... of each of its partitions, in rounds of one record for each partition. The stored offset
 * is the number of the last record written, so a task goes on at the stored number + 1.
 */
public class ShapedSourceTask extends SourceTask {
    private static final Logger LOG = LoggerFactory.getLogger(ShapedSourceTask.class);
    private static final int BATCH = 5000;
    private static final long IDLE_MS = 200;

    private final List<Position> positions = new ArrayList<>();
    private ShapedConfig config;
    private String topic;
    private long limit;
    private int nextInRound;
    private boolean delivered;

    @Override
    public String version() {
        return "1.0.0";
    }

    @Override
    public void start(Map<String, String> properties) {
        config = new ShapedConfig(properties);
        failIfAsked("start");
        topic = config.getString("topic");
        limit = config.getLong("records.per.partition");
        Collection<Map<String, Object>> mine = myPartitions();
        Map<Map<String, Object>, Map<String, Object>> stored = context.offsetStorageReader().offsets(mine);
        for (Map<String, Object> partition : mine) {
            positions.add(new Position(partition, nextNumber(partition, stored.get(partition))));
        }
        if (positions.size() <= 20) {
            positions.forEach(position -> LOG.info("{} starts at {}", position.json, position.next));
        }
    }

    /** Returns null when there is nothing to write: all partitions are at their end. */
    @Override
    public List<SourceRecord> poll() throws InterruptedException {
        failIfAsked("poll");
        if (delivered && config.getLong("slow.poll.ms") > 0) {
            delivered = false;
            ShapedConfig.pause(config.getLong("slow.poll.ms"));
            return null;
        }
        List<SourceRecord> records = new ArrayList<>();
        while (nextInRound < positions.size() && records.size() < BATCH) {
            Position position = positions.get(nextInRound++);
            if (limit < 0 || position.next < limit) {
                records.add(position.nextRecord());
            }
        }
        if (nextInRound == positions.size()) {
            nextInRound = 0;
            Thread.sleep(records.isEmpty() ? IDLE_MS : config.getLong("interval.ms"));
        }
        delivered = !records.isEmpty();
        return delivered ? records : null;
    }

    @Override
    public void stop() {
        if (config != null) {
            ShapedConfig.pause(config.getLong("slow.stop.ms"));
        }
    }

    private Collection<Map<String, Object>> myPartitions() {
        int index = config.getInt(ShapedConfig.TASK_INDEX);
        int count = config.getInt(ShapedConfig.TASK_COUNT);
        List<Map<String, Object>> mine = new ArrayList<>();
        List<Map<String, Object>> all = config.partitions();
        for (int number = index; number < all.size(); number += count) {
            mine.add(all.get(number));
        }
        return mine;
    }

    private long nextNumber(Map<String, Object> partition, Map<String, Object> offset) {
        Object last = offset == null ? null : offset.get(config.getString("offset.field"));
        if (last == null) {
            return 0;
        }
        if (last instanceof Number) {
            return ((Number) last).longValue() + 1;
        }
        try {
            return Long.parseLong(last.toString()) + 1;
        } catch (NumberFormatException error) {
            throw new ConnectException("Cannot start " + ShapedConfig.json(partition) + " at offset " + offset, error);
        }
    }

    private void failIfAsked(String where) {
        if (config.getString("fail.task").equals(where)) {
            throw new ConnectException("The test connector was told to fail in " + where);
        }
    }

    /** Where one partition stands. */
    private final class Position {
        private final Map<String, Object> partition;
        private final String json;
        private long next;

        Position(Map<String, Object> partition, long next) {
            this.partition = partition;
            this.json = ShapedConfig.json(partition);
            this.next = next;
        }

        SourceRecord nextRecord() {
            long number = next++;
            return new SourceRecord(config.committedUnder(partition), config.offset(number), topic, Schema.STRING_SCHEMA,
                json + "#" + number);
        }
    }
}
