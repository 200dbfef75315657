// Copyright (c) 2026 streamops contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

package streamops.test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;

/**
 * A source for tests only: its config decides which source partitions exist, in which kind of map and key order they
 * are handed to Connect, what their offsets look like, and how it takes a change of offsets by REST.
 * The config is described in ShapedConfig and in stack/README.md.
 */
public class ShapedSourceConnector extends SourceConnector {
    private Map<String, String> properties;

    @Override
    public String version() {
        return "1.0.0";
    }

    @Override
    public ConfigDef config() {
        return ShapedConfig.DEFINITION;
    }

    /** With refuse.unknown=true like the connectors of some vendors. */
    @Override
    public Config validate(Map<String, String> config) {
        List<ConfigValue> values = new ArrayList<>(super.validate(config).configValues());
        if (Boolean.parseBoolean(config.get("refuse.unknown"))) {
            config.keySet().stream().filter(ShapedConfig::isUnknown).forEach(key -> values.add(
                new ConfigValue(key, config.get(key), List.of(), List.of("Unknown configuration '" + key + "'"))));
        }
        return new Config(values);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return ShapedSourceTask.class;
    }

    @Override
    public void start(Map<String, String> newProperties) {
        properties = newProperties;
        // Wrong partitions make the connector FAILED here; in taskConfigs the worker would try for ever.
        new ShapedConfig(properties).partitions();
    }

    @Override
    public void stop() {
    }

    /** One task for each partition, at most maxTasks; none with no.tasks=true. */
    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        ShapedConfig config = new ShapedConfig(properties);
        int count = config.noTasks() ? 0 : Math.min(maxTasks, Math.max(1, config.partitions().size()));
        List<Map<String, String>> tasks = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            Map<String, String> task = new HashMap<>(properties);
            task.put(ShapedConfig.TASK_INDEX, Integer.toString(index));
            task.put(ShapedConfig.TASK_COUNT, Integer.toString(count));
            tasks.add(task);
        }
        return tasks;
    }

    /**
     * Overrides SourceConnector.alterOffsets of Connect 3.6 and later. There is no Override annotation because the
     * class is compiled against 3.4, so that one build runs on every worker.
     */
    public boolean alterOffsets(Map<String, String> connectorConfig, Map<Map<String, ?>, Map<String, ?>> offsets) {
        ShapedConfig config = new ShapedConfig(connectorConfig);
        ShapedConfig.pause(config.alterDelayMs());
        switch (config.alterMode()) {
            case "accept":
                return true;
            case "refuse":
                throw new UnsupportedOperationException("this connector keeps its offsets to itself");
            case "reject":
                throw new ConnectException(config.alterMessage());
            case "crash":
                throw new IllegalStateException(config.alterMessage());
            default:
                return false;
        }
    }

    @Override
    public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> connectorConfig) {
        return ExactlyOnceSupport.SUPPORTED;
    }
}
