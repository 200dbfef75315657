// Copyright (c) 2026 streamops contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

package streamops.test;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigException;

/** The config of the test connector, and the maps that it describes. */
class ShapedConfig extends AbstractConfig {
    static final String TASK_INDEX = "task.index";
    static final String TASK_COUNT = "task.count";
    private static final List<String> COMMON = List.of("name", "connector.class", "tasks.max");

    static final ConfigDef DEFINITION = new ConfigDef()
        .define("topic", Type.STRING, Importance.HIGH, "Topic to write to.")
        .define("partitions", Type.STRING, "[{\"p\":0}]", Importance.HIGH,
            "JSON list of source partitions, keys in the order in which the connector puts them into its map.")
        .define("partitions.count", Type.INT, 0, Importance.MEDIUM,
            "If above 0: so many partitions made from partition.template, in place of partitions.")
        .define("partition.template", Type.STRING, "{\"p\":\"%d\"}", Importance.MEDIUM,
            "JSON object; %d becomes the number of the partition, from 0.")
        .define("partition.map", Type.STRING, "hash", ValidString.in("linked", "hash", "tree"), Importance.MEDIUM,
            "Java map that holds a partition: it decides the key order of the stored bytes.")
        .define("integer.type", Type.STRING, "long", ValidString.in("long", "int"), Importance.LOW,
            "Java type of whole numbers in partitions and in offset.extra.")
        .define("records.per.partition", Type.LONG, 5L, Importance.MEDIUM,
            "Stop after so many records for each partition; -1 is endless.")
        .define("interval.ms", Type.LONG, 100L, Importance.LOW, "Pause between two records of one partition.")
        .define("offset.field", Type.STRING, "n", Importance.MEDIUM, "Name of the counter in the offset.")
        .define("offset.type", Type.STRING, "long", ValidString.in("long", "int", "string", "double"),
            Importance.MEDIUM, "Java type of the counter.")
        .define("offset.extra", Type.STRING, "{}", Importance.LOW, "JSON object merged into every offset.")
        .define("alter.offsets", Type.STRING, "default",
            ValidString.in("accept", "default", "refuse", "reject", "crash"), Importance.MEDIUM,
            "What alterOffsets does: returns true, returns false, throws UnsupportedOperationException, "
                + "ConnectException or IllegalStateException.")
        .define("alter.message", Type.STRING, "the test connector rejects these offsets", Importance.LOW,
            "Text of the exception of reject and crash.")
        .define("alter.delay.ms", Type.LONG, 0L, Importance.LOW, "alterOffsets takes so long.")
        .define("offset.null", Type.BOOLEAN, false, Importance.LOW, "Every record has null for an offset, which removes what is stored.")
        .define("commit.partition", Type.STRING, "{}", Importance.LOW,
            "If it has fields: the partition under which all records are committed, while the offsets of partitions are looked up.")
        .define("fail.task", Type.STRING, "never", ValidString.in("never", "start", "poll"), Importance.LOW,
            "Where every task throws.")
        .define("refuse.unknown", Type.BOOLEAN, false, Importance.LOW, "Refuse configurations with keys that are not defined here.")
        .define("no.tasks", Type.BOOLEAN, false, Importance.LOW, "Give no task configs.")
        .define("slow.poll.ms", Type.LONG, 0L, Importance.LOW,
            "After each delivery a poll takes so long, whatever happens. A task that is stopped meanwhile is given up "
                + "by its worker, and commits the offsets of that delivery when it comes back.")
        .define("slow.stop.ms", Type.LONG, 0L, Importance.LOW, "The stop of a task takes so long, whatever happens.")
        .define(TASK_INDEX, Type.INT, 0, Importance.LOW, "Set by the connector for its tasks.")
        .define(TASK_COUNT, Type.INT, 1, Importance.LOW, "Set by the connector for its tasks.");

    private static final ObjectMapper JSON = new ObjectMapper();

    ShapedConfig(Map<String, String> properties) {
        super(DEFINITION, properties, false);
    }

    boolean noTasks() {
        return getBoolean("no.tasks");
    }

    /** Is it a key that neither this connector nor the worker knows? */
    static boolean isUnknown(String key) {
        return !DEFINITION.names().contains(key) && !COMMON.contains(key);
    }

    String alterMode() {
        return getString("alter.offsets");
    }

    String alterMessage() {
        return getString("alter.message");
    }

    long alterDelayMs() {
        return getLong("alter.delay.ms");
    }

    /** All partitions of the connector, each in a map of the kind asked for. */
    List<Map<String, Object>> partitions() {
        List<Map<String, Object>> partitions = new ArrayList<>();
        int count = getInt("partitions.count");
        String template = getString("partition.template");
        for (int number = 0; number < count; number++) {
            String text = template.replace("%d", Integer.toString(number));
            partitions.add(inMap(parse("partition.template", text, Map.class)));
        }
        if (count == 0) {
            for (Object partition : parse("partitions", getString("partitions"), List.class)) {
                if (!(partition instanceof Map)) {
                    throw new ConfigException("partitions", partition, "every partition must be a JSON object");
                }
                partitions.add(inMap((Map<?, ?>) partition));
            }
        }
        return partitions;
    }

    /** The partition under which the records of one are committed: itself, or the one of commit.partition. */
    Map<String, Object> committedUnder(Map<String, Object> partition) {
        Map<String, Object> other = inMap(parse("commit.partition", getString("commit.partition"), Map.class));
        return other.isEmpty() ? partition : other;
    }

    /** The offset of record number n, n counting from 0; null with offset.null. */
    Map<String, Object> offset(long number) {
        if (getBoolean("offset.null")) {
            return null;
        }
        Map<String, Object> offset = new LinkedHashMap<>();
        switch (getString("offset.type")) {
            case "int":
                offset.put(getString("offset.field"), (int) number);
                break;
            case "string":
                offset.put(getString("offset.field"), Long.toString(number));
                break;
            case "double":
                offset.put(getString("offset.field"), (double) number);
                break;
            default:
                offset.put(getString("offset.field"), number);
        }
        parse("offset.extra", getString("offset.extra"), Map.class)
            .forEach((name, value) -> offset.put((String) name, typed(value)));
        return offset;
    }

    static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Sleeps to the end, even when interrupted: that is how a task becomes a zombie. */
    static void pause(long milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000;
        boolean interrupted = false;
        for (long left = milliseconds; left > 0; left = (end - System.nanoTime()) / 1_000_000) {
            try {
                Thread.sleep(left);
            } catch (InterruptedException error) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Map<String, Object> inMap(Map<?, ?> entries) {
        Map<String, Object> map = emptyMap();
        entries.forEach((name, value) -> map.put((String) name, typed(value)));
        return map;
    }

    private Map<String, Object> emptyMap() {
        switch (getString("partition.map")) {
            case "linked":
                return new LinkedHashMap<>();
            case "tree":
                return new TreeMap<>();
            default:
                return new HashMap<>();
        }
    }

    private Object typed(Object value) {
        boolean whole = value instanceof Integer || value instanceof Long;
        if (!whole) {
            return value;
        }
        long number = ((Number) value).longValue();
        return getString("integer.type").equals("int") ? (Object) (int) number : (Object) number;
    }

    private static <T> T parse(String option, String text, Class<T> type) {
        try {
            return JSON.readValue(text, type);
        } catch (JsonProcessingException error) {
            throw new ConfigException(option, text, error.getOriginalMessage());
        }
    }
}
