import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { RunLog } from "../../../src/kubelet/files/run_log.ts";
import { must } from "../../support/expected.ts";
import { pathWithout } from "../../support/path_without.ts";
import { test } from "../../support/test.ts";
import { testAlone } from "../../support/test_alone.ts";
import { LogOfRun, SMALL } from "../support/log_of_run.ts";

const PATH = Deno.env.get("PATH")!;

/** How often a file is read as a whole while this is there. */
function countReads(path: string): { count(): number } & Disposable {
  const read = Deno.readTextFileSync;
  let count = 0;
  Deno.readTextFileSync = (file) => {
    if (file === path) count++;
    return read(file);
  };
  return { count: () => count, [Symbol.dispose]: () => void (Deno.readTextFileSync = read) };
}

test("RunLog finds the last lines, and all of them if there are fewer", () => {
  using log = new LogOfRun();
  log.write("a\nb\nc\n");
  const tail = (lines: number) => log.all(log.log.offsetOfTail(lines));
  assertEquals([0, 1, 2, 3, 9].map(tail), ["", "c\n", "b\nc\n", "a\nb\nc\n", "a\nb\nc\n"]);
  log.write("unfinished");
  assertEquals(tail(2), "c\nunfinished");
});

test("RunLog reads on behind a hole in the middle, as an earlier version has made it", () => {
  using log = new LogOfRun();
  log.write("a\nb\nc\n");
  Deno.writeTextFileSync(log.files.cut, "4");
  assertEquals([log.log.start, log.all(log.log.start)], [4, "c\n"]);
});

test("RunLog knows when what was seen, as far as it was read", async () => {
  using log = new LogOfRun();
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

test("RunLog reads its times again only if there are more, however many lines have none", () => {
  using log = new LogOfRun();
  log.log.noteSeen({ at: 5, end: 10 });
  using reads = countReads(log.files.times);
  const timeOf = log.log.clock(() => 9);
  assertEquals([0, 10, 20, 30, 40].map(timeOf), [5, 9, 9, 9, 9]);
  assertEquals(reads.count(), 1);
  log.log.noteSeen({ at: 7, end: 60 });
  assertEquals([50, 60, 70].map(timeOf), [7, 9, 9]);
  assertEquals(reads.count(), 2);
});

test("RunLog keeps the end of a long output, with its times, and says what is missing before it", async () => {
  using log = new LogOfRun();
  const tail = log.tail(SMALL);
  const line = (index: number) => `line ${index} ${"-".repeat(22)}`;
  for (let index = 0; index < 8; index++) {
    await log.clock.advance(1_000);
    log.write(`${line(index)}\n`);
    tail.look();
  }
  tail.close();
  assertEquals(log.lines, Array.from({ length: 8 }, (_, index) => line(index)), "all were handed on");
  const lines = (from: number, to = 8) => log.lines.slice(from, to).map((each) => `${each}\n`).join("");
  const mark = (bytes: number) => `[${bytes} bytes left out here: the container has written more than is kept]\n`;
  const start = log.log.start / 30;
  assertEquals(log.all(), mark(30 * start) + lines(start));
  assertEquals(log.all(log.log.offsetOfTail(3)), lines(5));
  assertEquals(log.all(log.log.offsetOfTail(7)), mark(30 * start) + lines(start));
  assertEquals(log.all(log.log.offsetSince(1_006_000)), lines(5));
  assertEquals(log.all(log.log.offsetSince(1_002_000)), `\n${mark(30 * start - 30)}${lines(start)}`);
  const timeOf = log.log.clock(() => log.clock.now());
  assertEquals([0, 30, 120, 210].map((offset) => timeOf(offset) - 1_000_000), [1_000, 2_000, 5_000, 8_000]);
});

test("RunLog says to a reader that was overtaken how many bytes it has missed", () => {
  using log = new LogOfRun();
  const line = "x".repeat(29) + "\n";
  log.write(line.repeat(4));
  const { next } = log.log.read(0, 75);
  log.write(line.repeat(4));
  log.log.keepWithin(SMALL);
  const mark = "\n[75 bytes left out here: the container has written more than is kept]\n";
  assertEquals(log.all(next), mark + line.repeat(3));
});

test("RunLog loses nothing of a process that writes as fast as it can", async () => {
  using log = new LogOfRun();
  const limits = { kept: 300_000, slack: 100_000, index: 1 << 20 };
  const tail = log.tail(limits);
  const stop = `${log.directory}/stop`;
  const script =
    'i=0; while [ ! -e "$2" ]; do seq $((i * 9000 + 1)) $((i * 9000 + 9000)); i=$((i + 1)); done >>"$1"; echo $i';
  const args = ["-c", script, "sh", log.files.log, stop];
  const writing = new Deno.Command("/bin/sh", { args }).output();
  for (let [cuts, before] = [0, 0]; cuts < 5;) {
    tail.look();
    const to = log.log.start;
    if (to !== before) cuts++;
    before = to;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  Deno.writeTextFileSync(stop, "");
  const written = 9_000 * Number(new TextDecoder().decode((await writing).stdout));
  tail.close();
  const [, mark = "", end = ""] = /^(\[.*\]\n)(.*)$/s.exec(log.all()) ?? [];
  const numbers = end.trimEnd().split("\n").map(Number);
  assertEquals(numbers.at(-1), written);
  assert(numbers.every((number, index) => number === must(numbers[0]) + index));
  const [bytes = NaN] = mark.match(/\d+/g)!.map(Number);
  assertEquals(bytes + end.length, log.log.end);
  const { blocks, size } = Deno.statSync(log.files.log);
  assert(blocks! * 512 < size - bytes! + 10_000, `${blocks} blocks of a file of ${size} bytes`);
});

test("RunLog reads any part like a string does, whatever was cut out", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength: 1, maxLength: 12 }), { maxLength: 12 }),
      fc.nat(60),
      fc.nat(8),
      fc.constantFrom(1_000, 8),
      (pieces, offset, lines, tailBytes) => {
        using log = new LogOfRun();
        const tail = log.tail({ kept: tailBytes, slack: 4, index: 20 });
        for (const piece of pieces) {
          log.write(piece);
          tail.look();
        }
        tail.close();
        const text = pieces.join("");
        const { start } = log.log;
        const mark = (from: number) =>
          `${from > 0 ? "\n" : ""}[${start - from} bytes left out here: the container has written more than is kept]\n`;
        assertEquals(log.all(offset), offset < start ? mark(offset) + text.slice(start) : text.slice(offset));
        assertEquals(text.slice(start).length >= Math.min(text.length, 8), true, "the end is there");
        const wanted = text.split(/(?<=\n)/).filter(Boolean);
        if (start === 0) {
          assertEquals(log.all(log.log.offsetOfTail(lines)), wanted.slice(Math.max(0, wanted.length - lines)).join(""));
        }
        assertEquals(log.lines, wanted.map((line) => line.replace(/\n$/, "")));
      },
    ),
    { numRuns: 100 },
  );
});

