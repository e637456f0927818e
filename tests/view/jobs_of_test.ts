import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { jobsOf } from "../../src/view/jobs_of.ts";
import { world } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";

table("a Job that the status lists as active is the CronJob's, though it no longer names it", [
  ["by its uid", {}, true],
  ["no other one that was made under its name", { uid: "another" }, false],
  ["none of another namespace", { namespace: "other" }, false],
], (differs, isIts) => {
  const { cronJob, jobs: [job] } = world(TUTORIAL, { now: "10:30", jobs: [{ time: "10:00" }] });
  const found = { ...job!, metadata: { ...job!.metadata, ...differs } };
  assertEquals(jobsOf(cronJob, [], () => found), isIts ? [found] : []);
});
