import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { isJournal } from "../../src/telemetry/journal.ts";
import { LOG_KEYS } from "../../src/telemetry/log_keys.ts";
import { configureLogging, loggerFor, type LoggingOptions } from "../../src/telemetry/logging.ts";
import { redact, withoutSecrets } from "../../src/telemetry/redact.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";

/** What is written, by a log that is silent again afterwards. */
function written(options: Partial<LoggingOptions>, write: (toggleDebug: () => void) => void): string[] {
  const lines: string[] = [];
  const logging = configureLogging({ level: "info", format: "json", ...options, write: (line) => lines.push(line) });
  try {
    write(() => logging.toggleDebug());
  } finally {
    configureLogging({ level: "fatal", format: "json", write: () => {} });
  }
  return lines;
}

const ERROR = Object.assign(new Error("no answer\nat all"), { response: "whatever else it carries" });

test("a JSON line has time, level, logger and message, and the properties beside them", () => {
  const [line, ...more] = atLeast(
    1,
    written({}, () => {
      loggerFor("cronjob").warn("Cannot reconcile {key}: {error}", { key: "default/x", error: ERROR, failures: 2 });
    }),
  );
  assertEquals(more, []);
  const { time, ...others } = JSON.parse(line);
  assertMatch(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assertEquals(others, {
    level: "warning",
    logger: "cronjob",
    message: "Cannot reconcile default/x: no answer\nat all",
    key: "default/x",
    error: "no answer\nat all",
    failures: 2,
  });
});

test("a text line is one line, whatever the properties are, and names those that its message does not", () => {
  const [line, ...more] = atLeast(
    1,
    written({ format: "text" }, () => {
      const properties = { key: "default/x", error: ERROR, reason: "Not now", detail: undefined, delayMs: 5 };
      loggerFor("cronjob").warn("Cannot reconcile {key}: {error}", properties);
    }),
  );
  assertEquals(more, []);
  assertMatch(
    line,
    /^\d{4}-\d\d-\d\d [\d:]{8} WARNING cronjob: Cannot reconcile default\/x: no answer at all reason="Not now" delayMs=5$/,
  );
});

test("a list stands in the message of a text line as people write one", () => {
  const [line] = written({ format: "text" }, () => loggerFor("x").info("Follows {apis}", { apis: ["a/v1", "b/v1"] }));
  assertMatch(line!, / INFO x: Follows a\/v1, b\/v1$/);
});

test("a line for the journal has its level as syslog counts it, and no time", () => {
  const lines = written({ format: "journal", level: "debug" }, () => {
    const logger = loggerFor("cronjob");
    logger.error("Lost");
    logger.warn("Late");
    logger.info("Started");
    logger.debug("Looked");
  });
  assertEquals(lines, ["<3>cronjob: Lost", "<4>cronjob: Late", "<6>cronjob: Started", "<7>cronjob: Looked"]);
});

test("text goes to the journal only where standard output is the stream that systemd has named", () => {
  assertEquals(isJournal("9:52378", "9:52378"), true);
  assertEquals(isJournal("9:52378", "9:52379"), false);
  assertEquals(isJournal(undefined, undefined), false);
  assertEquals(isJournal("", ""), false);
});

test("the log is switched to debug and back, says so at either turn, and shows where an error was thrown meanwhile", () => {
  const lines = written({ quiet: ["cronjob"] }, (toggleDebug) => {
    const say = () => {
      loggerFor("cronjob").info("A run succeeded", { key: "a" });
      loggerFor("client").debug("Request", { error: ERROR });
    };
    say();
    toggleDebug();
    say();
    toggleDebug();
    say();
  }).map((line) => JSON.parse(line));
  assertEquals(lines.map(({ message, logLevel }) => logLevel ?? message), [
    "debug",
    "A run succeeded",
    "Request",
    "info",
  ]);
  assertEquals(
    lines.every(({ message, logLevel }) => !logLevel || /^The log level is .?\w+.? from now on$/.test(message)),
    true,
  );
  assertStringIncludes(lines[2].stack, "logging_test.ts");
});

test("a log that begins at debug is switched to info, and one that begins at error back to error", () => {
  for (const [level, after] of [["debug", ["info", "debug"]], ["error", ["debug", "error"]]] as const) {
    const lines = written({ level }, (toggleDebug) => {
      toggleDebug();
      toggleDebug();
    });
    assertEquals(lines.map((line) => JSON.parse(line).logLevel), [...after]);
  }
});

const JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";
const KEY = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEI\n-----END EC PRIVATE KEY-----";

const REDACTED: [text: string, redacted: string][] = [
  [`Authorization: Bearer ${JWT}`, "Authorization: [redacted] [redacted]"],
  ["got header Bearer abcdef0123456789", "got header Bearer [redacted]"],
  [`{"token":"abc","user":"x"}`, `{"token":[redacted],"user":"x"}`],
  [`the token ${JWT} expired`, "the token [redacted] expired"],
  ["https://me:pa%20ss@proxy:3128/", "https://[redacted]@proxy:3128/"],
  [`error:0A: ${KEY} is bad`, "error:0A: [redacted] is bad"],
  ["password=hunter2, user=me", "password=[redacted], user=me"],
  ["refresh_token: abc", "refresh_token: [redacted]"],
  // What only looks like it.
  ['secrets "db" not found', 'secrets "db" not found'],
  ["Cannot read the token file /var/run/token: not there", "Cannot read the token file /var/run/token: not there"],
  ["basic auth is not supported", "basic auth is not supported"],
  ["https://host:6443/api?x=a@b", "https://host:6443/api?x=a@b"],
];

test("redact() blacks out what looks like a credential, and leaves the rest as it is", () => {
  for (const [text, expected] of REDACTED) assertEquals(redact(text), expected);
});

test("withoutSecrets() blacks out what is known, as it stands in JSON too", () => {
  assertEquals(withoutSecrets(`a "se\\"cret" se"cret b`, ['se"cret']), 'a "[redacted]" [redacted] b');
});

const ROOT = new URL("../../", import.meta.url);

async function sources(folder = "src"): Promise<{ file: string; text: string }[]> {
  const found = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    const file = `${folder}/${name}`;
    if (isDirectory) found.push(...await sources(file));
    else if (name.endsWith(".ts")) found.push({ file, text: await Deno.readTextFile(new URL(file, ROOT)) });
  }
  return found;
}

