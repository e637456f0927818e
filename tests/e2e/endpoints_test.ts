import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { type Lease, LEASES } from "../../src/kube/resource.ts";
import { startTestApiServer, type TestApiServer } from "../support/api_server.ts";
import { EVERY_SECOND } from "../support/every_second.ts";
import { must } from "../support/expected.ts";
import { eventually, PROGRAM, RunningProgram, runProgram } from "../support/program.ts";
import { test } from "../support/test.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { ownPort } from "../support/own_port.ts";

const SHOWN = [
  ...["--metrics-bind-address", "127.0.0.1:0", "--health-probe-bind-address", "127.0.0.1:0"],
  ...["--per-cronjob-metrics", "all"],
];

interface Answer {
  status: number;
  text: string;
}

/** A `controller` process with its endpoints on free ports. */
class Operated implements AsyncDisposable {
  private constructor(readonly program: RunningProgram, readonly metricsAt: string, readonly healthAt: string) {}

  static async start({ server }: TestApiServer, ...args: string[]): Promise<Operated> {
    const command = [...PROGRAM, "controller", "--kubeconfig", server.kubeconfigPath, ...SHOWN, ...args];
    const program = new RunningProgram(command);
    try {
      const [, metricsAt] = await program.waitFor(/Serving "?metrics"? on "?([\d.]+:\d+)/);
      const [, healthAt] = await program.waitFor(/Serving "?health"? on "?([\d.]+:\d+)/);
      return new Operated(program, `http://${metricsAt}`, `http://${healthAt}`);
    } catch (error) {
      await program[Symbol.asyncDispose]();
      throw error;
    }
  }

  async get(url: string): Promise<Answer> {
    const response = await fetch(url);
    return { status: response.status, text: await response.text() };
  }

  async metric(start: string): Promise<number | undefined> {
    const { text } = await this.get(`${this.metricsAt}/metrics`);
    const line = text.split("\n").find((line) => line.startsWith(`${start} `));
    return line === undefined ? undefined : Number(line.slice(start.length + 1));
  }

  readyz(query = "?verbose"): Promise<Answer> {
    return this.get(`${this.healthAt}/readyz${query}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
  }
}

function everySecond(api: TestApiServer) {
  return api.client.create(TUTORIAL.resource, EVERY_SECOND);
}

test("a controller shows its metrics and the truth about its health", async () => {
  await using api = await startTestApiServer();
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  await everySecond(api);
  await using operated = await Operated.start(api);

  await eventually("it is ready", async () => (await operated.readyz()).status === 200);
  const ready = await operated.readyz();
  for (
    const line of [
      "[+]ping ok",
      "[+]cache/cronjobs.batch.tutorial.kubebuilder.io ok",
      "[+]watch/cronjobs.batch.tutorial.kubebuilder.io ok",
      "[+]cache/jobs.batch ok",
      "[+]watch/jobs.batch ok",
      "[+]queue/cronjob ok",
      "readyz check passed",
    ]
  ) assertStringIncludes(ready.text, line);
  assertEquals(await operated.readyz(""), { status: 200, text: "ok" });
  for (const path of ["/healthz", "/livez"]) {
    assertEquals(await operated.get(operated.healthAt + path), { status: 200, text: "ok" });
  }
  assertEquals((await operated.get(`${operated.metricsAt}/other`)).status, 404);

  const labels = 'api_version="batch.tutorial.kubebuilder.io/v1",namespace="default",cronjob="often"';
  await eventually(
    "two Jobs are active",
    async () => (await operated.metric(`cronjob_controller_cronjob_active{${labels}}`) ?? 0) >= 2,
  );
  const { text } = await operated.get(`${operated.metricsAt}/metrics`);
  for (
    const shown of [
      /^cronjob_controller_job_creation_skew_duration_seconds_count [1-9]/m,
      new RegExp(`^cronjob_controller_cronjob_next_run_timestamp_seconds{${labels}} \\d{10}$`, "m"),
      new RegExp(`^cronjob_controller_cronjob_last_schedule_timestamp_seconds{${labels}} \\d{10}$`, "m"),
      new RegExp(`^cronjob_controller_cronjob_overdue{${labels}} 0$`, "m"),
      new RegExp(`^cronjob_controller_cronjob_runs_total{outcome="Failed",trigger="Schedule",${labels}} 0$`, "m"),
      /^workqueue_adds_total{name="cronjob"} [1-9]/m,
      /^rest_client_requests_total{code="201",method="POST",host="127.0.0.1:\d+"} [1-9]/m,
    ]
  ) assertMatch(text, shown);

  await api.client.delete(TUTORIAL.resource, { name: "often", namespace: "default" });
  await eventually("its metrics are gone", async () => {
    const { text } = await operated.get(`${operated.metricsAt}/metrics`);
    return !text.includes('cronjob="often"');
  });

  await api.server.close();
  const unready = await eventually("it says that it follows nothing any more", async () => {
    const answer = await operated.readyz("");
    return answer.status === 500 ? answer : undefined;
  });
  assertMatch(unready.text, /^\[-\]watch\/jobs\.batch failed: .+$/m);
  assertMatch(unready.text, /^\[\+\]cache\/jobs\.batch ok$/m);
  assertEquals((await operated.get(`${operated.healthAt}/livez`)).status, 200);
  assertEquals((await operated.program.end("SIGTERM")).code, 0, operated.program.output);
});

test("of two controllers with --leader-elect one works and the other stands by, ready to take over", async () => {
  await using api = await startTestApiServer();
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  await everySecond(api);
  const elect = ["--leader-elect", "--leader-election-namespace", "default"];
  await using first = await Operated.start(api, ...elect);
  await first.program.waitFor(/Started a run of/);
  await using second = await Operated.start(api, ...elect);

  const id = "cronjob-controller";
  await eventually(
    "it stands by",
    async () => /leader-election ok: standing by, .+_.+ leads/.test((await second.readyz()).text),
  );
  await eventually("its caches are warm", async () => (await second.readyz()).status === 200);
  assertEquals(await second.metric(`leader_election_master_status{name="${id}"}`), 0);
  assertEquals(await first.metric(`leader_election_master_status{name="${id}"}`), 1);
  assertMatch((await first.readyz()).text, /leader-election ok: leading/);

  assertEquals((await first.program.end("SIGTERM")).code, 0, first.program.output);
  await second.program.waitFor(/Started a run of/);
  await eventually("it leads", async () => /leader-election ok: leading/.test((await second.readyz()).text));
  const lease: Lease = await api.client.get(LEASES, { namespace: "default", name: id });
  assertEquals(lease.spec?.leaseTransitions, 1);
  assertEquals((await second.program.end("SIGTERM")).code, 0, second.program.output);
});

test("an endpoint whose port is in use is one clear line", async () => {
  await using api = await startTestApiServer();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = `127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  for (const [flag, other] of [["--metrics-bind-address", 1], ["--health-probe-bind-address", 0]] as const) {
    const args = ["controller", "--kubeconfig", api.server.kubeconfigPath, flag, address];
    args.push(must(SHOWN[other * 2]), must(SHOWN[other * 2 + 1]), "--log-level", "error");
    const { code, stderr } = await runProgram(args);
    assertMatch(
      stderr,
      new RegExp(`Cannot serve \\w+ on ${address}: port \\d+ is in use; choose another with ${flag}, or 0`),
    );
    assertEquals(stderr.trimEnd().split("\n").length, 1, stderr);
    assertEquals(code, 1);
  }
});

test("the endpoints answer HEAD and single checks, and know no other path", async () => {
  await using api = await startTestApiServer();
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  await using operated = await Operated.start(api);
  await eventually("it is ready", async () => (await operated.readyz()).status === 200);
  const { metricsAt, healthAt } = operated;
  for (const url of [`${metricsAt}/metrics`, `${healthAt}/readyz`, `${healthAt}/livez/ping`]) {
    const head = await fetch(url, { method: "HEAD" });
    assertEquals([head.status, await head.text()], [200, ""], url);
    const post = await fetch(url, { method: "POST" });
    assertEquals([post.status, post.headers.get("allow")], [405, "GET, HEAD"], url);
    await post.body?.cancel();
  }
  assertEquals(await operated.get(`${healthAt}/readyz/watch/jobs.batch`), { status: 200, text: "ok" });
  for (const path of ["/", "/readyz/", "/readyz/other", "/livez/watch/jobs.batch", "/readyzz", "/metrics", "/%ff"]) {
    assertEquals((await operated.get(healthAt + path)).status, 404, path);
  }
  assertEquals((await operated.get(`${metricsAt}/metrics/x`)).status, 404);
  // No leader is elected here: no alert must find that there is none.
  assertEquals(/^leader_election_master_status\b/m.test((await operated.get(`${metricsAt}/metrics`)).text), false);
});

test("a controller whose API server is away is alive and not ready, and both again when it is back", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "cjc-test-" });
  try {
    const port = ownPort();
    let api = await startTestApiServer({ dataDir, port });
    await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
    await everySecond(api);
    await using operated = await Operated.start(api);
    await operated.program.waitFor(/Started a run of/);
    await eventually("it is ready", async () => (await operated.readyz()).status === 200);
    const overdue = "cronjob_controller_cronjob_overdue{" +
      'api_version="batch.tutorial.kubebuilder.io/v1",namespace="default",cronjob="often"}';
    await eventually("it has been looked at", async () => await operated.metric(overdue) === 0);
    await api[Symbol.asyncDispose]();
    await eventually("it is not ready", async () => (await operated.readyz()).status === 500);
    const watch = 'kubernetes_healthcheck{name="watch/jobs.batch",type="readyz"}';
    assertEquals(await operated.metric(watch), 0);
    assertEquals((await operated.get(`${operated.healthAt}/livez`)).status, 200);
    await eventually(
      "the run that no one can start is overdue",
      async () => await operated.metric(overdue) === 1,
    );
    const started = operated.program.output.match(/Started a run of/g)!.length;

    api = await startTestApiServer({ dataDir, port });
    try {
      await eventually("it is ready again", async () => (await operated.readyz()).status === 200);
      assertEquals(await operated.metric(watch), 1);
      await operated.program.waitFor(/Started a run of/, { count: started + 1 });
      await eventually("nothing is overdue", async () => await operated.metric(overdue) === 0);
      assertEquals((await operated.program.end("SIGTERM")).code, 0, operated.program.output);
    } finally {
      await api[Symbol.asyncDispose]();
    }
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

test("a client's rate limit holds requests back, and an end that is asked for waits no longer than its grace", async () => {
  await using api = await startTestApiServer();
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  await everySecond(api);
  // Each run asks for more than this allows: work is always under way.
  const limit = ["--kube-api-qps", "1", "--kube-api-burst", "1"];
  const { host } = new URL(api.server.url);
  const waited = `rest_client_rate_limiter_duration_seconds_sum{verb="POST",host="${host}"}`;
  const msToEnd = async () => {
    await using operated = await Operated.start(api, ...limit, "--shutdown-grace", "1s");
    await eventually("requests waited", async () => (await operated.metric(waited) ?? 0) > 1);
    const asked = performance.now();
    await operated.program.end("SIGTERM");
    return performance.now() - asked;
  };
  // Without its flag, work under way alone would get five seconds, each time. A busy machine may take as long at times.
  let tookMs = await msToEnd();
  for (let tries = 1; tookMs >= 4_500 && tries < 5; tries++) tookMs = await msToEnd();
  assert(tookMs < 4_500, `It took ${tookMs} ms`);
});
