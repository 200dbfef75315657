// Copyright (c) 2026 streamops contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

package streamops.test;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.connect.json.JsonConverter;

/**
 * What Java and Kafka make of test inputs. Each line is a command and its argument in base64, each answer is one line:
 *
 * <pre>
 * json JSON     the bytes of the JSON after a worker has read and written it, in base64
 * order NAMES   the names (separated by U+001E) in the order of a HashMap, the same way
 * hash BYTES    murmur2 and the partitions of 5 and of 25
 * double BITS   the text of a Double with these 64 bits (16 hex digits), as a task would have it written
 * version -     of Java
 * </pre>
 */
public final class Codecs {
    private static final String SEPARATOR = "\u001e";

    private final JsonConverter converter = new JsonConverter();

    private Codecs() {
        // as the worker's internal converters
        converter.configure(Collections.singletonMap("schemas.enable", "false"), true);
    }

    public static void main(String[] arguments) throws Exception {
        Codecs codecs = new Codecs();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        StringBuilder answers = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ", 2);
            answers.append(codecs.answer(words[0], Base64.getDecoder().decode(words[1]))).append('\n');
        }
        System.out.print(answers);
        System.out.flush();
    }

    private String answer(String command, byte[] argument) {
        switch (command) {
            case "json":
                return base64(rewritten(argument));
            case "order":
                return base64(order(text(argument)).getBytes(StandardCharsets.UTF_8));
            case "hash":
                return Utils.murmur2(argument) + " " + BuiltInPartitioner.partitionForKey(argument, 5) + " "
                    + BuiltInPartitioner.partitionForKey(argument, 25);
            case "double":
                return text(written(Double.longBitsToDouble(Long.parseUnsignedLong(text(argument), 16))));
            case "version":
                return String.valueOf(Runtime.version().feature());
            default:
                throw new IllegalArgumentException(command);
        }
    }

    /** A key is read like this when offsets are listed, deleted or altered, and then written by OffsetStorageWriter. */
    private byte[] rewritten(byte[] json) {
        return written(converter.toConnectData("topic", json).value());
    }

    private byte[] written(Object value) {
        return converter.fromConnectData("topic", null, value);
    }

    private static String order(String names) {
        Map<String, Integer> map = new HashMap<>();
        for (String name : names.split(SEPARATOR, -1)) {
            map.put(name, map.size());
        }
        List<String> found = new ArrayList<>(map.keySet());
        return String.join(SEPARATOR, found);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
