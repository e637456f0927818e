import { assertEquals } from "@std/assert";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { listAll } from "../../src/kube/paging.ts";
import { type Job, JOBS, NAMESPACES } from "../../src/kube/resource.ts";
import type { Unstored } from "../../src/kube/object.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { jobOf } from "../support/job.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const JOBS_A_BURST = 1_000;
const BURSTS = 3;
/** A watch that has shown nothing for so long after the last answer is silent for good. */
const SILENT_MS = 5_000;

test("a watch shows every Job of a burst that leaves through the same client, and lists are read to their end", async () => {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: folder.path });
  for (const inFlight of [64, 200]) {
    const { url, caCertificate, token } = server.address;
    await using client = HttpKubeClient.to({ server: url, caCertificates: [caCertificate], token }, {
      maxInFlight: inFlight,
    });
    for (let burst = 0; burst < BURSTS; burst++) {
      const namespace = `burst-${inFlight}-${burst}`;
      assertEquals(await shownOf(client, namespace, inFlight), JOBS_A_BURST, `${namespace} left the watch silent`);
    }
  }
  await using client = HttpKubeClient.to({
    server: server.address.url,
    caCertificates: [server.address.caCertificate],
    token: server.address.token,
  });
  // Each page is some megabytes on a connection that has carried others.
  for (let round = 0; round < 5; round++) assertEquals(await listed(client), 2 * BURSTS * JOBS_A_BURST);
});

/** Creates Jobs, so many at a time, and says how many of them a watch has shown. */
async function shownOf(client: HttpKubeClient, namespace: string, inFlight: number): Promise<number> {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const { resourceVersion } = (await client.list(JOBS, { namespace, limit: 1 })).metadata;
  const stop = new AbortController();
  const opened = Promise.withResolvers<void>();
  const all = Promise.withResolvers<void>();
  const shown = new Set<string>();
  const options = { namespace, resourceVersion, signal: stop.signal, onOpen: opened.resolve };
  const watching = (async () => {
    for await (const { type, object } of client.watch(JOBS, options)) {
      if (type === "ADDED") shown.add(object.metadata.uid);
      if (shown.size === JOBS_A_BURST) all.resolve();
    }
  })();
  await opened.promise;
  const names = Array.from({ length: JOBS_A_BURST }, (_, i) => `job-${i}`).values();
  await Promise.all(Array.from({ length: inFlight }, async () => {
    for (const name of names) await client.create(JOBS, job(namespace, name), { lane: "run" });
  }));
  const timer = setTimeout(all.resolve, SILENT_MS);
  await all.promise;
  clearTimeout(timer);
  stop.abort();
  await watching;
  return shown.size;
}

async function listed(client: HttpKubeClient): Promise<number> {
  let count = 0;
  for await (const _ of listAll(client, JOBS, { limit: 2_000 })) count++;
  return count;
}

function job(namespace: string, name: string): Unstored<Job> {
  // A burst of them is less than the server lets wait for a slow reader: where it ends a watch, that is not silent.
  const env = Array.from({ length: 8 }, (_, i) => ({ name: `VARIABLE_${i}`, value: "x".repeat(60) }));
  const containers = [{ name: "main", image: "busybox", env }];
  return jobOf({
    namespace,
    name,
    spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers } } },
  });
}
