// CronJobs stored before the CRD's schema refused what can't be a schedule.
import { assertEquals, assertRejects } from "@std/assert";
import { DEFINED_FLAVOURS, definitionOf } from "../../src/cronjob/api/crd.ts";
import type { Flavour } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobSpec } from "../../src/cronjob/api/types.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { Running } from "./support/running.ts";
import { test } from "../support/test.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";

/** As an earlier version had it. */
function withoutPatterns(flavour: Flavour) {
  const text = JSON.stringify(
    definitionOf(flavour),
    (key, value) => key === "pattern" || key === "allOf" ? undefined : value,
  );
  return JSON.parse(text);
}

for (const flavour of DEFINED_FLAVOURS) {
  test(`A CronJob that was stored with what can't be a schedule keeps working: ${flavour.controllerName}`, async () => {
    await using running = await Running.start("2026-03-10T09:30:00Z", { controller: false });
    const { client } = running;
    const name = { name: `cronjobs.${flavour.resource.group}` };
    const define = async (definition: object) => {
      const { metadata: { resourceVersion } } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, name);
      await client.replace(CUSTOM_RESOURCE_DEFINITIONS, {
        ...definition,
        metadata: { ...name, resourceVersion },
      } as never);
    };
    await define(withoutPatterns(flavour));
    await running.create(flavour, { schedule: "0 24 * * *" }, { name: "c" });
    await define(definitionOf(flavour));

    const refused = async (act: () => Promise<unknown>, field: string) => {
      const error = await assertRejects(act, ApiError);
      assertEquals([error.code, error.message.includes(field)], [422, true], error.message);
    };
    const create = (spec: Partial<CronJobSpec>) => running.create(flavour, spec, { name: "new" });
    await refused(() => create({ schedule: "0 24 * * *" }), "spec.schedule");
    await refused(() => create({ schedules: [{ schedule: "0 0 * * 8" }] }), "spec.schedules[0].schedule");
    await refused(() => create({ timeZone: "Europe Berlin" }), "spec.timeZone");
    await refused(() => create({ exclude: [{ dates: ["2026-13-01"] }] }), "spec.exclude[0].dates[0]");
    await refused(() => create({ exclude: [{ from: "today", to: "2026-08-14" }] }), "spec.exclude[0].from");
    await refused(() => create({ exclude: [{ schedule: "@dayly" }] }), "spec.exclude[0].schedule");
    await refused(() => create({ exclude: [{ schedule: "0 22 * * 5", duration: "1d" }] }), "spec.exclude[0].duration");

    await running.startControllers();
    const old = () => running.get(flavour);
    const reason = ({ status }: CronJobObject) =>
      status?.conditions?.find(({ type }) => type === "ScheduleValid")?.reason;
    await running.until("its condition", async () => reason(await old()) === "UnparseableSchedule");
    const patch = (body: object) => running.patch(flavour, body);
    await patch({ metadata: { labels: { team: "a" }, finalizers: ["example.com/hold"] } });
    await patch({ spec: { suspend: true } });
    await refused(() => patch({ spec: { schedule: "0 25 * * *" } }), "spec.schedule");
    await client.delete(flavour.resource, { name: "c", namespace: "default" });
    await patch({ metadata: { finalizers: null } });
    await running.until("its end", () => old().then(() => false, (error) => (error as ApiError).isNotFound));
  });
}
