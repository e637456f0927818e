import { assertEquals } from "@std/assert";
import { humanDuration, selectorText } from "../../../src/apiserver/kinds/tables/cells.ts";
import { compileJsonPath } from "../../../src/apiserver/kinds/tables/json_path.ts";
import { POD_TABLE } from "../../../src/apiserver/kinds/pod.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { test } from "../../support/test.ts";

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

const DURATIONS: [number, string][] = [
  [-5 * SECOND, "<invalid>"],
  [-1500, "0s"],
  [-500, "0s"],
  [0, "0s"],
  [119 * SECOND, "119s"],
  [2 * MINUTE, "2m"],
  [5 * MINUTE + 30 * SECOND, "5m30s"],
  [10 * MINUTE + 30 * SECOND, "10m"],
  [179 * MINUTE, "179m"],
  [3 * HOUR, "3h"],
  [7 * HOUR + 59 * MINUTE, "7h59m"],
  [47 * HOUR, "47h"],
  [3 * DAY + 4 * HOUR, "3d4h"],
  [8 * DAY + 4 * HOUR, "8d"],
  [729 * DAY, "729d"],
  [770 * DAY, "2y40d"],
  [9 * 365 * DAY, "9y"],
];

for (const [durationMs, text] of DURATIONS) {
  test(`an age of ${durationMs} ms is shown as ${text}`, () => assertEquals(humanDuration(durationMs), text));
}

test("a label selector is shown as the query that it is", () => {
  const matchExpressions = [
    { key: "b", operator: "In", values: ["2", "1"] },
    { key: "c", operator: "Exists" },
    { key: "d", operator: "DoesNotExist" },
  ];
  assertEquals(selectorText({ matchLabels: { a: "1" }, matchExpressions }), "!d,a=1,b in (1,2),c");
  assertEquals(selectorText({}), "<none>");
});

const WORDS: [string, Json, string][] = [
  ["its phase", { phase: "Pending" }, "Pending"],
  ["its own reason", { phase: "Failed", reason: "Evicted" }, "Evicted"],
  ["why a container waits", {
    phase: "Running",
    containerStatuses: [{ state: { waiting: { reason: "CrashLoopBackOff" } } }],
  }, "CrashLoopBackOff"],
  ["how a container ended", { containerStatuses: [{ state: { terminated: { exitCode: 7 } } }] }, "ExitCode:7"],
  [
    "which signal ended it",
    { containerStatuses: [{ state: { terminated: { signal: 9, exitCode: 137 } } }] },
    "Signal:9",
  ],
  ["that one of two still runs", {
    containerStatuses: [
      { state: { terminated: { reason: "Completed", exitCode: 0 } } },
      { ready: true, state: { running: {} } },
    ],
  }, "NotReady"],
  [
    "how far it is with its init containers",
    { initContainerStatuses: [{ name: "i", state: { running: {} } }] },
    "Init:0/1",
  ],
  ["that an init container failed", {
    initContainerStatuses: [{ name: "i", state: { terminated: { exitCode: 1, reason: "Error" } } }],
  }, "Init:Error"],
];

for (const [title, status, word] of WORDS) {
  test(`a Pod's status column says ${title}`, () => {
    const spec = { containers: [{ name: "a" }, { name: "b" }], initContainers: [{ name: "i" }] };
    assertEquals(POD_TABLE.row({ metadata: { name: "p" }, spec, status }, 0).cells[2], word);
  });
}

const FOUND: [string, unknown][] = [
  [".spec.a", 1],
  [".spec['b.c']", 2],
  [".spec.b\\.c", 2],
  [".spec.list[1].name", "y"],
  [".spec.list[-1].name", "y"],
  [".spec.list[*].name", "x"],
  ['.spec.list[?(@.name=="y")].value', 5],
  [".spec.list[?(@.value!=5)].name", "x"],
  [".spec.none.there", undefined],
];

for (const [path, value] of FOUND) {
  test(`JSONPath ${path} finds ${value}`, () => {
    const object = { spec: { a: 1, "b.c": 2, list: [{ name: "x", value: 4 }, { name: "y", value: 5 }] } };
    assertEquals(compileJsonPath(path)(object), value);
  });
}
