// Copyright (c) 2026 streamops contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

package streamops.test;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;

import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.runtime.standalone.StandaloneConfig;
import org.apache.kafka.connect.storage.FileOffsetBackingStore;

/**
 * What a standalone worker makes of its files. Each line is a command, each answer is one line; bytes are = and base64, null is -:
 *
 * <pre>
 * read PATH                 the entries as the worker loads them, KEY:VALUE with a blank between, in order; or error
 * write PATH KEY:VALUE ...  the worker saves these
 * properties BYTES          what java.util.Properties reads in it, the same way
 * rewrite PATH              the worker loads the file and saves it again
 * </pre>
 */
public final class OffsetFiles {
    private OffsetFiles() {
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        StringBuilder answers = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            answers.append(answer(line.split(" "))).append('\n');
        }
        System.out.print(answers);
        System.out.flush();
    }

    private static String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "read":
                try {
                    return entries(Store.of(words[1]).entries());
                } catch (RuntimeException error) {
                    return "error";
                }
            case "write":
                Store store = Store.of(words[1]);
                for (int number = 2; number < words.length; number++) {
                    String[] pair = words[number].split(":");
                    store.entries().put(buffer(pair[0]), buffer(pair[1]));
                }
                store.save();
                return "done";
            case "properties":
                Properties found = new Properties();
                found.load(new StringReader(new String(Base64.getDecoder().decode(words[1].substring(1)), StandardCharsets.ISO_8859_1)));
                Map<ByteBuffer, ByteBuffer> pairs = new HashMap<>();
                for (String name : found.stringPropertyNames()) {
                    pairs.put(bytes(name), bytes(found.getProperty(name)));
                }
                return entries(pairs);
            case "rewrite":
                Store.of(words[1]).save();
                return "done";
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static String entries(Map<ByteBuffer, ByteBuffer> found) {
        TreeSet<String> sorted = new TreeSet<>();
        found.forEach((key, value) -> sorted.add(text(key) + ":" + text(value)));
        return String.join(" ", sorted);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_16BE));
    }

    private static ByteBuffer buffer(String word) {
        return word.equals("-") ? null : ByteBuffer.wrap(Base64.getDecoder().decode(word.substring(1)));
    }

    private static String text(ByteBuffer bytes) {
        return bytes == null ? "-" : "=" + Base64.getEncoder().encodeToString(bytes.array());
    }

    /** Kafka's own, open to be looked into. */
    private static final class Store extends FileOffsetBackingStore {
        private Store(JsonConverter converter) {
            super(converter);
        }

        static Store of(String path) {
            Map<String, String> config = new HashMap<>();
            config.put("bootstrap.servers", "127.0.0.1:1");
            config.put("key.converter", JsonConverter.class.getName());
            config.put("value.converter", JsonConverter.class.getName());
            config.put("offset.storage.file.filename", path);
            JsonConverter converter = new JsonConverter();
            // as the worker's internal converters
            converter.configure(Collections.singletonMap("schemas.enable", "false"), true);
            Store store = new Store(converter);
            store.configure(new StandaloneConfig(config));
            store.start();
            store.stop();
            return store;
        }

        Map<ByteBuffer, ByteBuffer> entries() {
            return data;
        }

        @Override
        protected void save() {
            super.save();
        }
    }
}
