import { assert, assertEquals, assertThrows } from "@std/assert";
import { greeting } from "../../src/cli/standalone/greeting.ts";
import { readTimeZone, timeZoneDefaults } from "../../src/cli/standalone/time_zone.ts";
import { ConfigError, FlagError } from "../../src/cli/errors.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { atLeast } from "../support/expected.ts";
import type { RuntimeName } from "../../src/kubelet/files/run_files.ts";
import { test } from "../support/test.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import { cronJobOf } from "../support/cron_job.ts";

test("--time-zone takes a name of the tz database, or local for that of this machine", () => {
  assertEquals(readTimeZone("Europe/Berlin"), "Europe/Berlin");
  assertEquals(readTimeZone("local", "Asia/Tokyo"), "Asia/Tokyo");
  const error = assertThrows(() => readTimeZone("local", "Etc/Unknown"), ConfigError);
  assert(error.message.includes('the zone of this machine, "Etc/Unknown"'));
  assert(!(error instanceof FlagError), "the machine may have one at the next start");
  assertThrows(() => readTimeZone("Europe/Berlim"), FlagError, "did you mean Europe/Berlin");
  assertThrows(() => readTimeZone("Local"), ConfigError, "or local");
  assertThrows(() => readTimeZone("\x1b[2J"), FlagError, '--time-zone "\\u001b[2J": must be');
  assertThrows(() => readTimeZone("x".repeat(1_000)), FlagError, `--time-zone "${"x".repeat(60)}…": must be`);
});

test("a new CronJob without a zone gets the chosen one for good; others, and what is there, stay as they are", async () => {
  await using api = await startTestApiServer({ defaults: timeZoneDefaults("Asia/Tokyo") });
  const create = async (name: string, spec: Partial<CronJobSpec> = {}) =>
    (await api.client.create(BATCH.resource, cronJobOf(BATCH, { name, spec }))).spec.timeZone;
  assertEquals(await create("plain"), "Asia/Tokyo");
  assertEquals(await create("chosen", { timeZone: "UTC" }), "UTC");
  const name = { name: "plain", namespace: "default" };
  const applied = cronJobOf(BATCH, { name: "plain", spec: { suspend: true } });
  await api.client.patch(BATCH.resource, name, { type: "apply", body: applied, fieldManager: "x", force: true });
  const { spec } = await api.client.get(BATCH.resource, name);
  assertEquals(spec.timeZone, "Asia/Tokyo", "who applies the manifest again does not take it away");
});

test("a zone inside the schedule is not contradicted", () => {
  const [setTimeZone] = atLeast(1, Object.values(timeZoneDefaults("Asia/Tokyo")));
  const zoned = { spec: { schedule: "CRON_TZ=Europe/Berlin 0 2 * * *" } };
  setTimeZone(zoned);
  assertEquals(Object.keys(zoned.spec), ["schedule"]);
  setTimeZone({});
});

/** Runtimes, and the one sentence that says where containers run. */
const RUNS_IN: readonly (readonly [runtimes: readonly RuntimeName[], sentence: string])[] = [
  [["process"], "Containers run as plain processes with your own rights; images are ignored."],
  [["podman"], "Containers run by podman, from their images."],
  [
    ["podman", "process"],
    "Containers run by podman, from their images; where their Pods ask for it, as plain processes with your own rights.",
  ],
  [
    ["process", "podman"],
    "Containers run as plain processes with your own rights; where their Pods ask for it, by podman, from their images.",
  ],
];

test("the greeting says in one sentence where containers run", () => {
  for (const [runtimes, sentence] of RUNS_IN) {
    const said = greeting({ url: "https://127.0.0.1:6444", kubeconfigPath: "/k" }, {
      dashboard: undefined,
      onStop: "end",
      zone: undefined,
      runtimes,
      crontab: [],
    });
    assertEquals(said.split("\n")[1], sentence);
  }
});

test("the greeting says what a CronJob without timeZone goes by", () => {
  const server = { url: "https://127.0.0.1:6444", kubeconfigPath: "/k" };
  const said = (zone: string | undefined) =>
    greeting(server, { dashboard: undefined, onStop: "end", zone, runtimes: ["process"], crontab: [] });
  assertEquals(said(undefined).includes("without timeZone means UTC"), true);
  assertEquals(said("Asia/Tokyo").includes("A new CronJob without timeZone gets timeZone: Asia/Tokyo."), true);
});
