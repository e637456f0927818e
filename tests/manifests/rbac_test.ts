import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, FLAVOURS, PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { accessOf } from "../../src/manifests/access.ts";
import { type Install, installOf, LEASE, NAMESPACE, type OverlayName } from "../../src/manifests/install.ts";
import { objectsOf } from "../../src/manifests/objects.ts";
import { LEASES } from "../../src/kube/resource.ts";
import { DEPLOY } from "../../deploy/write.ts";
import { requestOf } from "../support/audit.ts";
import { atLeast, must } from "../support/expected.ts";
import { eventually, type RunningProgram } from "../support/program.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { Life } from "./support/cron_job_life.ts";
import { CONTROLLER, Installed } from "./support/installed.ts";
import { kustomize } from "./support/kustomize.ts";
import { Permissions } from "./support/rbac.ts";
import { verdictOn } from "./support/verdict.ts";

const ADOPTED = { "cronjob-controller.dev/managed": "true" };

/** Runs by hand, as the schedule of `batch/v1` would take minutes. */
async function runCronJobs(life: Life, api: Flavour, { adopted }: { adopted: boolean }): Promise<void> {
  const [spec, annotations] = adopted ? [{ suspend: true }, ADOPTED] : [{}, {}];
  const named = (name: string) => `${name}-${api.controllerName}`;
  const [short, replaced, alone] = [named("short"), named("replaced"), named("alone")];
  await life.create(api, short, { ...spec, successfulJobsHistoryLimit: 0 }, annotations);
  await life.create(api, replaced, { ...spec, concurrencyPolicy: "Replace" }, annotations);
  await life.create(api, alone, { ...spec, concurrencyPolicy: "Forbid" }, annotations);
  for (const name of [short, replaced, alone]) await life.trigger(api, name, "1");
  const [ended] = atLeast(1, await life.jobs(short, 1));
  await life.succeed(ended);
  await life.jobs(short, 0);
  const [first] = atLeast(1, await life.jobs(replaced, 1));
  await life.trigger(api, replaced, "2");
  await eventually(
    "it is replaced",
    async () => must((await life.jobs(replaced, 1))[0]).metadata.uid !== first.metadata.uid,
  );
  await life.jobs(alone, 1);
  await life.trigger(api, alone, "2");
  await life.event("JobAlreadyActive");
  await life.trigger(api, alone, "3");
  await life.event("JobAlreadyActive", 2);
  await life.createKeepingUntilSuccess(api, named("failing"), spec, annotations);
  await life.fail(must((await life.jobs(named("failing"), 1))[0]));
  await life.failedRun(api, named("failing"));
  if (api.pendingTimeoutSeconds === undefined) return;
  await life.create(api, named("pending"), { ...spec, pendingTimeoutSeconds: 1 }, annotations);
  await life.trigger(api, named("pending"), "1");
  await life.wait(must((await life.jobs(named("pending"), 1))[0]));
  await life.event("PendingTimeout");
}

/** What a server has failed at is asked for before it is tried again. */
async function recover(installed: Installed, life: Life, { apis, jobs }: Install): Promise<void> {
  const [api] = atLeast(1, apis);
  installed.failAtNext("create jobs");
  await life.create(api, "retried", {});
  await life.trigger(api, "retried", "1");
  await life.jobs("retried", 1);
  if (jobs === "off") return;
  installed.failAtNext("create pods");
  await life.managedJob("again");
  await life.pods("again", 1);
}

/** A CronJob that kube-controller-manager has run so far. */
async function adopt(life: Life): Promise<void> {
  const native = await life.create(BATCH, "upstream", { suspend: false });
  const { metadata: { name } } = await life.nativeJob(native);
  await life.annotate(BATCH, "upstream", ADOPTED, { suspend: true });
  await eventually("its Job is handed over", async () => {
    const { metadata } = await life.getJob(name);
    return metadata.ownerReferences?.[0]?.controller === false;
  });
}

async function runJobs(life: Life): Promise<void> {
  await life.managedJob("done");
  const [pod] = atLeast(1, await life.pods("done", 1));
  await life.podSucceeds(pod);
  await eventually("the Job is done", async () => (await life.getJob("done")).status?.succeeded === 1);
  await life.managedJob("stopped");
  await life.pods("stopped", 1);
  await life.patchJob("stopped", { spec: { suspend: true } });
  await life.pods("stopped", 0);
}

/** Ends the one that leads; gives back once another does. */
async function takeOver(installed: Installed, replicas: readonly RunningProgram[]): Promise<void> {
  const holder = async () =>
    (await installed.client.get(LEASES, { namespace: NAMESPACE, name: LEASE })).spec?.holderIdentity || undefined;
  const before = await eventually("somebody leads", holder);
  const standby = await eventually(
    "the other has seen it",
    () => Promise.resolve(replicas.find(({ output }) => output.includes(`${before} leads`))),
  );
  const leader = replicas.find((replica) => replica !== standby)!;
  assertEquals((await leader.end("SIGTERM")).code, 0, leader.output);
  await eventually("the other leads", async () => ![before, undefined].includes(await holder()));
}

const CASES: Record<string, { install: Install; overlay?: OverlayName; namespace: string; hasStandby?: true }> = {
  base: { install: installOf("base"), overlay: "base", namespace: "team-a", hasStandby: true },
  namespaced: { install: installOf("namespaced"), overlay: "namespaced", namespace: "default" },
  "batch-v1": { install: installOf("batch-v1"), overlay: "batch-v1", namespace: "team-a" },
  tutorial: { install: installOf("tutorial"), overlay: "tutorial", namespace: "team-a" },
  "all APIs and Jobs, in one namespace": {
    install: { ...installOf("base"), apis: FLAVOURS, jobs: "managed", watched: ["team-a"] },
    namespace: "team-a",
  },
};

