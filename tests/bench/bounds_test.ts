import { assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { judge } from "./support/bounds.ts";

test("a bound is judged by the worst size, and of a range by its most", () => {
  const rows = [{ "CronJobs due": 1_000, "start delay max / bare": [0.9, 1.2] as const }, {
    "CronJobs due": 5_000,
    "start delay max / bare": 1,
  }];
  assertEquals(judge("burst", rows), [
    { figure: "start delay max / bare", held: false, text: "<= 1.1: missed (1.2)" },
  ]);
});

test("a bound for one size looks at no other", () => {
  const rows = [{ "CronJobs due": 20_000, "memory peak (MB)": 340 }, {
    "CronJobs due": 50_000,
    "memory peak (MB)": 900,
  }];
  assertEquals(judge("burst", rows), [
    { figure: "memory peak (MB)", held: true, text: "<= 350 at 20,000: held (340)" },
  ]);
});

test("a bound for each so many divides by the size", () => {
  assertEquals(judge("burst", [{ "CronJobs due": 20_000, "CPU of the minute (s)": 20 }]), [
    { figure: "CPU of the minute (s)", held: true, text: "<= 1.3 for 1,000: held (1)" },
  ]);
});

test("what grows with the square of the size grows as n^2, and one size does not say how", () => {
  const rows = [10, 100].map((count) => ({ "CronJobs due": count, "CPU until the last start (s)": count ** 2 }));
  assertEquals(judge("burst", rows), [
    { figure: "CPU until the last start (s)", held: false, text: "<= n^1.05: missed (n^2)" },
  ]);
  assertEquals(judge("burst", rows.slice(1)), []);
});
