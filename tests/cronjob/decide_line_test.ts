// Every policy with every way to catch up, where a run takes longer than its interval, and after an outage.
import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { decide } from "../../src/cronjob/decide.ts";
import { find } from "../../src/cronjob/decision/find.ts";
import { stillWaiting, timesOf } from "../../src/cronjob/decision/line.ts";
import { scheduledTimeOf } from "../../src/cronjob/decision/run_request.ts";
import { statusFor } from "../../src/cronjob/status/status.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import { type Row, table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { clockOf, type Given, world } from "./support/world.ts";

const POLICIES = ["Allow", "Forbid", "Replace", "Queue"] as const;
const CATCH_UPS = {
  "None": { policy: "None" },
  "Latest": { policy: "Latest" },
  "All": { policy: "All" },
  "All, three at a time": { policy: "All", maxParallel: 3 },
} as const satisfies Record<string, CronJobSpec["catchUp"]>;

type Policy = (typeof POLICIES)[number];
type CatchUp = keyof typeof CATCH_UPS;
type Expected = Readonly<Record<Policy, Readonly<Record<CatchUp, string>> | string>>;

/** `10:00 starts`, `11:00 starts for 09:00`, `10:00 waits for 09:00`, and in brackets what is recorded as waiting. */
function inWords(given: Given): string {
  const findings = find(world(TUTORIAL, given));
  const { scheduled, start } = findings;
  const waiting = [...timesOf(start.schedule!, stillWaiting(findings))].map(clockOf);
  const line = waiting.length === 0 ? "" : ` [${waiting.join(" ")}]`;
  if (scheduled.kind === "none") return `nothing${line}`;
  const time = clockOf(scheduledTimeOf(scheduled.request)!);
  const jobs = (children: readonly { scheduledTime: number | undefined }[]) =>
    children.map(({ scheduledTime }) => clockOf(scheduledTime!)).join(" ");
  if (scheduled.kind === "wait") return `${time} waits for ${jobs(scheduled.by)}${line}`;
  if (scheduled.kind !== "start") return `${time} ${scheduled.kind}${line}`;
  return scheduled.replaces.length === 0
    ? `${time} starts${line}`
    : `${time} starts for ${jobs(scheduled.replaces)}${line}`;
}

function combined(name: string, given: Given, expected: Expected): void {
  const rows = POLICIES.flatMap((concurrencyPolicy) =>
    (Object.keys(CATCH_UPS) as CatchUp[]).map((catchUp): Row<[Given, string]> => {
      const wanted = expected[concurrencyPolicy];
      const isQueued = concurrencyPolicy === "Queue" && given.status?.waiting !== undefined;
      const status = { ...given.status, ...isQueued && { queuedScheduleTime: "2026-03-10T10:00:00Z" } };
      return [
        `${concurrencyPolicy}, ${catchUp}`,
        { ...given, status, spec: { ...given.spec, concurrencyPolicy, catchUp: CATCH_UPS[catchUp] } },
        typeof wanted === "string" ? wanted : wanted[catchUp],
      ];
    })
  );
  table(name, rows, (given, wanted) => assertEquals(inWords(given), wanted));
}

const stretch = (after: string, before: string) => ({
  after: `2026-03-10T${after}Z`,
  before: `2026-03-10T${before}Z`,
});
const alone = (time: string) => ({ None: time, Latest: time });

combined(
  "A time that comes while the run before is active",
  { last: "09:00", now: "10:00", jobs: [{ time: "09:00" }] },
  {
    Allow: "10:00 starts",
    Forbid: {
      ...alone("10:00 waits for 09:00"),
      "All": "10:00 waits for 09:00 [10:00]",
      "All, three at a time": "10:00 waits for 09:00 [10:00]",
    },
    Replace: "10:00 starts for 09:00",
    Queue: {
      ...alone("10:00 waits for 09:00"),
      "All": "10:00 waits for 09:00 [10:00]",
      "All, three at a time": "10:00 waits for 09:00 [10:00]",
    },
  },
);

