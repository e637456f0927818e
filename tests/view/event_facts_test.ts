import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { scheduledJobName } from "../../src/cronjob/api/job_name.ts";
import type { Event } from "../../src/kube/resource.ts";
import { eventSuffix } from "../../src/runtime/event_name.ts";
import { readEvent } from "../../src/view/event_facts.ts";
import { jobByEvent } from "../../src/view/explain/events_about.ts";
import { lookAt } from "../../src/view/look.ts";
import { at, world } from "../cronjob/support/world.ts";
import { test } from "../support/test.ts";
import { event as eventOf } from "./support/facts.ts";

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

test("the name of an Event says of which second of a minute a Job was", () => {
  const time = at("10:00:59");
  const job = scheduledJobName("report", BATCH, time);
  const name = `report.${eventSuffix("cronjob-uid", "SuccessfulCreate", time)}`;
  const events = [{ ...eventOf("SuccessfulCreate", `Created job ${job}`, "10:01"), name }];
  const { cronJob, jobs, now } = world(BATCH, { schedule: "@every 59s", now: "10:30" });
  const look = lookAt({ cronJob, jobs, events, now });
  assertEquals([time, at("10:00")].map((asked) => jobByEvent(look, asked)), [job, undefined]);
});
