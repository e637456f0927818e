// A Job of 1,000 completions at parallelism 50 whose Pods are ended by this program as soon as they are there, on our own API
// server in a process of its own. Prints what the Job controller costs.
//
//   deno task bench:job [--completions 1000] [--parallelism 50] [--indexed]

import { parseArgs } from "node:util";
import { JobController } from "../../src/job/controller.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { PODS } from "../../src/kube/resource.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { EventRecorder } from "../../src/runtime/event_recorder.ts";
import { Informer } from "../../src/runtime/informer.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { must } from "../support/expected.ts";
import { countRequests } from "../job/support/count_requests.ts";
import { Bench, outcomeOf } from "../job/support/workstation.ts";
import { followJobs } from "../support/follow_jobs.ts";
import { lines } from "../support/lines.ts";
import { cpuMs } from "./support/usage.ts";

const { values: options } = parseArgs({
  options: {
    completions: { type: "string", default: "1000" },
    parallelism: { type: "string", default: "50" },
    indexed: { type: "boolean", default: false },
    /** Used by this program to start itself as the server. */
    serve: { type: "boolean", default: false },
  },
});

if (options.serve) await serve();
else await measure(Number(options.completions), Number(options.parallelism), options.indexed);

/** The API server, and the Pods' fate: each succeeds as soon as it is seen. */
async function serve(): Promise<void> {
  const api = await startTestApiServer({ ephemeral: false });
  const pods = new Informer({ client: api.client, clock: new SystemClock(), resource: PODS });
  pods.onChange(({ type, object }) => {
    if (type !== "added") return;
    const { name, namespace } = object.metadata;
    const patch = { type: "merge", body: { status: { phase: "Succeeded" } } } as const;
    api.client.patch(PODS, { name, namespace }, patch, { subresource: "status", lane: "run" }).catch(() => {});
  });
  const end = new AbortController();
  const running = pods.run(end.signal);
  await pods.ready();
  const { url, caCertificate, token } = api.server;
  console.log(JSON.stringify({ server: url, caCertificates: [caCertificate], token }));
  // Ends with the one who started it.
  for await (const _ of Deno.stdin.readable);
  end.abort();
  await running;
  await api[Symbol.asyncDispose]();
}

async function measure(completions: number, parallelism: number, indexed: boolean): Promise<void> {
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", import.meta.filename!, "--serve"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const said = lines(server.stdout);
  const connection = must((await said.next()).value);

  const clock = new SystemClock();
  await using client = HttpKubeClient.to(JSON.parse(connection));
  const requests = countRequests(client);
  const recorder = new EventRecorder({ client, clock, component: "job-controller" });
  const jobs = followJobs({ client: requests.client, clock });
  const controller = new JobController({ client: requests.client, clock, jobs, recorder, mode: "all" });
  const end = new AbortController();
  const running = Promise.all([controller.run(end.signal), recorder.run(end.signal)]);
  await controller.ready!();

  const bench = new Bench(client, "default");
  const cpuBefore = cpuMs();
  const startedAt = clock.monotonic();
  await bench.run("work", {
    script: "true",
    completions,
    parallelism,
    completionMode: indexed ? "Indexed" : "NonIndexed",
  });
  while (outcomeOf(await bench.job("work")) === undefined) await clock.sleep(50);
  const seconds = (clock.monotonic() - startedAt) / 1000;
  const usedMs = cpuMs() - cpuBefore;
  // The last finalizers go after the Job has ended.
  await clock.sleep(500);

  const { succeeded, failed } = (await bench.job("work")).status!;
  const kinds = Object.groupBy(requests.made, (request) => request);
  console.log(`Job of ${completions} completions at parallelism ${parallelism}${indexed ? ", Indexed" : ""}`);
  console.log(`  succeeded ${succeeded}, failed ${failed ?? 0}`);
  console.log(`  time                ${seconds.toFixed(2)} s`);
  console.log(`  requests per Pod    ${(requests.made.length / completions).toFixed(2)}`);
  for (const [kind, made] of Object.entries(kinds)) {
    console.log(`    ${kind.padEnd(20)}${(made!.length / completions).toFixed(3)}`);
  }
  console.log(`  CPU per Pod         ${(usedMs / completions).toFixed(3)} ms`);
  console.log(`  peak memory         ${(Deno.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`);
  const list = await client.list(PODS, { namespace: "default" });
  console.log(`  Pods created        ${list.items.length}`);
  console.log(`  Pods with finalizer ${list.items.filter(({ metadata }) => metadata.finalizers?.length).length}`);

  end.abort();
  await running;
  await server.stdin.close();
  await server.status;
}