const waiting = { waiting: [stretch("09:00:00", "10:00:01")] };
const line = {
  "All": "10:00 waits for 09:00 [10:00 11:00]",
  "All, three at a time": "10:00 waits for 09:00 [10:00 11:00]",
};

combined(
  "The next time that comes while a run waits",
  { last: "09:00", now: "11:00", jobs: [{ time: "09:00" }], status: waiting },
  {
    Allow: { ...alone("11:00 starts"), "All": "11:00 starts [10:00]", "All, three at a time": "11:00 starts [10:00]" },
    Forbid: { ...alone("11:00 waits for 09:00"), ...line },
    Replace: {
      ...alone("11:00 starts for 09:00"),
      "All": "11:00 starts for 09:00 [10:00]",
      "All, three at a time": "11:00 starts for 09:00 [10:00]",
    },
    Queue: { ...alone("11:00 waits for 09:00"), ...line },
  },
);

combined(
  "The active run ends while a run waits, and its deadline is long over",
  {
    last: "09:00",
    now: "10:40",
    jobs: [{ time: "09:00", state: "succeeded" }],
    status: waiting,
    spec: { startingDeadlineSeconds: 60 },
  },
  {
    Allow: { ...alone("nothing"), "All": "10:00 starts [10:00]", "All, three at a time": "10:00 starts [10:00]" },
    Forbid: { ...alone("nothing"), "All": "10:00 starts [10:00]", "All, three at a time": "10:00 starts [10:00]" },
    Replace: { ...alone("nothing"), "All": "10:00 starts [10:00]", "All, three at a time": "10:00 starts [10:00]" },
    Queue: { ...alone("10:00 starts"), "All": "10:00 starts [10:00]", "All, three at a time": "10:00 starts [10:00]" },
  },
);

const outage = { created: "04:30", last: "05:00", now: "09:10" };
const whole = {
  "All": "06:00 starts [06:00 07:00 08:00 09:00]",
  "All, three at a time": "06:00 starts [06:00 07:00 08:00 09:00]",
};

combined("After an outage of hours nothing is active", outage, {
  Allow: { None: "nothing", Latest: "09:00 starts", ...whole },
  Forbid: { None: "nothing", Latest: "09:00 starts", ...whole },
  Replace: { None: "nothing", Latest: "09:00 starts", ...whole },
  Queue: { None: "nothing", Latest: "09:00 starts", ...whole },
});

const begun = {
  created: "04:30",
  last: "06:00",
  now: "09:10",
  jobs: [{ time: "06:00" }],
  status: { waiting: [stretch("06:00:00", "09:00:01")] },
};
const held = "07:00 waits for 06:00 [07:00 08:00 09:00]";
const beside = "07:00 starts [07:00 08:00 09:00]";

combined("The first of a line is active", begun, {
  Allow: { None: "nothing", Latest: "09:00 starts", "All": held, "All, three at a time": beside },
  Forbid: { None: "nothing", Latest: "09:00 waits for 06:00", "All": held, "All, three at a time": held },
  Replace: { None: "nothing", Latest: "09:00 starts for 06:00", "All": held, "All, three at a time": held },
  Queue: { None: "nothing", Latest: "09:00 waits for 06:00", "All": held, "All, three at a time": held },
});

