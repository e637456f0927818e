import { assertEquals, assertStringIncludes } from "@std/assert";
import { REPORTED_TROUBLES } from "../../src/cronjob/api/annotations.ts";
import type { CronJob } from "../../src/cronjob/api/cron_job.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { readCronJob, withType } from "../../src/cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import type { Trouble } from "../../src/cronjob/status/troubles.ts";
import { type ObjectKey, splitKey } from "../../src/kube/object.ts";
import type { Channel, Delivery } from "../../src/notifications/channel.ts";
import { type Notification, sentenceOf } from "../../src/notifications/notification.ts";
import { TroubleNotifier, type TroubleNotifierOptions } from "../../src/notifications/trouble_notifier.ts";
import { AnswerError } from "../../src/notifications/request.ts";
import { FakeApi, refusal } from "../runtime/support/fake_api.ts";
import { must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { putCronJob } from "./support/notifying.ts";

/** A process that reports troubles, on an API server in memory that outlives it. */
class Reporting implements AsyncDisposable {
  readonly reported: Notification[] = [];
  readonly sent: string[] = [];
  before: (notification: Notification) => Delivery | void | Promise<Delivery | void> = () => {};
  readonly notifier: TroubleNotifier;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(readonly clock = new FakeClock(), readonly api = new FakeApi(() => clock.now())) {
    const channel: Channel = {
      name: "webhook",
      deliver: async (notification) => {
        const delivery = await this.before(notification) ?? "sent";
        this.reported.push(notification);
        return delivery;
      },
    };
    this.notifier = new TroubleNotifier({
      client: api,
      clock,
      channel,
      kinds: ["late", "held"],
      observer: { notified: () => {}, sent: (cronJob) => void this.sent.push(cronJob) },
      followed: this.#followed(),
    });
    this.#ended = this.notifier.run(this.#stop.signal);
  }

  cronJob(name: string): CronJobObject {
    return putCronJob(this.api, name);
  }

  read(name: string): CronJob {
    const all = this.api.all(BATCH.resource, "shop") as CronJobObject[];
    return readCronJob(BATCH, withType(BATCH, must(all.find(({ metadata }) => metadata.name === name))));
  }

  /** The controller's cache, which shows at once what the API server has. */
  #followed(): TroubleNotifierOptions["followed"] {
    const store = { get: (key: ObjectKey) => this.api.peek(BATCH.resource, splitKey(key)) };
    return [{ flavour: BATCH, cronJobs: { store } }] as never;
  }

  late(id: string): Trouble {
    return { kind: "late", id, since: this.clock.now(), message: `The run of ${id} has not started` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(1_000_000);
    await this.#ended;
  }
}

function record(uid: string, late: string): string {
  return JSON.stringify({ uid, troubles: { late } });
}

test("a trouble is reported once within seconds, and again under another id alone", async () => {
  await using reporting = new Reporting();
  const { notifier, clock } = reporting;
  reporting.cronJob("report");
  for (let i = 0; i < 5; i++) {
    notifier.note(reporting.read("report"), [reporting.late("10:00")]);
    await clock.advance(2_000);
  }
  assertEquals(reporting.reported.map(sentenceOf), ["shop/report (late): The run of 10:00 has not started"]);
  assertEquals(reporting.read("report").metadata.annotations?.[REPORTED_TROUBLES], record("uid-1", "10:00"));
  notifier.note(reporting.read("report"), [reporting.late("11:00")]);
  await clock.advance(5_000);
  assertEquals(reporting.reported.length, 2);
});

test("a storm is one notification, which names the first", async () => {
  await using reporting = new Reporting();
  for (let i = 0; i < 500; i++) {
    reporting.cronJob(`report-${i}`);
    reporting.notifier.note(reporting.read(`report-${i}`), [reporting.late("10:00")]);
  }
  await reporting.clock.advance(10_000);
  const [storm, ...others] = reporting.reported.map(sentenceOf);
  assertEquals(others, []);
  assertEquals(reporting.sent, ["shop/report-0"]);
  assertStringIncludes(must(storm), "500 CronJobs (late): shop/report-0, shop/report-1, ");
  assertStringIncludes(must(storm), " and 490 more; of the first: The run of 10:00 has not started");
  assertEquals(reporting.read("report-499").metadata.annotations?.[REPORTED_TROUBLES], record("uid-500", "10:00"));
});

test("kinds that are not asked for are not reported, nor troubles of days ago unless they last", async () => {
  await using reporting = new Reporting();
  const { clock } = reporting;
  reporting.cronJob("report");
  const since = clock.now() - 48 * 60 * 60_000;
  reporting.notifier.note(reporting.read("report"), [
    { kind: "late", id: "4", since, foundAt: clock.now(), message: "found only now" },
    { kind: "slow", id: "1", since: clock.now(), message: "slow" },
    { kind: "late", id: "2", since, message: "late" },
    { kind: "held", id: "3", since, message: "RecordLost" },
  ]);
  await clock.advance(10_000);
  assertEquals(reporting.reported.map(sentenceOf).sort(), [
    "shop/report (held): RecordLost",
    "shop/report (late): found only now",
  ]);
});

test("a process that dies before the record reports the same under the same id, and the one after it reports nothing", async () => {
  const dying = new Reporting();
  const { api, clock } = dying;
  dying.cronJob("report");
  api.intercept = (verb) => {
    if (verb === "patch") throw refusal(500, "InternalError", "gone");
  };
  dying.notifier.note(dying.read("report"), [dying.late("10:00")]);
  await clock.advance(5_000);
  assertEquals(dying.reported.length, 1);
  await dying[Symbol.asyncDispose]();
  api.intercept = undefined;
  for (const expected of [1, 0]) {
    await using next = new Reporting(clock, api);
    next.notifier.note(next.read("report"), [next.late("10:00")]);
    await clock.advance(5_000);
    assertEquals(next.reported.map(({ id }) => id), dying.reported.slice(0, expected).map(({ id }) => id));
  }
});

test("a refused delivery is tried again as it was, and other kinds do not wait for it", async () => {
  await using reporting = new Reporting();
  const { notifier, clock } = reporting;
  reporting.cronJob("report");
  let tries = 0;
  reporting.before = () => {
    if (++tries <= 3) throw new Error("503");
  };
  notifier.note(reporting.read("report"), [reporting.late("10:00")]);
  await clock.advance(4_000);
  notifier.note(reporting.read("report"), [reporting.late("11:00")]);
  await clock.advance(60_000);
  assertEquals(tries > 3, true);
  assertEquals(reporting.reported.map(sentenceOf), [
    "shop/report (late): The run of 10:00 has not started",
    "shop/report (late): The run of 11:00 has not started",
  ]);
});

test("a trouble that ended before a receiver answers is not reported, nor that of a CronJob that is gone", async () => {
  await using reporting = new Reporting();
  const { notifier, clock, api } = reporting;
  for (const name of ["mended", "gone"]) reporting.cronJob(name);
  const held: Trouble = { kind: "held", id: "1", since: clock.now(), message: "RecordLost" };
  let isDown = true;
  reporting.before = () => {
    if (isDown) throw new Error("503");
  };
  notifier.note(reporting.read("mended"), [held]);
  notifier.note(reporting.read("gone"), [reporting.late("10:00")]);
  await clock.advance(10_000);
  notifier.note(reporting.read("mended"), []);
  api.remove(BATCH.resource, { namespace: "shop", name: "gone" });
  isDown = false;
  await clock.advance(600_000);
  assertEquals(reporting.reported.map(sentenceOf), []);
});

test("a trouble that lasts is reported to a receiver that is back after a day", async () => {
  await using reporting = new Reporting();
  const { notifier, clock } = reporting;
  reporting.cronJob("report");
  const held: Trouble = { kind: "held", id: "1", since: clock.now(), message: "RecordLost" };
  let isDown = true;
  reporting.before = () => {
    if (isDown) throw new Error("503");
  };
  notifier.note(reporting.read("report"), [held, reporting.late("10:00")]);
  for (let hours = 0; hours < 26; hours++) await clock.advance(3_600_000);
  isDown = false;
  await clock.advance(600_000);
  assertEquals(reporting.reported.map(sentenceOf), ["shop/report (held): RecordLost"]);
});

test("each trouble is reported that came while a receiver was down, and a refused report is dropped", async () => {
  await using reporting = new Reporting();
  const { notifier, clock } = reporting;
  reporting.cronJob("report");
  let error: Error | undefined = new Error("503");
  reporting.before = () => {
    if (error) throw error;
  };
  for (const time of ["10:00", "11:00"]) {
    notifier.note(reporting.read("report"), [reporting.late(time)]);
    await clock.advance(60_000);
  }
  error = undefined;
  await clock.advance(600_000);
  assertEquals(reporting.reported.map(sentenceOf), [
    "shop/report (late): The run of 10:00 has not started",
    "shop/report (late): The run of 11:00 has not started",
  ]);
  error = new AnswerError(new URL("https://receiver.test"), 400);
  notifier.note(reporting.read("report"), [reporting.late("12:00")]);
  await clock.advance(10_000);
  error = undefined;
  notifier.note(reporting.read("report"), [reporting.late("13:00")]);
  await clock.advance(10_000);
  assertEquals(reporting.reported.slice(2).map(sentenceOf), ["shop/report (late): The run of 13:00 has not started"]);
});

test("a receiver that refuses the address or the credentials gets the report once that is mended", async () => {
  await using reporting = new Reporting();
  const { notifier, clock } = reporting;
  reporting.cronJob("report");
  const answers = [401, 403, 404];
  reporting.before = () => {
    const status = answers.shift();
    if (status !== undefined) throw new AnswerError(new URL("https://receiver.test"), status);
  };
  notifier.note(reporting.read("report"), [reporting.late("10:00")]);
  await clock.advance(60_000);
  assertEquals(reporting.reported.map(sentenceOf), ["shop/report (late): The run of 10:00 has not started"]);
});

test("a record that the API server refuses for a while is written later, and a copy does not inherit it", async () => {
  await using reporting = new Reporting();
  const { notifier, clock, api } = reporting;
  const { metadata } = reporting.cronJob("report");
  api.intercept = (verb) => {
    if (verb === "patch") throw refusal(500, "InternalError", "not now");
  };
  notifier.note(reporting.read("report"), [reporting.late("10:00")]);
  await clock.advance(30_000);
  api.intercept = undefined;
  await clock.advance(30_000);
  const { annotations } = reporting.read("report").metadata;
  assertEquals(annotations?.[REPORTED_TROUBLES], record(metadata.uid, "10:00"));
  const copy = reporting.cronJob("copy");
  api.put(BATCH.resource, { ...copy, metadata: { ...copy.metadata, annotations } } as never);
  notifier.note(reporting.read("copy"), [reporting.late("10:00")]);
  await clock.advance(5_000);
  assertEquals(reporting.reported.map(sentenceOf).at(-1), "shop/copy (late): The run of 10:00 has not started");
});

test("a delivery that takes long keeps what was recorded of another kind meanwhile", async () => {
  await using reporting = new Reporting();
  const { notifier, clock } = reporting;
  reporting.cronJob("report");
  reporting.before = ({ kind }) => kind === "held" ? clock.sleep(10_000) : undefined;
  const troubles: Trouble[] = [
    reporting.late("10:00"),
    { kind: "held", id: "1", since: clock.now(), message: "RecordLost" },
  ];
  for (let i = 0; i < 4; i++) {
    notifier.note(reporting.read("report"), troubles);
    await clock.advance(5_000);
  }
  assertEquals(reporting.reported.map(({ kind }) => kind), ["late", "held"]);
  assertEquals(reporting.sent, ["shop/report", "shop/report"]);
  const { annotations } = reporting.read("report").metadata;
  assertEquals(JSON.parse(must(annotations?.[REPORTED_TROUBLES])).troubles, { late: "10:00", held: "1" });
});
