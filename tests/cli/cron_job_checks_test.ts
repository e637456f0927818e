// How the embedded API server refuses CronJobs that the controller could not follow.
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { cronJobChecks } from "../../src/cli/standalone/cron_job_rules.ts";
import { DEFINED_FLAVOURS, definitionOf } from "../../src/cronjob/api/crd.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobSpec } from "../../src/cronjob/api/types.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { CheckOfServer } from "../../src/apiserver/resource_kind.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { Running } from "../cronjob/support/running.ts";
import { Kubectl } from "../support/kubectl.ts";
import { test } from "../support/test.ts";

const REFUSED: readonly [spec: Partial<CronJobSpec>, message: string][] = [
  [{ schedule: "0 25 * * *" }, 'spec.schedule: Invalid value: hour "25": must be 0-23'],
  [
    { schedule: "0 9 * * FRI-MON" },
    'spec.schedule: Invalid value: day-of-week "FRI-MON": a range must rise; write FRI-SAT,SUN-MON',
  ],
  [
    { timeZone: "berlin" },
    'spec.timeZone: Invalid value: time-zone "berlin": must be a name of the tz database such as Europe/Berlin; ' +
    "did you mean Europe/Berlin?",
  ],
  [
    { schedules: [{ schedule: "0 9 * * *" }, { schedule: "0 0 * * 8" }] },
    'spec.schedules[1].schedule: Invalid value: day-of-week "8": must be 0-7 or SUN-SAT (0 and 7 are Sunday), FRI#2 or FRIL',
  ],
  [
    { exclude: [{ dates: ["2026-12-25", "2026-13-01"] }] },
    'spec.exclude[0].dates[1]: Invalid value: "2026-13-01": must be a date such as 2026-12-25, or ' +
    "--12-31 for each year",
  ],
];

for (const flavour of DEFINED_FLAVOURS) {
  test(`A refusal of a schedule, a zone or an exclusion is the parser's sentence: ${flavour.controllerName}`, async () => {
    await using running = await Running.start("2026-03-10T09:30:00Z", {
      controller: false,
      checks: cronJobChecks([flavour]),
    });
    for (const [spec, message] of REFUSED) {
      const error = await assertRejects(() => running.create(flavour, spec), ApiError);
      assertEquals([error.code, error.message.split(" is invalid: ")[1]], [422, message]);
    }
  });

  test(`kubectl apply of the definition warns of no rules that a check stands for: ${flavour.controllerName}`, async () => {
    const apply = async (checks: Record<string, CheckOfServer>) => {
      await using api = await startTestApiServer({ checks });
      const kubectl = new Kubectl(api.server.kubeconfigPath);
      const args = ["apply", "--server-side", "-f", "-"];
      return (await kubectl.run(args, { stdin: JSON.stringify(definitionOf(flavour)) })).stderr;
    };
    assertEquals(await apply(cronJobChecks([flavour])), "");
    assertMatch(
      await apply({}),
      /^Warning: spec.versions\[0\].schema: the embedded API server does not evaluate its \d+ CEL rules\n$/,
    );
  });

  test(`A CronJob that was stored before it was judged keeps working: ${flavour.controllerName}`, async () => {
    let isJudged = false;
    const checks = Object.entries(cronJobChecks([flavour]))
      .map(([kind, check]) => [kind, (object: object) => isJudged ? check(object) : []] as const);
    await using running = await Running.start("2026-03-10T09:30:00Z", {
      controller: false,
      checks: Object.fromEntries(checks),
    });
    const { client } = running;
    await running.create(flavour, { schedule: "0 24 * * *" });
    isJudged = true;
    await running.startControllers();
    const old = () => running.get(flavour);
    const reason = ({ status }: CronJobObject) =>
      status?.conditions?.find(({ type }) => type === "ScheduleValid")?.reason;
    await running.until("its condition", async () => reason(await old()) === "UnparseableSchedule");
    const patch = (body: object) => running.patch(flavour, body);
    await patch({ metadata: { labels: { team: "a" }, finalizers: ["example.com/hold"] } });
    await patch({ spec: { suspend: true } });
    const error = await assertRejects(() => patch({ spec: { schedule: "0 25 * * *" } }), ApiError);
    assertEquals(error.code, 422);
    await client.delete(flavour.resource, { name: "c", namespace: "default" });
    await patch({ metadata: { finalizers: null } });
    await running.until("its end", () => old().then(() => false, (error) => (error as ApiError).isNotFound));
  });
}

const REFUSED_BY_BATCH: readonly [spec: Partial<CronJobSpec>, message: string][] = [
  [{ schedule: "0 25 * * *" }, 'spec.schedule: Invalid value: hour "25": must be 0-23'],
  [{ schedule: "0 9 * * 7" }, 'spec.schedule: Invalid value: day-of-week "7": must be 0-6 or SUN-SAT; Sunday is 0'],
  [
    { timeZone: "berlin" },
    'spec.timeZone: Invalid value: time-zone "berlin": must be a name of the tz database such as Europe/Berlin; ' +
    "did you mean Europe/Berlin?",
  ],
];

test("batch/v1 refuses a schedule and a zone in the parser's words too", async () => {
  await using running = await Running.start("2026-03-10T09:30:00Z", { controller: false });
  for (const [spec, message] of REFUSED_BY_BATCH) {
    const error = await assertRejects(() => running.create(BATCH, spec), ApiError);
    assertEquals([error.code, error.message.split(" is invalid: ")[1]], [422, message]);
  }
});

test("kubectl apply shows one line of what is wrong, without any expression", async () => {
  await using running = await Running.start("2026-03-10T09:30:00Z", {
    controller: false,
    checks: cronJobChecks(DEFINED_FLAVOURS),
  });
  const kubectl = new Kubectl(running.server.server.kubeconfigPath);
  const { stderr } = await kubectl.run(["apply", "--server-side", "-f", "-"], {
    stdin: JSON.stringify({
      apiVersion: "cronjob-controller.dev/v1",
      kind: "CronJob",
      metadata: { name: "report" },
      spec: { schedule: "0 25 * * *", jobTemplate: {} },
    }),
    codes: [1],
  });
  assertEquals(
    stderr,
    'The CronJob "report" is invalid: spec.schedule: Invalid value: hour "25": must be 0-23\n',
  );
});