const rows: readonly Row<[Given, CronJobSpec["catchUp"], string]>[] = [
  [
    "a run in its way that hangs is no older one: it starts",
    { ...begun, last: "10:00", now: "10:10", jobs: [{ time: "10:00" }] },
    { policy: "All" },
    "07:00 starts [07:00 08:00 09:00]",
  ],
  [
    "what has started beside it comes before what was missed later",
    { ...begun, last: "10:00", now: "12:10", jobs: [{ time: "06:00", state: "succeeded" }, { time: "10:00" }] },
    { policy: "All" },
    "07:00 starts [07:00 08:00 09:00 11:00 12:00]",
  ],
  [
    "what is older than one of the line that was started is done, though its Job is gone",
    { ...begun, last: "10:00", now: "10:10", jobs: [{ time: "08:00", state: "succeeded" }] },
    { policy: "All" },
    "09:00 starts [09:00]",
  ],
  [
    "a time of a later stretch that was started leaves the older ones waiting",
    {
      ...begun,
      last: "10:00",
      now: "11:10",
      jobs: [{ time: "11:00", state: "succeeded" }],
      status: { waiting: [stretch("06:00:00", "09:00:01"), stretch("10:00:00", "11:00:01")] },
    },
    { policy: "All" },
    "07:00 starts [07:00 08:00 09:00]",
  ],
  [
    "what joins late obeys the window, what waits does not",
    { ...begun, last: "06:00", now: "13:10" },
    { policy: "All", windowSeconds: 7_200 },
    "07:00 waits for 06:00 [07:00 08:00 09:00 12:00 13:00]",
  ],
  [
    "maxRuns keeps the newest",
    { ...begun, now: "11:10" },
    { policy: "All", maxRuns: 3 },
    "09:00 waits for 06:00 [09:00 10:00 11:00]",
  ],
  [
    "maxRuns counts the run that has just come, which starts beside the others",
    { ...begun, now: "11:00" },
    { policy: "All", maxRuns: 3 },
    "11:00 starts [09:00 10:00]",
  ],
  [
    "maxRuns that was lowered keeps the newest too",
    { ...begun, jobs: [{ time: "06:00", state: "succeeded" }] },
    { policy: "All", maxRuns: 1 },
    "09:00 starts [09:00]",
  ],
  [
    "a run that starts at its time takes no other's place",
    { ...begun, last: "09:00", now: "10:00", status: { waiting: [stretch("06:00:00", "07:00:01")] } },
    { policy: "All", maxRuns: 1 },
    "10:00 starts [07:00]",
  ],
  [
    "a run that starts at its own moment of a spread is punctual, and passes what waits",
    {
      ...begun,
      uid: "a",
      last: "09:00",
      now: "10:05:15",
      spec: { spreadSeconds: 600 },
      status: { waiting: [stretch("06:00:00", "07:00:01")] },
    },
    { policy: "All" },
    "10:00 starts [07:00]",
  ],
  [
    "keeps what a clock recorded that was ahead",
    {
      ...begun,
      last: "12:00",
      now: "07:30",
      jobs: [{ time: "06:00", state: "succeeded" }],
      status: { waiting: [stretch("06:00:00", "07:00:01"), stretch("09:00:00", "11:00:01")] },
    },
    { policy: "All" },
    "07:00 starts [07:00 10:00 11:00]",
  ],
  [
    "where nothing can be recorded the oldest starts, also when another has just come",
    { ...outage, now: "09:00", memory: { isUnrecordable: true } },
    { policy: "All" },
    "06:00 starts [06:00 07:00 08:00 09:00]",
  ],
  [
    "is empty once catchUp says Latest",
    { ...begun, last: "09:00", now: "09:10" },
    { policy: "Latest" },
    "nothing",
  ],
  [
    "waits on while it is suspended",
    { ...begun, spec: { suspend: true } },
    { policy: "All" },
    "nothing [07:00 08:00 09:00]",
  ],
  [
    "ends with an edit of the schedule",
    {
      ...begun,
      generation: 2,
      schedule: "30 * * * *",
      written: [{ at: "09:05", fields: ["schedule"] }],
      status: { ...begun.status, schedule: { text: "0 * * * *", since: "2026-03-10T04:30:00Z" } },
    },
    { policy: "All" },
    "nothing",
  ],
];

table("A line", rows, (given, catchUp, wanted) => {
  assertEquals(inWords({ ...given, spec: { ...given.spec, catchUp } }), wanted);
});

