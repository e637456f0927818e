import { assertEquals } from "@std/assert";
import { BATCH, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { readAnnotations } from "../../src/cronjob/api/annotation_settings.ts";
import type { Schema } from "../../src/cronjob/api/schema.ts";
import { readSettings } from "../../src/cronjob/api/read_settings.ts";
import { ANNOTATED_FIELDS, annotationOf, EXTRA_SPEC_FIELDS } from "../../src/cronjob/api/spec_fields.ts";
import { test } from "../support/test.ts";
import { world } from "./support/world.ts";

function settings(annotations: Record<string, string>, api = BATCH) {
  const full = Object.fromEntries(
    Object.entries(annotations).map(([name, text]) => [`cronjob-controller.dev/${name}`, text]),
  );
  return readSettings(api, world(api, { now: "10:00", annotations: full }).cronJob.object);
}

test("readSettings() takes from annotations of batch/v1 what its spec has no room for", () => {
  const { dropsOnEdit, dropsOnResume, spreadSeconds, exposeSchedule, schedule, hashKey, problems } = settings({
    "on-edit": "None",
    "on-resume": "None",
    "spread-seconds": "90",
    "expose-schedule": "true",
    "schedule": "H 3 * * *",
  });
  assertEquals(
    { dropsOnEdit, dropsOnResume, spreadSeconds, exposeSchedule, schedule, hashKey, problems },
    {
      dropsOnEdit: true,
      dropsOnResume: true,
      spreadSeconds: 90,
      exposeSchedule: true,
      schedule: "H 3 * * *",
      hashKey: "default/report",
      problems: [],
    },
  );
});

test("an annotation that stands for a field reads each value that the field may have", () => {
  for (const field of ANNOTATED_FIELDS) {
    const { type, enum: values, minimum }: Schema = EXTRA_SPEC_FIELDS[field];
    const read = (text: string) => {
      const given = world(BATCH, { now: "10:00", annotations: { [annotationOf(field)]: text } });
      return readAnnotations(given.cronJob.object);
    };
    for (const value of values ?? (type === "boolean" ? [true, false] : [minimum, 12_345])) {
      assertEquals(read(`${value}`), { [field]: value, problems: [] } as unknown);
    }
    assertEquals(read("-1").problems.length, 1);
  }
});

test("readSettings() reads catch-up as a word or as the CRD's JSON", () => {
  const read = (text: string) => {
    const { catchUp, startingDeadlineMs, maxCatchUpRuns, problems } = settings({ "catch-up": text });
    return { catchUp, startingDeadlineMs, maxCatchUpRuns, problems };
  };
  assertEquals(read("All"), { catchUp: "All", startingDeadlineMs: Infinity, maxCatchUpRuns: 1000, problems: [] });
  assertEquals(read("None"), { catchUp: "None", startingDeadlineMs: 60_000, maxCatchUpRuns: 1000, problems: [] });
  assertEquals(read('{"policy":"All","windowSeconds":3600,"maxRuns":5}'), {
    catchUp: "All",
    startingDeadlineMs: 3_600_000,
    maxCatchUpRuns: 5,
    problems: [],
  });
  assertEquals(read('{"policy":"All","maxRuns":2147483647}'), {
    catchUp: "All",
    startingDeadlineMs: Infinity,
    maxCatchUpRuns: 10_000,
    problems: [],
  });
});

test("readSettings() passes over every annotation that it does not understand whole, and says why", () => {
  const bad: [name: string, text: string, reason: string][] = [
    ["on-edit", "none", "must be one of Latest, None"],
    ["on-resume", "", "must be one of Latest, None"],
    ["catch-up", "all", "must be one of Latest, All, None"],
    ["catch-up", '{"policy":"All","windowSeconds":-1}', "windowSeconds must be a whole number, 0 or more"],
    ["catch-up", '{"policy":"All","maxRuns":0}', "maxRuns must be a whole number, 1 or more"],
    ["catch-up", '{"maxRuns":1}', "policy must be one of Latest, All, None"],
    [
      "catch-up",
      '{"policy":"All","windows":1}',
      "unknown field windows: policy, windowSeconds, maxRuns, maxParallel are known",
    ],
    ["spread-seconds", "1.5", "must be a whole number, 0 or more"],
    ["spread-seconds", " 5", "must be a whole number, 0 or more"],
    ["expose-schedule", "yes", "must be one of true, false"],
  ];
  const native = settings({});
  for (const [name, text, reason] of bad) {
    const { problems, ...rest } = settings({ [name]: text });
    assertEquals(problems, [
      `annotation cronjob-controller.dev/${name}: ${JSON.stringify(text)} is ignored: ${reason}`,
    ]);
    assertEquals({ ...rest, problems: [] }, native);
  }
  assertEquals(settings({ "catch-up": "{" }).problems.length, 1);
  assertEquals(settings({ "schedules": "{}", "exclude": "{}" }).problems.map((problem) => problem.split(", such")[0]), [
    'annotation cronjob-controller.dev/schedules: "{}" cannot be read, so no scheduled run starts: must be a list of 1 to 100 entries',
    'annotation cronjob-controller.dev/exclude: "{}" cannot be read, so no scheduled run starts: must be a list',
  ]);
  const [problem = ""] = settings({ "schedules": '[{"schedule":"0 6 * * *"},{"timeZone":"UTC"}]' }).problems;
  assertEquals(problem.endsWith(": [1].schedule must be a text of 0 to 1024 characters"), true, problem);
  assertEquals(settings({ "schedule": "61 * * * *" }).schedule, "0 * * * *");
});

test("readSettings() leaves annotations of others, and those of the CRD's flavour, alone", () => {
  assertEquals(settings({ "unheard-of": "x" }), settings({}));
  assertEquals(settings({ "catch-up": "All" }, TUTORIAL).catchUp, "Latest");
});
