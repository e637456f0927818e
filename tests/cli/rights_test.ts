import { assertEquals, assertRejects } from "@std/assert";
import type { Command } from "commander";
import type { ResourceRequest } from "../../src/apiserver/http/resource_request.ts";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { addHistoryCommand } from "../../src/cli/history/command.ts";
import { addStatusCommand } from "../../src/cli/status/command.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { type Printed, runCommand } from "./run_command.ts";
import { servedFlavours } from "../../src/cronjob/served_flavours.ts";
import { BATCH, SeededCluster, type SeededCronJob, TUTORIAL } from "./support/seeded_cluster.ts";

const FLEET: readonly SeededCronJob[] = ["team-a", "team-b"].map((namespace) => ({
  name: "sync",
  namespace,
  api: BATCH,
  spec: { concurrencyPolicy: "Forbid" },
  jobs: [{ at: "08:00", ended: "08:02" }, { at: "09:00", waiting: ["ImagePullBackOff", "not found"] }],
}));
const FAILED: SeededCronJob = {
  name: "failed",
  namespace: "team-a",
  jobs: [{ at: "10:00", ended: "10:01", failed: true }],
};

/** Runs commands as Ana, who may read some resources of one namespace. */
class Ana implements AsyncDisposable {
  /** What she was refused. */
  readonly forbidden: string[] = [];
  #cluster!: SeededCluster;
  #folder!: Awaited<ReturnType<typeof temporaryFolder>>;

  static async start(namespace: string, resources: readonly string[]): Promise<Ana> {
    const ana = new Ana();
    ana.#folder = await temporaryFolder();
    const tokenFile = `${ana.#folder.path}/tokens`;
    await Deno.writeTextFile(tokenFile, "anas-token,ana,1\n");
    const mayAlso = (_user: unknown, request: ResourceRequest) => {
      const may = request.namespace === namespace && resources.includes(`${request.plural}.${request.group}`) &&
        ["get", "list"].includes(request.verb);
      if (!may) {
        ana.forbidden.push(`${request.verb} ${request.plural}.${request.group} in ${request.namespace ?? "all"}`);
      }
      return may;
    };
    ana.#cluster = await SeededCluster.start("10:20", [...FLEET, FAILED], { tokenFile, mayAlso });
    const config = await Deno.readTextFile(ana.#cluster.kubeconfig);
    await Deno.writeTextFile(ana.#kubeconfig, config.replace(ana.#cluster.api.server.token, "anas-token"));
    return ana;
  }

  get #kubeconfig(): string {
    return `${this.#folder.path}/kubeconfig`;
  }

  async run(add: (program: Command, clock: Clock) => void, ...args: string[]): Promise<string> {
    return (await this.runAll(add, ...args)).stdout;
  }

  async runAll(add: (program: Command, clock: Clock) => void, ...args: string[]): Promise<Printed> {
    return await runCommand(
      (program) => add(program, this.#cluster.clock),
      ...args,
      "--kubeconfig",
      this.#kubeconfig,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}

const CORE = ["jobs.batch", "pods.", "events."];
const ALL = [...CORE, "cronjobs.batch", "cronjobs.batch.tutorial.kubebuilder.io"];

test("who may read one namespace has all that the commands tell there", async () => {
  await using ana = await Ana.start("team-a", ALL);
  const status = await ana.run(addStatusCommand, "status", "-n", "team-a");
  assertEquals(status.includes("ImagePullBackOff"), true, status);
  const explained = await ana.run(addExplainCommand, "explain", "sync", "-n", "team-a");
  assertEquals(explained.includes("ImagePullBackOff"), true, explained);
  assertEquals((await ana.run(addHistoryCommand, "history", "sync", "-n", "team-a")).split("\n").length, 4);
  assertEquals(ana.forbidden, []);
});

test("who may read Kubernetes' CronJobs alone sees those, and is told in a line which are not shown", async () => {
  await using ana = await Ana.start("team-a", [...CORE, "cronjobs.batch"]);
  const { stdout, stderr } = await ana.runAll(addStatusCommand, "status", "-n", "team-a", "-o", "name");
  assertEquals(stdout, "cronjob.batch/sync");
  assertEquals(
    stderr,
    "cronjob-controller: You may not list cronjobs of batch.tutorial.kubebuilder.io/v1 in namespace team-a",
  );
  for (const [command, add] of [["explain", addExplainCommand], ["history", addHistoryCommand]] as const) {
    const { stdout } = await ana.runAll(add, command, "sync", "-n", "team-a");
    assertEquals(stdout.includes("ImagePullBackOff"), true, stdout);
  }
});

test("an API that the server does not serve is not asked for", async () => {
  await using cluster = await SeededCluster.start("10:20", []);
  assertEquals(await servedFlavours(cluster.api.client), [TUTORIAL, BATCH]);
});

test("who may not read elsewhere is told so in a sentence, and nothing is asked for twice", async () => {
  await using ana = await Ana.start("team-a", ALL);
  await assertRejects(
    () => ana.run(addStatusCommand, "status", "-A"),
    Error,
    "in all namespaces; name one with --namespace",
  );
  assertEquals(ana.forbidden.length, new Set(ana.forbidden).size, ana.forbidden.join(", "));
  ana.forbidden.length = 0;
  const message = /You may not list (jobs|cronjobs) of \S+ in namespace team-b/;
  const error = await assertRejects(() => ana.run(addExplainCommand, "explain", "sync", "-n", "team-b"), Error);
  assertEquals(message.test(error.message), true, error.message);
  assertEquals(ana.forbidden.length, new Set(ana.forbidden).size, ana.forbidden.join(", "));
});

test("who may read neither Pods nor Events sees what CronJobs and Jobs tell", async () => {
  await using ana = await Ana.start("team-a", [
    "cronjobs.batch",
    "cronjobs.batch.tutorial.kubebuilder.io",
    "jobs.batch",
  ]);
  const status = await ana.run(addStatusCommand, "status", "-n", "team-a");
  assertEquals(status.includes("Blocked"), true, status);
  const explained = await ana.run(addExplainCommand, "explain", "sync", "-n", "team-a");
  assertEquals(explained.split("\n")[0], "sync did NOT run at Tue 2026-03-10 10:00 UTC: skipped.");
  // Two commands, which each ask once.
  const asked = Object.entries(Object.groupBy(ana.forbidden, (request) => request));
  assertEquals(asked.map(([request, times]) => `${times!.length} ${request}`).sort(), [
    "2 list events. in team-a",
    "2 list pods. in team-a",
  ]);
});