table("What waits is recorded in as few stretches as it takes", [
  ["of hours", "0 * * * *", "09:00:01"],
  ["of an interval", "@every 1h", "09:00:01"],
], (schedule, before) => {
  const parts = [stretch("06:00:00", "07:00:01"), stretch("07:00:00", "08:00:01")];
  const findings = find(world(TUTORIAL, {
    ...begun,
    created: "05:00",
    schedule,
    status: { waiting: parts },
    spec: { concurrencyPolicy: "Forbid", catchUp: { policy: "All" } },
  }));
  assertEquals(statusFor(findings).status.waiting, [stretch("06:00:00", before)]);
});

test("Under Allow a run that passed the line, and that this process did not know of, ends no older one", () => {
  // Another controller recorded 06:00 as waiting, and started 07:00 at its time.
  const given = (jobs: Given["jobs"], waiting: readonly ReturnType<typeof stretch>[]) =>
    find(world(TUTORIAL, {
      created: "04:30",
      last: "05:00",
      now: "08:00",
      jobs,
      status: { waiting },
      spec: { catchUp: { policy: "All" } },
    }));
  const unaware = given([], [stretch("05:00:00", "07:00:00")]);
  assertEquals(unaware.scheduled.kind === "start" && clockOf(scheduledTimeOf(unaware.scheduled.request)!), "08:00");
  const { waiting } = statusFor(unaware).status;
  assertEquals(waiting, [stretch("05:00:00", "07:00:00"), stretch("06:00:00", "08:00:00")]);
  const aware = given([{ time: "07:00" }, { time: "08:00" }], [...waiting!]);
  assertEquals(aware.scheduled.kind === "start" && clockOf(scheduledTimeOf(aware.scheduled.request)!), "06:00");
});

test("Of many that wait under Allow the oldest stretches become one", () => {
  const parts = Array.from({ length: 14 }, (_, hour) => {
    const [after, before] = [hour, hour + 1].map((h) => `${String(h).padStart(2, "0")}:00:0`);
    return stretch(`${after}0`, `${before}1`);
  });
  const findings = find(world(TUTORIAL, {
    created: "03-09 12:00",
    last: "00:00",
    now: "14:30",
    jobs: [],
    status: { waiting: parts },
    spec: { catchUp: { policy: "All", maxParallel: 1 } },
    refusal: { jobName: "report-1773104400", message: "quota" },
  }));
  assertEquals(statusFor(findings).status.waiting, [stretch("00:00:00", "05:00:01"), ...parts.slice(5)]);
});

table("What waits is recorded before a run starts where it would not be found again", [
  ["not as the oldest starts", {}, {}, false],
  ["as a run starts at its time", { now: "09:00" }, {}, true],
  ["as a deadline would leave it out later", {}, { startingDeadlineSeconds: 86_400 }, true],
  ["as maxRuns has no more room for what waited first", { ...begun, jobs: [] }, {
    catchUp: { policy: "All", maxRuns: 1 },
  }, true],
  ["not where that is refused", { now: "09:00", memory: { isUnrecordable: true } }, {}, false],
], (given, spec, isRecorded) => {
  const plan = decide(world(TUTORIAL, { ...outage, ...given, spec: { catchUp: { policy: "All" }, ...spec } }));
  assertEquals(plan.kind === "start" && plan.recordFirst !== undefined, isRecorded);
});

table("A time that maxRuns has no more room for was skipped, and is counted once", [
  ["though others were recorded as well", 0],
  ["though its record has dropped off, as newer ones took its place", 10],
], (records) => {
  const newer = Array.from({ length: records }, (_, minute) => ({
    scheduledTime: `2026-03-10T09:${10 + minute}:00Z`,
    trigger: "Schedule" as const,
    outcome: "Succeeded" as const,
  }));
  const findings = find(world(TUTORIAL, {
    ...begun,
    now: "10:10",
    spec: { concurrencyPolicy: "Queue", catchUp: { policy: "All", maxRuns: 2 } },
    status: {
      ...begun.status,
      counts: { succeeded: 1, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 },
      recentRuns: records > 0 ? newer : [
        { scheduledTime: "2026-03-10T07:00:00Z", trigger: "Schedule", outcome: "Waiting", reason: "JobQueued" },
      ],
    },
  }));
  const { counts, recentRuns } = statusFor(findings).status;
  assertEquals({ missed: counts!.missed, skipped: counts!.skipped }, { missed: 0, skipped: 2 });
  if (records > 0) return;
  const told = recentRuns!.map((
    { scheduledTime, outcome, reason },
  ) => [clockOf(Date.parse(scheduledTime!)), outcome, reason]);
  assertEquals(told, [
    ["09:00", "Waiting", "JobQueued"],
    ["08:00", "Skipped", "Superseded"],
    ["07:00", "Skipped", "Superseded"],
    ["06:00", "Running", undefined],
  ]);
});

