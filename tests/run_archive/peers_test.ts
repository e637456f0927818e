import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { SystemClock } from "../../src/base/clock.ts";
import { openDashboard } from "../../src/cli/controller/dashboard.ts";
import { peersOf } from "../../src/cli/controller/history.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { ClusterArchive } from "../../src/run_archive/cluster_archive.ts";
import { configureLogging } from "../../src/telemetry/logging.ts";
import { addFailedJob, applyCronJob } from "../dashboard/support/dashboard.ts";
import { TestCa } from "../kube/support/certificates.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const MINUTE_MS = 60_000;

test("a replica with an empty volume reads from another over verified HTTPS what it has not seen, as one that may list Jobs", async () => {
  const ca = await TestCa.make();
  const { certificate, key } = await ca.issueServer();
  await using folder = await temporaryFolder({
    "tokens": "replicas-token,replica,1\nbens-token,ben,2\n",
    "token": "replicas-token",
    "ben": "bens-token",
    "ca.crt": ca.certificate,
    "tls.crt": certificate,
    "tls.key": key,
  });
  const path = (name: string) => `${folder.path}/${name}`;
  await using api = await startTestApiServer({
    ephemeral: true,
    tokenFile: path("tokens"),
    mayAlso: ({ name }, { verb }) => name === "replica" && ["get", "list", "watch"].includes(verb),
  });
  const { client } = api;
  const clock = new FakeClock(Date.now());
  const systemClock = new SystemClock();
  const { url, caCertificate } = api.server;
  const connection = { server: url, caCertificates: [caCertificate], tokenFile: path("token") };
  const stop = new AbortController();
  const running: Promise<unknown>[] = [];
  const run = (part: { run(signal: AbortSignal): Promise<void> }) => void running.push(part.run(stop.signal));
  const replica = (name: string, peers: Awaited<ReturnType<typeof peersOf>>) => {
    const jobs = followChildren({ client, clock, flavours: FLAVOURS });
    const limits = { runsMs: 90 * 86_400_000, bytes: 10_000_000 };
    const archive = new ClusterArchive({ database: path(name), clock, jobs, peers, ...limits });
    run(jobs);
    run(archive);
    return archive;
  };
  const jobOf = (archive: ClusterArchive) =>
    archive.runs({ cronJobs: ["default/report"] }).map(({ run }) => run.outcome);

  const first = replica("first", undefined);
  const minute = Math.floor(clock.now() / MINUTE_MS) - 1;
  await applyCronJob(client, { name: "report" });
  await addFailedJob(client, "report", minute);
  await eventually("it is seen", async () => {
    await clock.advance(1_000);
    return jobOf(first)[0] === "Failed";
  });
  await client.delete(JOBS, { namespace: "default", name: `report-${minute}` }, { propagationPolicy: "Background" });
  const { items } = await client.list(JOBS, { namespace: "default" });
  assertEquals(items, []);
  const begun = clock.now();
  await clock.advance(MINUTE_MS);

  const dashboard = await openDashboard({
    dashboardBindAddress: { hostname: "127.0.0.1", port: 0 },
    dashboardTlsCertFile: path("tls.crt"),
    dashboardTlsKeyFile: path("tls.key"),
    namespace: [],
  }, { connection, clock: systemClock, program: { isBusy: false, headlines: [] }, archive: first });
  run(dashboard!);
  const { port } = dashboard as unknown as { port: number };
  const options = {
    historyDir: folder.path,
    historySize: 0,
    historyPeers: `https://127.0.0.1:${port}`,
    historyPeersCaFile: path("ca.crt"),
  };
  const second = replica("second", await peersOf(options, { connection, clock: systemClock }));
  const strangers = await peersOf(options, {
    connection: { ...connection, tokenFile: path("ben") },
    clock: systemClock,
  });
  const distrustful = await peersOf({ ...options, historyPeersCaFile: undefined }, { connection, clock: systemClock });
  const lines: string[] = [];
  configureLogging({ level: "error", format: "text", write: (line) => lines.push(line) });
  try {
    const third = replica("third", strangers);
    const fourth = replica("fourth", distrustful);
    await eventually("the second has read it", async () => {
      await clock.advance(30_000);
      return jobOf(second).length > 0 && second.watched().since! <= begun && lines.length > 1;
    });
    assertEquals([jobOf(second), jobOf(third), jobOf(fourth)], [["Failed"], [], []]);
    assertEquals(second.watched(), first.watched());
    // Each once, however often they try.
    assertEquals(lines.length, 2, lines.join("\n"));
    const complaints = lines.toSorted().join("\n");
    assertMatch(
      complaints,
      /history: Cannot read the history of another replica: .*You may not list Jobs in all namespaces/,
    );
    assertStringIncludes(complaints, "UnknownIssuer");
  } finally {
    configureLogging({ level: "fatal", format: "json", write: () => {} });
    stop.abort();
    await Promise.all(running);
  }
});

for (
  const [wrong, options, sentence] of [
    ["no folder", { historyPeers: "https://a" }, "--history-peers needs --history-dir"],
    ["an address that is read on the way", { historyDir: "/x", historyPeers: "http://a" }, "current value is http://a"],
    [
      "a path",
      { historyDir: "/x", historyPeers: "https://a/b" },
      "--history-peers must be https://host or https://host:",
    ],
    ["a kubeconfig", { historyDir: "/x", historyPeers: "https://a" }, "needs the ServiceAccount of a Pod"],
    ["a CA alone", { historyDir: "/x", historyPeersCaFile: "/x" }, "give both, or neither"],
  ] as const
) {
  test(`other replicas are not asked with ${wrong}`, async () => {
    const about = { connection: { server: "https://a" }, clock: new FakeClock() };
    await assertRejects(() => peersOf({ historySize: 0, ...options }, about), Error, sentence);
  });
}
