import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { OutputTail } from "../../src/kubelet/output_tail.ts";
import { RunFiles } from "../../src/kubelet/run_files.ts";
import { RunLog } from "../../src/kubelet/run_log.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

/** A run's log in a directory of its own, with a clock that a test moves by hand. */
class Log implements Disposable {
  readonly directory = Deno.makeTempDirSync({ prefix: "run-log-" });
  readonly files = new RunFiles(this.directory, 0);
  readonly log = new RunLog(this.files);
  readonly clock = new FakeClock(1_000_000);
  readonly lines: string[] = [];

  tail(limits = { maxBytes: 1 << 20, maxFiles: 5 }): OutputTail {
    return new OutputTail(this.log, { clock: this.clock, limits, onLine: (line) => this.lines.push(line) });
  }

  write(text: string): void {
    Deno.writeTextFileSync(this.files.log, text, { append: true });
  }

  all(from = 0): string {
    const parts: string[] = [];
    for (let offset = from;;) {
      const read = this.log.read(offset);
      if (read.bytes.length === 0) return parts.join("");
      parts.push(new TextDecoder().decode(read.bytes));
      offset = read.offset + read.bytes.length;
    }
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}

test("OutputTail hands on whole lines as they come, and what is left at the end", () => {
  using log = new Log();
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
  using log = new Log();
  log.write("seen\n");
  log.tail().look();
  log.write("new\n");
  log.lines.length = 0;
  log.tail().look();
  assertEquals(log.lines, ["new"]);
});

test("OutputTail hands on a line without an end in pieces", () => {
  using log = new Log();
  log.write("x".repeat(40_000));
  log.tail().close();
  assertEquals(log.lines.map((line) => line.length), [16_384, 16_384, 7_232]);
});

test("RunLog finds the last lines, and all of them if there are fewer", () => {
  using log = new Log();
  log.write("a\nb\nc\n");
  const tail = (lines: number) => log.all(log.log.offsetOfTail(lines));
  assertEquals([0, 1, 2, 3, 9].map(tail), ["", "c\n", "b\nc\n", "a\nb\nc\n", "a\nb\nc\n"]);
  log.write("unfinished");
  assertEquals(tail(2), "c\nunfinished");
});

test("RunLog knows when what was seen, as far as somebody looked", async () => {
  using log = new Log();
  const tail = log.tail();
  log.write("first\n");
  tail.look();
  await log.clock.advance(60_000);
  log.write("second\nthird\n");
  tail.look();
  await log.clock.advance(60_000);
  log.write("unseen\n");
  const timeOf = log.log.clock(() => log.clock.now());
  assertEquals([0, 6, 13, 19].map((offset) => timeOf(offset) - 1_000_000), [0, 60_000, 60_000, 120_000]);
  const since = (ms: number) => log.all(log.log.offsetSince(1_000_000 + ms));
  assertEquals(since(0), "first\nsecond\nthird\nunseen\n");
  assertEquals(since(1), "second\nthird\nunseen\n");
  assertEquals(since(60_001), "unseen\n");
});

test("RunLog keeps the newest files of a long output, with their times", async () => {
  using log = new Log();
  const tail = log.tail({ maxBytes: 50, maxFiles: 3 });
  const line = (index: number) => `line ${index} ${"-".repeat(22)}`;
  for (let index = 0; index < 8; index++) {
    await log.clock.advance(1_000);
    log.write(`${line(index)}\n`);
    tail.look();
  }
  tail.close();
  assertEquals(log.lines, Array.from({ length: 8 }, (_, index) => line(index)), "all were handed on");
  const kept = [...Deno.readDirSync(log.directory)].map(({ name }) => name).filter((name) => name.includes("log"));
  assertEquals(kept.sort(), ["0.log", "0.log.120", "0.log.180"]);
  const lines = (from: number) => log.lines.slice(from).map((each) => `${each}\n`).join("");
  assertEquals(log.all(), lines(4));
  assertEquals(log.all(log.log.offsetOfTail(3)), lines(5));
  assertEquals(log.all(log.log.offsetSince(1_006_000)), lines(5));
});

test("RunLog rotates under a writer that appends", async () => {
  using log = new Log();
  const tail = log.tail({ maxBytes: 1_000, maxFiles: 100 });
  const script =
    'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); [ $((i % 100)) = 0 ] && sleep 0.005; done >>"$1"';
  const writer = new Deno.Command("/bin/sh", { args: ["-c", script, "sh", log.files.log] }).spawn();
  let over = false;
  writer.status.then(() => over = true);
  while (!over) {
    tail.look();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  tail.close();
  // Lines can be lost between the copy and the emptying, but none is torn and the order holds.
  const numbers = log.lines.map((line) => Number(/^line (\d+)$/.exec(line)?.[1]));
  assert(numbers.every((number, index) => index === 0 || number > numbers[index - 1]));
  assert(numbers.length > 1_000);
  assertEquals(log.all().trimEnd().split("\n"), log.lines);
});

test("RunLog reads any part like a string does, whatever was rotated", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength: 1, maxLength: 12 }), { maxLength: 12 }),
      fc.nat(60),
      fc.nat(8),
      (pieces, offset, lines) => {
        using log = new Log();
        const tail = log.tail({ maxBytes: 16, maxFiles: 1_000 });
        for (const piece of pieces) {
          log.write(piece);
          tail.look();
        }
        tail.close();
        const text = pieces.join("");
        assertEquals(log.all(offset), text.slice(offset));
        const wanted = text.split(/(?<=\n)/).filter(Boolean);
        assertEquals(log.all(log.log.offsetOfTail(lines)), wanted.slice(Math.max(0, wanted.length - lines)).join(""));
        assertEquals(log.lines, wanted.map((line) => line.replace(/\n$/, "")));
      },
    ),
    { numRuns: 100 },
  );
});

