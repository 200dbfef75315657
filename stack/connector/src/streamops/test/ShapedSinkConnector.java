// Copyright (c) 2026 streamops contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

package streamops.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** A sink for tests only, which can keep a position of its own beside its consumer group. */
public class ShapedSinkConnector extends SinkConnector {
    static final ConfigDef DEFINITION = new ConfigDef()
        .define("file", Type.STRING, Importance.HIGH, "File to which the values of records are appended, a line each.")
        .define("position.file", Type.STRING, "", Importance.MEDIUM,
            "If given: where the task keeps the next record of each partition, beside its consumer group.")
        .define("position.use", Type.STRING, "seek", ValidString.in("seek", "skip"), Importance.MEDIUM,
            "What that position is for: the task seeks to it when it starts, or skips records before it.")
        .define("commit.fixed", Type.LONG, -1L, Importance.MEDIUM, "If not negative: what preCommit returns for every partition.");

    private Map<String, String> properties;

    @Override
    public String version() {
        return "1.0.0";
    }

    @Override
    public ConfigDef config() {
        return DEFINITION;
    }

    @Override
    public Class<? extends Task> taskClass() {
        return ShapedSinkTask.class;
    }

    @Override
    public void start(Map<String, String> newProperties) {
        properties = newProperties;
    }

    @Override
    public void stop() {
    }

    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        List<Map<String, String>> tasks = new ArrayList<>();
        for (int index = 0; index < maxTasks; index++) {
            tasks.add(properties);
        }
        return tasks;
    }
}
