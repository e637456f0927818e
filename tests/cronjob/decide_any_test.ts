// Whatever an API server takes for a CronJob of the CRD, something is decided about it, and the status is one that it takes.
import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import type { JsonSchema } from "../../src/apiserver/schema/structural/json_schema.ts";
import { validateBySchema } from "../../src/apiserver/schema/structural/validate.ts";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobStatus } from "../../src/cronjob/api/types.ts";
import { decide, decideRecords } from "../../src/cronjob/decide.ts";
import { jobFor } from "../../src/cronjob/decision/job_template.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { at, world } from "./support/world.ts";
import { CRONJOB_CRD } from "../support/crds.ts";

const [{ schema }] = atLeast(1, CRONJOB_CRD.spec.versions as { schema: { openAPIV3Schema: JsonSchema } }[]);
const { properties = {} } = schema.openAPIV3Schema;
const [SPEC, STATUS] = [must(properties.spec), must(properties.status)];

const TIMES = [
  "0000-01-01T00:00:00Z",
  "0000-01-01T00:00:00+14:00",
  "0001-01-01T00:00:00Z",
  "2026-03-10t09:59:59.999z",
  "2026-03-10T10:00:00+05:30",
  "2026-03-10T11:00:00Z",
  "9999-12-31T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "9999-12-31T23:59:59-14:00",
];
const TEXTS: Record<string, readonly string[]> = {
  schedule: [
    "",
    "* * * * *",
    "@every 1s",
    "@every 2562047h",
    "0 0 30 2 *",
    "59 23 31 12 *",
    "0 H * * *",
    "TZ=Asia/Tokyo @daily",
  ],
  timeZone: ["", "Nowhere", "Etc/GMT+12", "Pacific/Kiritimati"],
  text: ["* * * * *", "@every 1s", ""],
};

/** Any JSON that a schema takes. */
function anyOf(schema: JsonSchema, name = ""): fc.Arbitrary<unknown> {
  if (schema["x-kubernetes-preserve-unknown-fields"]) {
    return fc.dictionary(fc.constantFrom("metadata", "spec"), fc.jsonValue());
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object":
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties!).map(([name, field]) => [name, anyOf(field, name)])),
        { requiredKeys: schema.required ?? [] },
      );
    case "array":
      return fc.uniqueArray(anyOf(schema.items!), { maxLength: 12, selector: keyIn(schema) });
    case "boolean":
      return fc.boolean();
    case "integer": {
      const { minimum = -1, format } = schema;
      const maximum = format === "int32" ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
      return fc.constantFrom(minimum, minimum + 1, 60, 3_600, maximum);
    }
    default:
      return fc.constantFrom(...schema.format === "date-time" ? TIMES : TEXTS[name] ?? ["", "c", "Ready", "Overdue"]);
  }
}

function keyIn({ "x-kubernetes-list-map-keys": keys }: JsonSchema): (item: unknown) => string {
  return (item) => JSON.stringify(keys ? keys.map((key) => (item as Record<string, unknown>)[key]) : item);
}

test("decide() makes something of whatever an API server takes, and writes a status that it takes", () => {
  fc.assert(
    fc.property(anyOf(SPEC), anyOf(STATUS), fc.boolean(), (spec, status, isTriggered) => {
      const given = world(TUTORIAL, { now: "10:00:30", jobs: [{ time: "09:00" }] });
      const object = {
        ...given.cronJob.object,
        metadata: {
          ...given.cronJob.metadata,
          generation: 2,
          annotations: isTriggered ? { "cronjob-controller.dev/trigger": "now" } : {},
        },
        spec,
        status,
      } as CronJobObject;
      const input = { ...given, cronJob: readCronJob(TUTORIAL, object), now: at("10:00:30") };
      const plan = decide(input);
      if (plan.kind === "start") JSON.stringify(jobFor(input.cronJob, plan.request));
      // A status that says what cannot be is right after a few writes.
      let written: unknown = status;
      for (let writes = 0;; writes++) {
        const cronJob = readCronJob(TUTORIAL, { ...object, status: written as CronJobStatus });
        const { records } = decideRecords({ ...input, cronJob });
        if (!records.status) return;
        assert(writes < 3, "Each status that is written asks for another");
        written = JSON.parse(JSON.stringify(records.status));
        assertEquals(validateBySchema(written, STATUS, "status"), []);
      }
    }),
    { numRuns: 300 },
  );
});
