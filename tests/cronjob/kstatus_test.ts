// What Helm, Flux and others that go by kstatus make of CronJobs.
import { assertEquals } from "@std/assert";
import { DEFINED_FLAVOURS } from "../../src/cronjob/api/crd.ts";
import { PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { kstatusOf } from "../support/kstatus.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { asLeft } from "./support/as_left.ts";
import { History } from "./support/history.ts";
import type { Given } from "./support/world.ts";

type Rest = "Suspended" | "Paused" | "PausedAfterFailures" | "Ended" | "Excluded";

function lookedAt(given: Partial<Given>, api = PRODUCTION): CronJobObject {
  return asLeft({ now: "09:30", ...given }, api);
}

function reasonsOf({ status }: CronJobObject): Record<string, string> {
  const conditions = status?.conditions ?? [];
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const FAILED: Partial<Given> = {
  last: "09:00",
  jobs: ["08:00", "09:00"].map((time) => ({ time, state: "failed" })),
};

table<[Rest, Partial<Given>]>(
  "a CronJob that its author lets rest is Current, and says so by the condition Suspended",
  [
    ["suspended", "Suspended", { spec: { suspend: true } }],
    ["suspended, with a schedule that cannot be read", "Suspended", {
      schedule: "60 * * * *",
      spec: { suspend: true },
    }],
    ["paused", "Paused", { spec: { pause: { reason: "migration" } } }],
    ["paused after failures", "PausedAfterFailures", { ...FAILED, spec: { pauseAfterFailures: 2 } }],
    ["ended", "Ended", { spec: { endTime: "2026-03-10T08:00:00Z" } }],
    ["excluded", "Excluded", { spec: { exclude: [{ schedule: "* * * * *" }] } }],
  ],
  (reason, given) => {
    const object = lookedAt(given);
    assertEquals(kstatusOf(object), { status: "Current", message: "Resource is current" });
    const { Ready, Suspended, Stalled } = reasonsOf(object);
    assertEquals([Ready, Suspended, Stalled], [`True ${reason}`, `True ${reason}`, undefined]);
  },
);

table<[Partial<Given>]>(
  "a CronJob whose schedule is followed is Current",
  [
    ["waiting for its time", {}],
    ["running", { now: "09:00", last: "09:00", jobs: [{ time: "09:00" }] }],
    ["overdue", { last: "08:00", jobs: [{ time: "08:00" }], spec: { concurrencyPolicy: "Forbid" } }],
    ["failing", FAILED],
  ],
  (given) => {
    const object = lookedAt(given);
    assertEquals(kstatusOf(object).status, "Current");
    const { Ready, Suspended, Stalled } = reasonsOf(object);
    assertEquals([Ready, Suspended, Stalled], ["True Scheduled", "False NotRequested", undefined]);
  },
);

table<[string, Partial<Given>]>(
  "a CronJob that its author has to mend has Failed",
  [
    ["its schedule cannot be read", "UnparseableSchedule", { schedule: "60 * * * *" }],
    ["its schedule never comes", "InvalidSchedule", { schedule: "0 0 31 2 *" }],
    ["its time zone is not known", "UnknownTimeZone", { spec: { timeZone: "Europe/Atlantis" } }],
    ["its exclusions cannot be read", "InvalidExclusion", { spec: { exclude: [{ schedule: "60 * * * *" }] } }],
    ["its end is no time", "InvalidTime", { spec: { endTime: "2026-03-10T08:00:00+99:00" } }],
    ["its name leaves no room", "NameTooLong", { name: "n".repeat(60) }],
    ["its end comes before its start", "NoScheduledTime", {
      spec: { startTime: "2026-03-12T00:00:00Z", endTime: "2026-03-11T00:00:00Z" },
    }],
    ["its deadline leaves no time", "NoTimeToStart", { spec: { startingDeadlineSeconds: 0 } }],
    ["it would start after more than a year", "SpreadTooLong", { spec: { spreadSeconds: 10 ** 9 } }],
  ],
  (reason, given) => {
    const object = lookedAt(given);
    const { Ready, Suspended, Stalled } = reasonsOf(object);
    assertEquals([Ready, Suspended, Stalled], [`False ${reason}`, "False NotRequested", `True ${reason}`]);
    const ready = object.status?.conditions?.find(({ type }) => type === "Ready");
    assertEquals(kstatusOf(object), { status: "Failed", message: ready!.message });
  },
);

test("a CronJob of the tutorial's that stops after too many missed times has Failed", () => {
  const object = lookedAt({ schedule: "* * * * *", created: "05:00" }, TUTORIAL);
  assertEquals(reasonsOf(object).Stalled, "True TooManyMissedTimes");
  assertEquals(kstatusOf(object).status, "Failed");
});

test("a CronJob that was mended is Current at the next look, and no longer Stalled", () => {
  const { status } = lookedAt({ schedule: "60 * * * *" });
  const mended = lookedAt({ status, generation: 2 });
  assertEquals([kstatusOf(mended).status, reasonsOf(mended).Stalled], ["Current", undefined]);
});

for (const api of DEFINED_FLAVOURS) {
  test(`Each write of a ${api.apiVersion} CronJob is observed by one write, with nothing due`, async () => {
    const history = new History({ api, spec: { schedule: "0 0 1 1 *" }, prompt: true });
    await history.act({ do: "wait", seconds: 1 });
    for (const suspend of [true, false]) {
      const before = history.server.requests.length;
      await history.act({ do: "suspend", suspend });
      await history.act({ do: "wait", seconds: 5 });
      assertEquals(history.server.requests.slice(before), ["replace cronjobs/status"]);
      const { status, message } = kstatusOf(history.cronJob);
      assertEquals(status, "Current", message);
      assertEquals(typeof history.cronJob.status?.observedGeneration, "number");
      await history.act({ do: "wait", seconds: 3600 });
      assertEquals(history.server.requests.slice(before), ["replace cronjobs/status"]);
    }
  });
}
