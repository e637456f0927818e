// The first hour on a cluster, as the documentation shows it, with nothing but what a release consists of. Part of
// `deno task test:release`.
import { assert, assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { blocksOf, readPage } from "../docs/support/pages.ts";
import { play, type Step, stepsOf } from "../docs/support/transcript.ts";
import { atLeast } from "../support/expected.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";
import { RELEASE, VERSION } from "./support/rehearsal.ts";
import { SmallCluster } from "./support/small_cluster.ts";

const MINUTE_MS = 60_000;
const PAGE = "docs/start/cluster.md";

/** Serves the files of a release as its forge does: `/releases/latest/download/FILE`. */
function serveRelease(): { url: string } & AsyncDisposable {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const [, file] = /^\/releases\/latest\/download\/([\w.]+)$/.exec(new URL(request.url).pathname) ?? [];
    return file === undefined
      ? new Response(null, { status: 404 })
      : new Response(await Deno.readTextFile(`${RELEASE}/${file}`));
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A folder in which `npx cronjob-controller` is the one of the release, as the registry of npm would give it. */
async function folderWithNpx(): Promise<{ path: string } & AsyncDisposable> {
  const folder = await temporaryFolder({ "package.json": "{}" });
  const packages = ["_npm_linux-x64.tgz", "_npm.tgz"].map((end) => `${RELEASE}/cronjob-controller_${VERSION}${end}`);
  const { code, stderr } = await runToEnd([
    "npm",
    "install",
    "--offline",
    "--no-audit",
    "--prefix",
    folder.path,
    ...packages,
  ]);
  assertEquals(code, 0, stderr);
  return folder;
}

test("three commands on a cluster run an adopted CronJob within five minutes, and no minute twice", async () => {
  await using folder = await folderWithNpx();
  await using release = serveRelease();
  const program = `${folder.path}/node_modules/@cronjob-controller/linux-x64/cronjob-controller`;
  await using cluster = await SmallCluster.start({ program, manifest: `${RELEASE}/install.yaml` });
  const { client, upstream } = cluster;
  const jobs = async () => (await client.list(JOBS, { namespace: "default" })).items;
  const ofMinute = ({ metadata }: Job) => Date.parse(metadata.annotations?.[BATCH.scheduledTimeAnnotation] ?? "");
  const options = {
    cwd: folder.path,
    env: { PATH: Deno.env.get("PATH")!, HOME: folder.path, KUBECONFIG: cluster.kubeconfig, NO_COLOR: "1" },
  };
  const run = async (steps: readonly Step[]) => {
    for (const { command, shown } of steps) {
      await play({ command: command.replace("REPOSITORY", release.url), shown }, options);
    }
  };
  const transcripts = blocksOf(await readPage(PAGE)).filter(({ info }) => info === "console");
  const [before, threeCommands, after] = atLeast(3, transcripts.map(({ text }) => stepsOf(text)));
  assertEquals(threeCommands.length, 3);

  await run(before);
  // It has been there for a while, so that the other controller runs it at once.
  const body = {
    status: { lastScheduleTime: new Date(Date.now() - 5 * MINUTE_MS).toISOString().replace(/\.\d+Z/, "Z") },
  };
  await client.patch(BATCH.resource, { namespace: "default", name: "hello" }, { type: "merge", body }, {
    subresource: "status",
  });
  await eventually("a run of the other controller", async () => (await jobs())[0]);

  const began = performance.now();
  await run(threeCommands);
  upstream.deeds.length = 0;
  const adoptedAt = Date.now();
  const ours = await eventually("a run of this controller", async () => {
    return (await jobs()).find((job) => ofMinute(job) > adoptedAt && job.status?.succeeded === 1);
  });
  const tookMs = performance.now() - began;
  assert(tookMs < 5 * MINUTE_MS, `the first run ended after ${tookMs} ms`);
  assertEquals(ours.metadata.ownerReferences?.[0]?.controller, false, "it is no Job of the other controller");

  await run(after);
  const minutes = (await jobs()).map(ofMinute);
  assertEquals(new Set(minutes).size, minutes.length, "a minute has two Jobs");
  assertEquals(upstream.deeds, []);
});
