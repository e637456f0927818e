import { LOG_KEYS } from "../../src/telemetry/log_keys.ts";
import { code, page, sentence, table } from "./markdown.ts";

/** Every key of a line of the log. */
export function logKeysPage(): string {
  return page(
    "Log keys",
    "A JSON line has `time`, `level`, `logger` (the area of the program), `message`, and those of these keys that there is " +
      "something to say about. A text line shows those that its message does not name behind it.",
    table(["key", "meaning"], Object.entries(LOG_KEYS).map(([key, means]) => [code(key), sentence(means)])),
  );
}
