import { assertEquals, assertRejects } from "@std/assert";
import { finishRelease } from "../../src/cronjob/adoption/release.ts";
import { MANAGED } from "../../src/cronjob/api/annotations.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { BATCH } from "./support/running.ts";
import { SharedCluster } from "./support/shared_cluster.ts";
import { test } from "../support/test.ts";

const NAME = { namespace: "default", name: "c" };

/** A clock on which no sleep takes time. */
class NoWait extends SystemClock {
  override sleep(): Promise<void> {
    return Promise.resolve();
  }
}

/** Returns a client before whose first writes to CronJobs another client writes the same CronJob. */
function contested(client: KubeClient, writes: number): KubeClient {
  let left = writes;
  const patch: KubeClient["patch"] = async (resource, name, ...rest) => {
    if (resource.plural === BATCH.resource.plural && left-- > 0) {
      const annotations = { "example.com/count": String(left) };
      await client.patch(BATCH.resource, NAME, { type: "merge", body: { metadata: { annotations } } });
    }
    return await client.patch(resource, name, ...rest);
  };
  return new Proxy(client, { get: (of, key) => key === "patch" ? patch : Reflect.get(of, key).bind?.(of) });
}

test("a release without a controller tries five times against another client's writes, and counts the last", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  await shared.running.create(BATCH, {});
  await shared.adopt("c");
  await shared.running.patch(BATCH, { metadata: { annotations: { [MANAGED]: "releasing" } } });
  const options = { clock: new NoWait(), deadline: -Infinity, onHandOver: () => {} };
  await assertRejects(() => finishRelease(contested(shared.running.client, 100), NAME, options), Error, "try again");
  await finishRelease(contested(shared.running.client, 4), NAME, options);
  assertEquals((await shared.get()).metadata.annotations?.[MANAGED], undefined);
});
