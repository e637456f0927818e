import { assertEquals } from "@std/assert";
import { carryOut } from "../../src/actions/carry_out.ts";
import { planPause } from "../../src/actions/pause.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import type { ObjectName } from "../../src/kube/object.ts";
import { at, type Given, world } from "../cronjob/support/world.ts";
import { test } from "../support/test.ts";

/** How each ends that is paused while the API server answers the first of them with this. */
async function outcomes(first: Error | undefined, ...given: Partial<Given>[]): Promise<string[]> {
  let isFirst = true;
  const patch = (_: unknown, { name }: ObjectName) => {
    const error = isFirst ? first : undefined;
    isFirst = false;
    return error ? Promise.reject(error) : Promise.resolve({ metadata: { name } });
  };
  const client = { patch } as unknown as KubeClient;
  const cronJobs = given.map((one, i) => world(TUTORIAL, { now: "10:00", name: "abc".charAt(i), ...one }).cronJob);
  const request = { id: "1", by: "ana", reason: undefined, until: undefined, now: at("10:00") };
  const action = { fieldManager: "test", plan: (cronJob: typeof cronJobs[0]) => planPause(cronJob, request) };
  const found = await Array.fromAsync(carryOut(client, cronJobs, action, { dryRun: false }));
  return found.map(({ result, message }) => `${result}: ${message}`);
}

const DONE = "done: paused until it is resumed";

test("what one CronJob is refused keeps no other from being tried", async () => {
  for (const message of ["admission webhook denied the request", 'User "ana" cannot patch resource "cronjobs"']) {
    const refusal = new ApiError(message, { code: 403, reason: "Forbidden" });
    assertEquals(await outcomes(refusal, {}, {}), [`failed: ${message}`, DONE]);
  }
});

test("after a connection that broke, each has an outcome and nothing more is tried", async () => {
  assertEquals(await outcomes(new TypeError("connection reset"), {}, {}, {}), [
    "failed: it is not known whether it was done: connection reset",
    "failed: not tried, as the connection broke",
    "failed: not tried, as the connection broke",
  ]);
});

test("one that is being deleted keeps no other from being tried", async () => {
  assertEquals(await outcomes(undefined, { deleting: true }, {}), ["left: left as it is: it is being deleted", DONE]);
});
