import { assertEquals } from "@std/assert";
import type { PodStatus } from "kubernetes-types/core/v1";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import type { Pod } from "../../src/kube/resource.ts";
import { StatusWriter } from "../../src/kubelet/status_writer.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

const RUNNING: PodStatus = { phase: "Running" };
const SUCCEEDED: PodStatus = { phase: "Succeeded" };

/** A writer whose API answers by this; `sent` holds the phases that it was asked to write. */
function writerTo(answer: () => Promise<void>) {
  const sent: (string | undefined)[] = [];
  const patch = (...[, , { body }]: [unknown, unknown, { readonly body: { readonly status: PodStatus } }]) => {
    sent.push(body.status.phase);
    return answer();
  };
  const pod = { metadata: { name: "p", namespace: "default", uid: "u" } } as unknown as Pod;
  const writer = new StatusWriter(pod, { client: { patch } as unknown as KubeClient, clock: new FakeClock() });
  return { writer, sent };
}

test("A status that was refused is sent again when it is asked for again, and one that was written is not", async () => {
  const refusals = [new ApiError("changed meanwhile", { code: 409, reason: "Conflict" })];
  const { writer, sent } = writerTo(() => refusals.length > 0 ? Promise.reject(refusals.pop()) : Promise.resolve());
  for (let reconcile = 1; reconcile <= 3; reconcile++) {
    writer.want({ ...RUNNING }, true);
    await writer.flush();
  }
  assertEquals(sent, ["Running", "Running"]);
});

test("A status that is asked for at whatever moment after a write is written", async () => {
  for (let turns = 0; turns < 20; turns++) {
    const { writer, sent } = writerTo(() => Promise.resolve());
    writer.want(RUNNING, true);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    writer.want(SUCCEEDED, true);
    await settle();
    assertEquals(sent.at(-1), "Succeeded", `after ${turns} turns`);
  }
});
