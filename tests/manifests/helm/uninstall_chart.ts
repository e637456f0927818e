// The real helm uninstalls the chart while names are kept taken: `deno task test:chart` (needs helm on PATH).
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Job } from "kubernetes-types/batch/v1";
import { NAME_HOLD } from "../../../src/cronjob/api/annotations.ts";
import { PRODUCTION } from "../../../src/cronjob/api/flavour.ts";
import { type Job as StoredJob, JOBS, NAMESPACES } from "../../../src/kube/resource.ts";
import { formatTime } from "../../../src/base/epoch_ms.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { completedAt } from "../../support/ended_job.ts";
import { must } from "../../support/expected.ts";
import { eventually, NO_ENDPOINTS, PROGRAM, RunningProgram, temporaryFolder } from "../../support/program.ts";
import { test } from "../../support/test.ts";
import { isHook } from "../support/chart_hooks.ts";
import { CLUSTER_KINDS } from "../support/cluster_kinds.ts";
import { kubeconfigOf } from "../support/installed.ts";
import { Permissions } from "../support/rbac.ts";
import { CHART, helmOk, rendered } from "../support/real_helm.ts";
import { cronJobOf } from "../../support/cron_job.ts";

const RELEASE = "cron";
const HOOK = "cronjob-controller-free-names";
const HOOK_USER = `system:serviceaccount:${RELEASE}:${HOOK}`;
const TOKEN = "token-of-the-hook";

const WATCHED = ["team-a", "team-b"];

const cronJobIn = (namespace: string) =>
  cronJobOf(PRODUCTION, { name: "often", namespace, spec: { schedule: "@every 1s", neverTwice: true } });

function isHeld({ metadata }: StoredJob): boolean {
  return metadata.finalizers?.includes(NAME_HOLD) ?? false;
}

for (const namespaces of [[], WATCHED]) {
  const where = namespaces.join(" and ") || "all namespaces";
  test(`helm uninstall leaves no name taken in ${where}, although the controller starts Jobs until it ends`, async () => {
    const values = { neverTwice: true, namespaces };
    const hooks = (await rendered(values, RELEASE)).filter(isHook);
    const rights = new Permissions(hooks);
    await using folder = await temporaryFolder({ tokens: `${TOKEN},${HOOK_USER},u1,"system:serviceaccounts"\n` });
    const unused = new Set(rights.grantsOf(HOOK_USER));
    await using api = await startTestApiServer({
      kinds: CLUSTER_KINDS,
      tokenFile: `${folder.path}/tokens`,
      mayAlso({ name }, request) {
        const allowing = rights.allowing(name, request);
        for (const grant of allowing) unused.delete(grant);
        return allowing.length > 0;
      },
    });
    const { client } = api;
    for (const [user, token] of Object.entries({ hook: TOKEN, controller: api.server.token })) {
      await Deno.writeTextFile(`${folder.path}/${user}`, kubeconfigOf(api, { token, namespace: RELEASE }));
    }
    const start = (user: string, args: readonly string[]) =>
      new RunningProgram([...PROGRAM, ...args, "--kubeconfig", `${folder.path}/${user}`]);
    const env = { KUBECONFIG: api.server.kubeconfigPath, HOME: folder.path };
    const release = ["cronjobs", "--namespace", RELEASE];
    for (const name of WATCHED) {
      await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    await helmOk(["install", ...release, CHART, "--create-namespace"], { env, values });

    await using controller = start("controller", ["controller", "--never-twice", "--leader-elect", ...NO_ENDPOINTS]);
    for (const name of WATCHED) await client.create(PRODUCTION.resource, cronJobIn(name));
    const held = async () => (await client.list(JOBS)).items.filter(isHeld);
    const places = async () => new Set((await held()).map(({ metadata }) => metadata.namespace)).size;
    await eventually("names that are taken in both", async () => await places() === WATCHED.length);

    const uninstalled = helmOk(["uninstall", ...release], { env });
    const hook = { name: HOOK, namespace: RELEASE };
    const job = await eventually("the hook", () => client.get(JOBS, hook).catch(() => undefined)) as Job;
    const before = (await held()).length;
    const { containers } = must(job.spec).template.spec!;
    const programs = containers.map(({ args = [] }) => start("hook", args));
    // The kubelet ends it while the hook's Pod is at work.
    await eventually("more Jobs", async () => (await held()).length >= before + 8);
    await controller.end("SIGTERM");
    for (const program of programs) {
      await using ended = program;
      assertEquals((await ended.child.status).code, 0, ended.output);
    }
    const printed = programs.map(({ output }) => output).join("");
    for (const name of WATCHED) assertMatch(printed, new RegExp(`^Freed Job ${name}/often-`, "m"));
    assertEquals(await held(), []);
    assertEquals([...unused], []);

    await client.patch(JOBS, hook, { type: "merge", body: { status: completedAt(formatTime(Date.now())) } }, {
      subresource: "status",
    });
    await uninstalled;
    assertEquals(await helmOk(["list", "--namespace", RELEASE, "--short"], { env }), "");
    assert(await client.get(JOBS, hook).then(() => false, () => true), "the hook goes with the release");
    for (const name of WATCHED) await client.delete(NAMESPACES, { name });
    const left = async () =>
      (await client.list(NAMESPACES)).items.filter(({ metadata }) => WATCHED.includes(metadata.name));
    await eventually("the end of the namespaces", async () => (await left()).length === 0);
  });
}
