import { assertEquals } from "@std/assert";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import type { CronJob } from "../../src/cronjob/api/cron_job.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import type { Cache } from "../../src/runtime/cache.ts";
import { reminders } from "../../src/notifications/reminders.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { NOTIFIED } from "./support/notifying.ts";
import { running } from "../support/running.ts";

function cronJob(name: string, inARow: number, uid = name): [string, CronJob] {
  const annotations = { [NOTIFIED]: JSON.stringify({ uid, inARow, toldAt: "2026-03-10T12:00:00Z", failures: [] }) };
  const metadata = { namespace: "shop", name, uid: name, annotations };
  return [name, readCronJob(BATCH, { metadata, spec: { schedule: "* * * * *" } } as unknown as CronJobObject)];
}

test("an annotation that is no record does not end the program", async () => {
  const clock = new FakeClock();
  const failures = [{ uid: { toString: 1 }, endTime: "2026-03-10T12:00:00Z" }];
  const [name, odd] = cronJob("odd", 1);
  Object.assign(odd.metadata.annotations!, {
    [NOTIFIED]: JSON.stringify({ uid: name, inARow: 1, toldAt: "2026-03-10T12:00:00Z", failures }),
  });
  const cronJobs = { store: new Map([[name, odd]]) } as unknown as Cache<CronJob>;
  const looks: number[] = [];
  const reminding = reminders({
    clock,
    followed: [{ flavour: BATCH, cronJobs, health: [], isOurs: () => true }],
    remindersOf: (failing) => {
      looks.push(failing.length);
      throw new Error("no");
    },
    send: () => Promise.resolve(),
  });
  await using _ = running(reminding);
  await clock.advance(1_000);
  await clock.advance(60_000);
  assertEquals(looks, [1, 1]);
});

test("each minute the leader says which CronJobs fail, of its own, and goes on if that is refused", async () => {
  const clock = new FakeClock();
  const store = new Map([
    cronJob("fails", 2),
    cronJob("recovered", 0),
    cronJob("foreign", 1),
    cronJob("copy", 2, "fails"),
    cronJob("also", 1),
  ]);
  const cronJobs = { store } as unknown as Cache<CronJob>;
  const sent: string[] = [];
  const leading = { isLeader: true, ready: () => Promise.resolve() };
  const reminding = reminders({
    clock,
    followed: [{ flavour: BATCH, cronJobs, health: [], isOurs: ({ metadata }) => metadata.name !== "foreign" }],
    leading,
    remindersOf: (failing) => failing.map(({ cronJob }) => ({ url: new URL(`http://h/${cronJob.name}`) })),
    send: ({ url }) => {
      sent.push(url.pathname);
      return sent.length === 1 ? Promise.reject(new Error("no")) : Promise.resolve();
    },
  });
  await using _ = running(reminding);
  await clock.advance(1_000);
  assertEquals(sent, ["/fails", "/also"], "what is refused holds up nothing else");
  await clock.advance(60_000);
  assertEquals(sent, ["/fails", "/also", "/fails", "/also"]);
  leading.isLeader = false;
  await clock.advance(60_000);
  assertEquals(sent.length, 4);
});
