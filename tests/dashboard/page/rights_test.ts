import { assertEquals } from "@std/assert";
import {
  actionsOn,
  hasForeignHold,
  isFirst,
  jobToDelete,
  remedyOn,
  withoutButton,
} from "../../../src/dashboard/page/model/rights.ts";
import type { RightsAnswer } from "../../../src/dashboard/wire.ts";
import { RIGHTS, row } from "../browser/support/sample_fleet.ts";
import { test } from "../../support/test.ts";

/** The actions on a row, those in capitals that help against its state. */
function offered(given: Parameters<typeof row>[0]): string {
  const of = row(given);
  return actionsOn(of, RIGHTS).map((name) => isFirst(of, name) ? name.toUpperCase() : name).join(" ");
}

test("only actions that help against a state are remedies", () => {
  const rows: readonly (readonly [Parameters<typeof row>[0], string])[] = [
    [{ name: "a", state: "Missed", actions: [{ do: "RunNow" }] }, "RUN pause backfill"],
    [{ name: "a", state: "Invalid", actions: [{ do: "CorrectSpec" }] }, "run pause backfill"],
    [{ name: "a", state: "Blocked", actions: [{ do: "Wait", job: "a-1" }] }, "run pause delete-job backfill"],
    [
      { name: "a", state: "Pending", actions: [{ do: "DeleteJob", job: "a-1" }] },
      "DELETE-JOB run pause backfill",
    ],
    [{ name: "a", state: "Suspended", actions: [{ do: "Unsuspend", in: "spec" }] }, "RESUME run backfill"],
    [{ name: "a", state: "Paused", actions: [{ do: "EndPauseInSpec" }] }, "RESUME run backfill"],
    [{ name: "a", state: "Waiting", backfill: { id: "b", done: 1, of: 8 } }, "run pause backfill cancel-backfill"],
  ];
  for (const [given, expected] of rows) assertEquals(offered(given), expected, JSON.stringify(given));
});

test("what no button of a visitor does is shown as one types it", () => {
  const of = row({
    name: "a",
    state: "Failing",
    actions: [{ do: "ReadLogs", job: "a-1" }, { do: "RunNow" }, { do: "LookAtController" }],
  });
  const shown = (rights: RightsAnswer) => [remedyOn(of, rights), ...withoutButton(of, rights)];
  const look = "check that exactly one controller runs, and read its log";
  assertEquals(shown(RIGHTS), ["logs", look]);
  assertEquals(shown({ ...RIGHTS, mayReadLogs: false }), ["run", "kubectl logs job/a-1 -n default", look]);
  const none = { actions: {}, mayReadLogs: false };
  const commands = ["kubectl logs job/a-1 -n default", "cronjob-controller trigger a -n default", look];
  assertEquals(shown(none), ["explain", ...commands]);
});

test("a button that helps less does not stand for a remedy to type", () => {
  const job = "a-1";
  const stuck = row({ name: "a", state: "Pending", actions: [{ do: "CreateMissing" }, { do: "DeleteJob", job }] });
  assertEquals([remedyOn(stuck, RIGHTS), isFirst(stuck, "delete-job")], ["explain", false]);
  const hung = row({ name: "a", state: "Blocked", actions: [{ do: "Wait", job }, { do: "DeleteJob", job }] });
  assertEquals([remedyOn(hung, RIGHTS), isFirst(hung, "delete-job")], ["delete-job", true]);
});

test("a Job that others wait for can be deleted", () => {
  assertEquals(jobToDelete(row({ name: "a", state: "Blocked", actions: [{ do: "Wait", job: "a-1" }] })), "a-1");
  assertEquals(jobToDelete(row({ name: "a", state: "Failing", actions: [{ do: "RunNow" }] })), undefined);
});

test("a pause that does not say whose it is ends as a hold that others wrote", () => {
  const paused = (by: string | undefined) => row({ name: "a", state: "Paused", actions: [{ do: "Resume", by }] });
  assertEquals([undefined, "ben"].map((by) => hasForeignHold(paused(by))), [true, false]);
});