table(
  "the roles of an installation allow all that its controllers ask for, and no more",
  Object.entries(CASES),
  async ({ install, overlay, namespace, hasStandby }) => {
    const folder = overlay && new URL(overlay === "base" ? "base" : `overlays/${overlay}`, DEPLOY).pathname;
    const objects = folder ? await kustomize(folder) : objectsOf(install);
    await using installed = await Installed.start(objects);
    await installed.namespace(namespace);
    const replicas = Array.from({ length: hasStandby ? 2 : 1 }, () => installed.startReplica());
    const life = new Life(installed.client, namespace);

    const refused = async () =>
      (await installed.requests()).filter(({ responseStatus }) => responseStatus.code === 403)
        .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
    try {
      for (const api of install.apis) {
        await runCronJobs(life, api, { adopted: install.managedOnly && api.adoptable });
        if (api === BATCH) await adopt(life);
      }
      if (install.jobs !== "off") await runJobs(life);
      if (hasStandby) await takeOver(installed, replicas);
      // Last: after this a leader keeps its lease until it runs out.
      await recover(installed, life, install);
    } catch (error) {
      assertEquals(await refused(), [], `Forbidden, and therefore: ${error}`);
      throw error;
    }
    for (const replica of replicas) await replica.end("SIGTERM");

    assertEquals(await refused(), []);
    const requests = await installed.requests();
    const asked = requests.flatMap((event) => requestOf(event) ?? []);
    const grants = installed.permissions.grantsOf(CONTROLLER);
    const { denied, unused } = verdictOn(grants, asked, accessOf(install));
    // All installations have the same access to their Lease, of which a short life without a standby needs a part alone.
    const needless = unused.filter((access) => hasStandby || !access.includes(" leases."));
    assertEquals([denied, needless], [[], []]);
  },
);

test("no role of the controller reads Secrets, makes Pods unless it runs Jobs, or changes what users may do", () => {
  for (const [name, { install }] of Object.entries(CASES)) {
    const grants = new Permissions(objectsOf(install)).grantsOf(CONTROLLER);
    const resources = new Set(grants.map(({ group, resource }) => `${resource}${group && `.${group}`}`));
    const expected = [
      ...install.apis.flatMap(({ resource: { group } }) =>
        ["", "/status", "/finalizers"].map((part) => `cronjobs${part}.${group}`)
      ),
      "jobs.batch",
      "pods",
      ...install.apis.includes(PRODUCTION) || install.jobs !== "off" ? ["jobs/status.batch"] : [],
      ...install.jobs === "off" ? [] : ["jobs/finalizers.batch"],
      "events",
      "leases.coordination.k8s.io",
    ];
    assertEquals([...resources].sort(), expected.sort(), name);
    if (install.jobs !== "off") continue;
    assertEquals([...new Set(grants.filter(({ resource }) => resource === "pods").map(({ verb }) => verb))], ["list"]);
  }
});

test("what is asked for and not allowed is found, and what is allowed and not asked for", () => {
  const install = { ...installOf("namespaced"), apis: [PRODUCTION] };
  const objects = objectsOf(install);
  const access = accessOf(install);
  const permissions = new Permissions(objects);
  const all = permissions.grantsOf(CONTROLLER).filter(({ resource }) => !resource.endsWith("/finalizers"));
  const asked = all.map(({ verb, group, resource, namespace, name }) => {
    const [plural = "", subresource] = resource.split("/");
    return { verb, group, plural, subresource, namespace, name };
  });
  const grants = permissions.grantsOf(CONTROLLER);
  assertEquals(verdictOn(grants, asked, access), { denied: [], unused: [] });

  const statusUpdate = asked.find(({ subresource }) => subresource === "status")!;
  const others = asked.filter((request) => request !== statusUpdate);
  assertEquals(verdictOn(grants, others, access).unused, [
    "Role/default/cronjob-controller: update cronjobs/status.cronjob-controller.dev",
  ]);
  const withoutJobs = asked.filter(({ plural, verb }) => `${verb} ${plural}` !== "create jobs");
  assertEquals(verdictOn(grants, withoutJobs, access).unused, [
    "Role/default/cronjob-controller: update cronjobs/finalizers.cronjob-controller.dev",
    "Role/default/cronjob-controller: create jobs.batch",
  ]);
  for (
    const [request, told] of [
      [{ ...statusUpdate, namespace: "other" }, "update cronjobs/status.cronjob-controller.dev in other"],
      [{ ...statusUpdate, namespace: undefined }, "update cronjobs/status.cronjob-controller.dev"],
      [{ ...statusUpdate, subresource: undefined }, "update cronjobs.cronjob-controller.dev in default"],
      [{ ...statusUpdate, group: "batch" }, "update cronjobs/status.batch in default"],
      [{ ...statusUpdate, verb: "patch" }, "patch cronjobs/status.cronjob-controller.dev in default"],
      [
        { verb: "get", group: LEASES.group, plural: "leases", namespace: NAMESPACE, name: "other" },
        `get leases.coordination.k8s.io other in ${NAMESPACE}`,
      ],
      [
        { verb: "list", group: LEASES.group, plural: "leases", namespace: NAMESPACE },
        `list leases.coordination.k8s.io in ${NAMESPACE}`,
      ],
    ] as const
  ) assertEquals(verdictOn(grants, [...asked, request], access).denied, [told]);
  assertEquals(permissions.grantsOf("system:serviceaccount:default:default"), []);
});
