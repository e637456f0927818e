import { assertEquals } from "@std/assert";
import { ClusterReader } from "../../src/cli/cluster/cluster_reader.ts";
import { readCronJobs } from "../../src/cli/cluster/read_cron_jobs.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { test } from "../support/test.ts";
import { BATCH, SeededCluster, type SeededCronJob } from "./support/seeded_cluster.ts";

test("a fleet whose Pods all wait is read by lists, and not Job by Job", async () => {
  const waiting: [string, string] = ["ImagePullBackOff", "Back-off pulling image"];
  const fleet = Array.from({ length: 201 }, (_, i): SeededCronJob => ({
    ...{ name: `report-${i}`, api: BATCH, spec: { schedule: "0 * * * *" } },
    jobs: [{ at: "10:00", waiting }],
  }));
  await using cluster = await SeededCluster.start("10:03", fleet);
  const { client } = cluster.api;
  let gets = 0;
  const counted = {
    list: (resource, options) => client.list(resource, options),
    get: (resource, name, options) => {
      gets++;
      return client.get(resource, name, options);
    },
    raw: (path, init) => client.raw(path, init),
  } as KubeClient;
  const seen = await readCronJobs(new ClusterReader(counted, { namespace: undefined }), {
    now: cluster.clock.now(),
    controllers: { isEmbedded: true },
    closely: ({ needsAttention }) => needsAttention,
  });
  assertEquals(seen.filter(({ view }) => view.state === "Pending" && view.needsAttention).length, fleet.length);
  assertEquals(gets, 0);
});