test("OutputTail hands lines on also where it can note no times", () => {
  using log = new Log();
  Deno.mkdirSync(log.files.times);
  const tail = log.tail();
  log.write("one\n");
  tail.look();
  log.write("two\n");
  tail.close();
  assertEquals(log.lines, ["one", "two"]);
});

test("RunLog lets go of a file too long to keep if the disk is full, and keeps its offsets", () => {
  using log = new Log();
  log.write("12345");
  Deno.symlinkSync("/dev/full", `${log.files.log}.0`);
  assertThrows(() => log.log.rotate({ maxBytes: 5, maxFiles: 5 }));
  assertEquals(log.log.currentSize, 0);
  log.write("678");
  assertEquals([log.log.start, log.log.end, log.all(), log.all(6)], [5, 8, "678", "78"]);
});

test("OutputTail hands on some of what comes too fast, says how much is missing, and goes on with whole lines", () => {
  using log = new Log();
  const tail = log.tail();
  log.write(`${"y\n".repeat(100_000)}unfin`);
  tail.look();
  assertEquals(log.lines.length, 501);
  assertEquals(log.lines.at(-1), "[199000 bytes more, too fast to show: kubectl logs has what is kept of them]");
  log.write("ished\n");
  tail.look();
  assertEquals(log.lines.slice(501), ["unfinished"]);
  assertEquals(log.all().length, 200_011);
});

test("RunLog keeps the end of a file that has grown far too long between two looks", () => {
  using log = new Log();
  log.write("0123456789".repeat(10));
  log.log.rotate({ maxBytes: 8, maxFiles: 3 });
  assertEquals([log.log.start, log.log.end, log.all()], [84, 100, "4567890123456789"]);
  log.write("abcdefghijklmnopqrstuvwxyz");
  log.log.rotate({ maxBytes: 8, maxFiles: 3 });
  log.write("!");
  assertEquals([log.log.start, log.all(), log.all(100)], [110, "klmnopqrstuvwxyz!", "klmnopqrstuvwxyz!"]);
});