test("RunLog keeps the index of times short, and coarser", async () => {
  using log = new LogOfRun();
  const tail = log.tail({ ...SMALL, kept: 10_000, index: 120 });
  for (let index = 0; index < 30; index++) {
    await log.clock.advance(1_000);
    log.write(".\n");
    tail.look();
  }
  assert(Deno.statSync(log.files.times).size <= 140);
  const timeOf = log.log.clock(() => log.clock.now());
  const times = Array.from({ length: 30 }, (_, index) => timeOf(2 * index) - 1_000_000);
  assertEquals(times.at(-1), 30_000);
  assert(times.every((time, index) => time >= (index + 1) * 1_000 && time >= (times[index - 1] ?? 0)));
});

test("RunLog makes room before it writes where, as on a full disk, and cuts at the same place if it could not", () => {
  using log = new LogOfRun();
  const line = "x".repeat(29) + "\n";
  log.write(line.repeat(8));
  Deno.symlinkSync("/dev/full", `${log.files.cut}.new`);
  const error = assertThrows(() => log.log.keepWithin(SMALL));
  assertEquals((error as { code?: string }).code, "ENOSPC");
  Deno.removeSync(`${log.files.cut}.new`);
  // As another life of the program does.
  new RunLog(log.files).keepWithin(SMALL);
  assertEquals(log.log.end, 240);
  assert(log.all().startsWith("[150 bytes"), log.all());
});

testAlone(import.meta.url, "RunLog keeps a file whole where no hole can be punched, and tries that once", () => {
  using log = new LogOfRun();
  const text = Array.from({ length: 20 }, (_, index) => `line ${index} ${"-".repeat(22)}\n`).join("");
  log.write(text);
  Deno.env.set("PATH", pathWithout(`${log.directory}.bin`, "fallocate"));
  try {
    log.log.keepWithin(SMALL);
  } finally {
    Deno.env.set("PATH", PATH);
    Deno.removeSync(`${log.directory}.bin`, { recursive: true });
  }
  log.log.keepWithin(SMALL);
  assertEquals([log.all(), log.log.start], [text, 0]);
});
