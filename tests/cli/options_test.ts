import { assert, assertEquals, assertThrows } from "@std/assert";
import { Command, InvalidArgumentError } from "commander";
import { createProgram } from "../../src/cli/main.ts";
import {
  durationMs,
  listOf,
  prepareOptions,
  repeatable,
  splitList,
  switchOption,
  wholeNumber,
} from "../../src/cli/flags/options.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";

test("listOf() takes members of a list once each, nothing for the empty text, and names what it does not know", () => {
  const parse = listOf(["a", "b", "c"]);
  assertEquals(parse("b, a,b"), ["b", "a"]);
  assertEquals(parse(""), []);
  assertThrows(() => parse("a,x"), InvalidArgumentError, 'must hold nothing but a, b, c: there is no "x".');
});

test("wholeNumber() takes whole numbers inside its bounds only", () => {
  const parse = wholeNumber(0, 65535);
  assertEquals([parse("0"), parse("65535")], [0, 65535]);
  for (const bad of ["-1", "65536", "1.5", "x", "", " 1", "1e3"]) assertThrows(() => parse(bad), InvalidArgumentError);
});

test("splitList() drops blanks and empty members", () => assertEquals(splitList(" a,,b , "), ["a", "b"]));

testAlone(
  import.meta.url,
  "a repeatable option collects its values; its environment variable is a list with commas",
  () => {
    const parse = (args: string[]) => {
      const command = new Command().addOption(repeatable("--namespace <name>", "a namespace")).action(() => {});
      prepareOptions(command);
      command.parse(args, { from: "user" });
      return command.opts().namespace;
    };
    assertEquals(parse([]), []);
    assertEquals(parse(["--namespace", "a", "--namespace", "b,c"]), ["a", "b,c"]);
    Deno.env.set("CJC_NAMESPACE", "x, y");
    try {
      assertEquals(parse([]), ["x", "y"]);
      assertEquals(parse(["--namespace", "a"]), ["a"]);
    } finally {
      Deno.env.delete("CJC_NAMESPACE");
    }
  },
);

testAlone(
  import.meta.url,
  "a switch is on when it is named, and takes true and false, from the environment too",
  () => {
    const parse = (args: string[]) =>
      new Command().exitOverride().configureOutput({ writeErr: () => {} })
        .addOption(switchOption("--leader-elect", "leads"))
        .option("--other").parse(args, { from: "user" }).opts().leaderElect;
    assertEquals(parse([]), false);
    assertEquals([parse(["--leader-elect"]), parse(["--leader-elect", "--other"])], [true, true]);
    assertEquals([parse(["--leader-elect=true"]), parse(["--leader-elect=false"])], [true, false]);
    assertThrows(() => parse(["--leader-elect=yes"]), Error, "must be true or false.");
    Deno.env.set("CJC_LEADER_ELECT", "true");
    try {
      assertEquals([parse([]), parse(["--leader-elect=false"])], [true, false]);
    } finally {
      Deno.env.delete("CJC_LEADER_ELECT");
    }
  },
);

test("no option that a variable can give is a bare flag: any value would turn it on, false too", () => {
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const given = all(createProgram("linux")).flatMap(({ options }) => options).filter(({ envVar }) => envVar);
  assert(given.length > 100, `${given.length} options`);
  assertEquals(given.filter(({ required, optional }) => !required && !optional).map(({ flags }) => flags), []);
});

test("durationMs() takes whole seconds and durations as Go writes them, inside its bounds only", () => {
  const parse = durationMs(1_000, 3_600_000);
  for (const [text, ms] of [["30", 30_000], ["1500ms", 1_500], ["1m30s", 90_000], ["1h", 3_600_000]] as const) {
    assertEquals(parse(text), ms, text);
  }
  for (const bad of ["0", "999ms", "1h1s", "-5s", "5 s", "soon", ""]) {
    assertThrows(() => parse(bad), InvalidArgumentError, "must be seconds or a duration such as 30s or 1m30s");
  }
});

test("a switch may stand before a name", () => {
  const parse = (...args: string[]) => {
    const command = new Command().argument("[names...]").addOption(switchOption("-f, --follow", "go on"));
    prepareOptions(command);
    command.parse(args, { from: "user" });
    return [command.args, command.opts().follow];
  };
  assertEquals(parse("-f", "sync"), [["sync"], true]);
  assertEquals(parse("--follow", "sync"), [["sync"], true]);
  assertEquals(parse("sync", "-f"), [["sync"], true]);
  assertEquals(parse("-f", "false", "sync"), [["sync"], false]);
  assertEquals(parse("--follow=false", "sync"), [["sync"], false]);
  assertEquals(parse("sync", "--", "-f"), [["sync", "-f"], false]);
});