test("A run that has just come and needs all the room of a line starts, and what waited was skipped", () => {
  const findings = find(world(TUTORIAL, { ...begun, now: "11:00", spec: { catchUp: { policy: "All", maxRuns: 1 } } }));
  assertEquals(findings.scheduled.kind === "start" && clockOf(findings.scheduled.request.scheduledTime), "11:00");
  assertEquals(statusFor(findings).status.counts?.skipped, 3);
  assertEquals(statusFor(findings).status.waiting, undefined);
});

const dropped: readonly Row<[Partial<Given>, string, { missed: number; skipped: number }]>[] = [
  ["all of it, where a later time has started", { last: "09:00" }, "nothing", { missed: 0, skipped: 3 }],
  ["all but the latest, which still waits", {}, "09:00 waits for 06:00", { missed: 0, skipped: 2 }],
  [
    "all but one that was started out of turn",
    { last: "08:00", jobs: [{ time: "06:00" }, { time: "08:00" }] },
    "09:00 waits for 06:00 08:00",
    { missed: 0, skipped: 1 },
  ],
  [
    "all but the latest, which is too late",
    { spec: { startingDeadlineSeconds: 60 } },
    "nothing",
    { missed: 1, skipped: 2 },
  ],
  [
    "what has come this very instant, while it is suspended",
    { last: "08:00", now: "09:00", spec: { suspend: true }, status: { waiting: [stretch("08:00:00", "09:00:01")] } },
    "nothing",
    { missed: 0, skipped: 1 },
  ],
  ["not what is still to come", { last: "09:00", now: "07:30" }, "nothing", { missed: 0, skipped: 1 }],
];

table(
  "What waited is skipped once catchUp says Latest, but for what is decided of it now",
  dropped,
  (given, wanted, counted) => {
    const spec = { concurrencyPolicy: "Forbid", ...given.spec } as const;
    const edited = { ...begun, now: "09:10", ...given, spec };
    assertEquals(inWords(edited), wanted);
    const { status } = statusFor(find(world(TUTORIAL, edited)));
    assertEquals({ missed: status.counts?.missed, skipped: status.counts?.skipped }, counted);
    const again = statusFor(find(world(TUTORIAL, { ...edited, status }))).status.counts;
    assertEquals({ missed: again?.missed, skipped: again?.skipped }, counted);
  },
);

test("A status that others wrote may name a year as waiting: the run that is due starts, and ten thousand are counted", () => {
  for (const schedule of ["* * * * *", "@every 1m"]) {
    const plan = decide(world(TUTORIAL, {
      schedule,
      spec: { catchUp: { policy: "All" } },
      created: "01-01 00:00",
      last: "01-01 01:00",
      now: "12-10 00:00",
      status: {
        waiting: [{ after: "2026-01-01T01:00:00Z", before: "2026-12-09T00:00:00Z" }],
        schedule: { text: schedule, since: "2026-01-01T00:00:00Z" },
        counts: { succeeded: 0, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 },
        observedGeneration: 1,
      },
    }));
    const { request, recordFirst } = plan as Extract<typeof plan, { kind: "start" }>;
    assertEquals(
      [plan.kind, clockOf(scheduledTimeOf(request)!), recordFirst?.records.status?.counts?.skipped],
      ["start", "12-10 00:00", 10_000],
    );
  }
});
