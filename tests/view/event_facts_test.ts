import { assertEquals } from "@std/assert";
import type { Event } from "../../src/kube/resource.ts";
import { readEvent } from "../../src/view/event_facts.ts";
import { test } from "../support/test.ts";

test("many Events in one are shown by the latest of them", () => {
  const event = {
    metadata: { name: "report.1" },
    involvedObject: { uid: "u" },
    type: "Warning",
    reason: "FailedCreate",
    message: "(combined from similar events): Error creating job: exceeded quota",
    count: 7,
    firstTimestamp: "2026-03-10T09:00:00Z",
    lastTimestamp: "2026-03-10T10:00:00Z",
  } as unknown as Event;
  const facts = readEvent(event);
  assertEquals(
    [facts?.message, facts?.count, facts?.isWarning],
    ["Error creating job: exceeded quota", 7, true],
  );
});

test("an Event that counts nothing stands for one", () => {
  const event = {
    metadata: { name: "report.1" },
    involvedObject: { uid: "u" },
    type: "Normal",
    eventTime: "2026-03-10T09:00:00.000000Z",
  } as unknown as Event;
  const facts = readEvent(event);
  assertEquals([facts?.count, facts?.isWarning], [1, false]);
});
