import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { EventFacts } from "../../src/view/event_facts.ts";
import { lookAt } from "../../src/view/look.ts";
import { runHistory } from "../../src/view/run_history.ts";
import { clockOf, type Given, world } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";
import { run } from "./support/explain_world.ts";
import { event } from "./support/facts.ts";

const HELD = event("JobAlreadyActive", "Not starting job because prior execution is running", "10:00");
const LATER = { now: "11:45", last: "11:00" };

table("a refusal that an Event reports is a run of the history", [
  ["of a time that came to nothing", LATER, [HELD], ["10:00 Skipped"]],
  [
    "once, where the status has it too",
    {
      ...LATER,
      status: { recentRuns: [run("10:00", "Skipped", "JobAlreadyActive")] },
    },
    [HELD],
    ["10:00 Skipped"],
  ],
  ["but of a time that started later, as the status says", { now: "10:45", last: "10:00" }, [HELD], []],
  ["but of a time that started later, as an Event about its Job says", LATER, [
    HELD,
    event("MissingJob", "Active job went missing: report-1773136800", "10:40"),
  ], []],
  ["also where the Job of another time had the name that its own would have", {
    api: BATCH,
    schedule: "@every 20s",
    now: "10:00:50",
    last: "10:00",
  }, [
    event("JobAlreadyActive", "Not starting job because prior execution is running", "10:00:20"),
    event("SawCompletedJob", "Saw completed job: report-29552280, condition: Complete", "10:00:30"),
  ], ["10:00:20 Skipped"]],
], ({ api = TUTORIAL, ...given }: Given & { api?: Flavour }, events: EventFacts[], expected: string[]) => {
  const { cronJob, jobs, now } = world(api, given);
  const runs = runHistory(lookAt({ cronJob, jobs, now, events }));
  assertEquals(runs.map(({ scheduledTime, outcome }) => `${clockOf(scheduledTime!)} ${outcome}`), expected);
});

table("an Event says of a time without a Job what became of it, if its reason is that of a refusal", [
  ["a refusal", "JobAlreadyActive", ["Skipped"]],
  ["another reason", "UnknownThing", []],
  ["a member of every object", "constructor", []],
], (reason: string, outcomes: string[]) => {
  const { cronJob, jobs, now } = world(BATCH, { last: "10:00", now: "10:10", jobs: [{ time: "10:00" }] });
  const events = [event(reason, "the run of 09:00", "09:00")];
  const runs = runHistory(lookAt({ cronJob, jobs, now, events }));
  assertEquals(runs.filter(({ job }) => job === undefined).map(({ outcome }) => outcome), outcomes);
});