/** Of the calls that log something: the keys of the properties, as far as they are written there. */
function loggedKeys(text: string): { keys: string[]; message: string }[] {
  const calls = text.matchAll(
    /\b(?:log|#?logger)\s*\.(?:debug|info|warn|error)\(\s*("(?:[^"\\]|\\.)*"|\w+),?\s*(\{[^}]*\})?/g,
  );
  return [...calls].map(([, message = "", properties = ""]) => ({
    message,
    keys: [...properties.replaceAll(/`[^`]*`|\([^()]*\)/g, "x").matchAll(/(?:^\{|,)\s*(\w+)/g)].map(([, key = ""]) =>
      key
    ),
  }));
}

test("every key of the log is a listed one, has one meaning, and none is one that every line has", async () => {
  const calls = (await sources()).flatMap(({ file, text }) => loggedKeys(text).map((call) => ({ file, ...call })));
  assert(calls.length > 30, "the test has stopped seeing the calls");
  const unlisted = calls.flatMap(({ file, keys, message }) =>
    [...keys, ...[...message.matchAll(/\{(\w+)\}/g)].map(([, key = ""]) => key)]
      .filter((key) => !Object.hasOwn(LOG_KEYS, key)).map((key) => `${file}: ${key}`)
  );
  assertEquals(unlisted, []);
  assertEquals(Object.keys(LOG_KEYS).filter((key) => ["time", "level", "logger", "message"].includes(key)), []);
  const everything = (await sources()).filter(({ file }) => !file.endsWith("log_keys.ts")).map(({ text }) => text).join(
    "\n",
  );
  assertEquals(Object.keys(LOG_KEYS).filter((key) => !new RegExp(`\\b${key}\\b`).test(everything)), []);
});

test("the compiler lets no other key pass: the log alone knows the library", async () => {
  const users = (await sources()).filter(({ text }) => text.includes('"@logtape/logtape"')).map(({ file }) => file);
  assertEquals(users.sort(), ["src/telemetry/log_format.ts", "src/telemetry/logging.ts"]);
});

test("messages of the log are sentences without a full stop, constant, and begin with a capital letter", async () => {
  const messages = (await sources()).flatMap(({ file, text }) =>
    loggedKeys(text).map(({ message }) => ({ file, message }))
  );
  const literal = messages.filter(({ message }) => message.startsWith('"'));
  assert(literal.length > 30);
  const wrong = literal.filter(({ message }) => !/^"(?:[A-Z]|\{\w+\} )[^]*[^.]"$/.test(message));
  assertEquals(wrong, []);
});

/** A carriage return, a cleared screen, a title, a colour; and what ends a line or turns text around for some. */
const HOSTILE = "x\r2026-11-23 ERROR forged\x1b[2J\x1b]0;owned\x07\x1b[31m\x9b2J\x85\u2028\u2029\u202e\u2066\u200fy\nz";
// deno-lint-ignore no-control-regex
const RAW = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

for (const format of ["text", "journal", "json"] as const) {
  test(`nothing in a ${format} line moves a cursor, ends a line or turns text around`, () => {
    const lines = written({ format }, () => {
      const logger = loggerFor("x");
      logger.warn("Skipped a run of {key}: {reason}", { key: HOSTILE, reason: HOSTILE });
      // Without a blank, a value is not quoted.
      logger.warn("Skipped", { reason: HOSTILE.replaceAll(" ", ""), apis: [HOSTILE], error: new Error(HOSTILE) });
    });
    assertEquals(lines.length, 2);
    for (const line of lines) assert(!RAW.test(line), JSON.stringify(line));
    if (format === "json") assertEquals(JSON.parse(lines[0]!).key, HOSTILE);
    else {assertStringIncludes(
        lines[0]!,
        "x\\r2026-11-23 ERROR forged\\x1b[2J\\x1b]0;owned\\x07\\x1b[31m\\x9b2J\\x85\\u2028",
      );}
  });
}
