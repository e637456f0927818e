import { assert, assertEquals } from "@std/assert";
import { test } from "../../support/test.ts";
import { LogOfRun, SMALL } from "../support/log_of_run.ts";

test("OutputTail hands on whole lines as they come, and what is left at the end", () => {
  using log = new LogOfRun();
  const tail = log.tail();
  tail.look();
  log.write("one\ntwo\nth");
  tail.look();
  assertEquals(log.lines, ["one", "two"]);
  log.write("ree\n\nlast");
  tail.look();
  tail.close();
  assertEquals(log.lines, ["one", "two", "three", "", "last"]);
});

test("OutputTail goes on where an earlier life of the program stopped looking", () => {
  using log = new LogOfRun();
  log.write("seen\n");
  log.tail().look();
  log.write("new\n");
  log.lines.length = 0;
  log.tail().look();
  assertEquals(log.lines, ["new"]);
});

test("OutputTail cuts what an earlier life of the program has noted and not cut", () => {
  using log = new LogOfRun();
  log.write("x\n".repeat(200));
  log.log.noteSeen({ at: 0, end: log.log.end });
  log.tail(SMALL).close();
  assert(log.all().includes("[310 bytes left out here"), log.all());
});

test("OutputTail starts anew, and says so, once the container has truncated its output", () => {
  using log = new LogOfRun();
  const tail = log.tail(SMALL);
  log.write(`${"x".repeat(29)}\n`.repeat(8));
  tail.look();
  assert(log.log.start > 0);
  // As `echo new >/dev/stderr` does in a script.
  Deno.writeTextFileSync(log.files.log, "new\n");
  log.lines.length = 0;
  tail.look();
  log.write("more\n");
  tail.look();
  assertEquals(log.lines, ["[the container has truncated its log: what it wrote before is lost]", "new", "more"]);
  log.write(`${"y".repeat(29)}\n`.repeat(2));
  assertEquals(log.all(), `new\nmore\n${`${"y".repeat(29)}\n`.repeat(2)}`);
});

test("OutputTail of a later life sees that the output was truncated meanwhile", () => {
  using log = new LogOfRun();
  log.write("what was there before\n");
  log.tail().look();
  Deno.writeTextFileSync(log.files.log, "new\n");
  log.lines.length = 0;
  log.tail().close();
  assertEquals(log.lines.slice(1), ["new"]);
  assertEquals(log.log.seenEnd, 4);
});

test("OutputTail hands on a line without an end in pieces", () => {
  using log = new LogOfRun();
  log.write("x".repeat(40_000));
  log.tail().close();
  assertEquals(log.lines.map((line) => line.length), [16_384, 16_384, 7_232]);
});

test("OutputTail hands lines on also where it can note no times", () => {
  using log = new LogOfRun();
  const tail = log.tail();
  Deno.mkdirSync(log.files.times);
  log.write("one\n");
  tail.look();
  log.write("two\n");
  tail.close();
  assertEquals(log.lines, ["one", "two"]);
});

test("OutputTail hands on the end of what comes too fast, says that more is missing, and goes on with whole lines", () => {
  using log = new LogOfRun();
  const tail = log.tail();
  log.write(`${"y\n".repeat(100_000)}unfin`);
  tail.look();
  assertEquals(log.lines.length, 501);
  assertEquals(log.lines[0], "[more before this, too fast to show: kubectl logs has what is kept of it]");
  log.write("ished\n");
  tail.look();
  assertEquals(log.lines.slice(501), ["unfinished"]);
  assertEquals(log.all().length, 200_011);
});
