import { assertEquals } from "@std/assert";
import { lookAt } from "../../src/view/look.ts";
import { runHistory } from "../../src/view/run_history.ts";
import { BATCH, world } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";
import { event } from "./support/facts.ts";

table("an Event says of a time without a Job what became of it, if its reason is that of a refusal", [
  ["a refusal", "JobAlreadyActive", ["Skipped"]],
  ["another reason", "UnknownThing", []],
  ["a member of every object", "constructor", []],
], (reason, outcomes) => {
  const { cronJob, jobs, now } = world(BATCH, { last: "10:00", now: "10:10", jobs: [{ time: "10:00" }] });
  const events = [event(reason, "the run of 09:00", "09:00")];
  const runs = runHistory(lookAt({ cronJob, jobs, now, events }));
  assertEquals(runs.filter(({ job }) => job === undefined).map(({ outcome }) => outcome), outcomes);
});
