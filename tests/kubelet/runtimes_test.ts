import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { CRON_JOBS, type CronJob, type Job, JOBS, type Pod } from "../../src/kube/resource.ts";
import { askedRuntime, ContainerRuntimes, RUNTIME_ANNOTATION, type RuntimeChoice } from "../../src/kubelet/runtimes.ts";
import type { ContainerRuntime } from "../../src/kubelet/runtime.ts";
import { PodDirectory } from "../../src/kubelet/files/pod_directory.ts";
import type { RuntimeName } from "../../src/kubelet/files/run_files.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";
import { podOf, shell, startKubelet } from "./support/test_kubelet.ts";

function runtimeOf(name: RuntimeName): ContainerRuntime {
  return { name, refusalOf: () => undefined } as unknown as ContainerRuntime;
}

const KNOWN = [runtimeOf("process"), runtimeOf("podman")];

const POD = { metadata: { name: "p", uid: "u" }, spec: { containers: [{ name: "main" }] } } as unknown as Pod;

function choice(runtimes: ContainerRuntimes, directory: PodDirectory, asked?: string): Promise<RuntimeChoice> {
  return runtimes.choose(POD, directory, () => Promise.resolve(asked));
}

async function withDirectory(fn: (directory: PodDirectory) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "runtimes-" });
  try {
    await fn(new PodDirectory(folder, "u"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

test("A Pod gets the first runtime that is allowed, or the allowed one that it asks for", () =>
  withDirectory(async (directory) => {
    const runtimes = new ContainerRuntimes(KNOWN, ["podman", "process"]);
    assertEquals((await choice(runtimes, directory)).runtime.name, "podman");
    assertEquals((await choice(runtimes, directory, "process")).runtime.name, "process");
  }));

test("A Pod never gets a runtime that the operator does not allow", () =>
  withDirectory(async (directory) => {
    const runtimes = new ContainerRuntimes(KNOWN, ["podman"]);
    for (const asked of ["process", "rkt", "", "PODMAN"]) {
      const { refusal } = await choice(runtimes, directory, asked);
      assertEquals(refusal?.reason, "NotAllowed", asked);
      assertStringIncludes(refusal!.message, `asks for the container runtime "${asked}"`);
    }
  }));

test("A Pod whose wish cannot be found out gets no runtime", () =>
  withDirectory(async (directory) => {
    const runtimes = new ContainerRuntimes(KNOWN, ["process"]);
    await assertRejects(() => runtimes.choose(POD, directory, () => Promise.reject(new Error("no answer"))), Error);
  }));

test("A Pod that has begun stays with its runtime, which may start nothing more if it is not allowed any more", () =>
  withDirectory(async (directory) => {
    directory.create(POD);
    Deno.mkdirSync(`${directory.path}/main`);
    directory.run("main", 0).writeIntent({ attempt: "a", bootId: "", backOffMs: 0, startedAt: 0 });
    const runtimes = new ContainerRuntimes(KNOWN, ["podman"]);
    const { runtime, refusal } = await choice(runtimes, directory);
    assertEquals([runtime.name, refusal, runtimes.allows(runtime)], ["process", undefined, false]);
  }));

test("A runtime that is not known cannot be allowed", () => {
  assertThrows(() => new ContainerRuntimes(KNOWN, ["rkt" as RuntimeName]), Error, 'container runtime "rkt"');
});

test("A Pod's own wish goes first, then its Job's, then its CronJob's", async () => {
  await using api = await startTestApiServer();
  const { client } = api;
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
  const asking = (runtime?: string): Record<string, string> =>
    runtime === undefined ? {} : { [RUNTIME_ANNOTATION]: runtime };
  const owned = (kind: string, { metadata: { name, uid } }: CronJob | Job) => ({
    ownerReferences: [{ apiVersion: "batch/v1", kind, name, uid, controller: true }],
  });
  let number = 0;
  const wish = async (ofPod: string | undefined, ofJob: string | undefined, client: KubeClient) => {
    const name = `made-${number++}`;
    const metadata = { name, namespace: "default", annotations: asking(ofJob), ...owned("CronJob", cronJob) };
    const job = await client.create(JOBS, { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template } });
    const pod = { ...POD, metadata: { ...POD.metadata, namespace: "default", annotations: asking(ofPod) } };
    return await askedRuntime({ ...pod, metadata: { ...pod.metadata, ...owned("Job", job) } }, { client });
  };
  const cronJob = await client.create(CRON_JOBS, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "asks", namespace: "default", annotations: asking("process") },
    spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec: { template } } },
  });
  assertEquals(await wish("podman", "rkt", client), "podman");
  assertEquals(await wish(undefined, "rkt", client), "rkt");
  assertEquals(await wish(undefined, undefined, client), "process");

  const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "asks", uid: cronJob.metadata.uid };
  const wishOf = (...ownerReferences: typeof owner[]) => {
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "made", uid: "made", ownerReferences } };
    // The collector would remove it.
    const get = ((resource, name) => {
      return resource.kind === "Job" ? Promise.resolve(job) : client.get(resource, name);
    }) as KubeClient["get"];
    const metadata = { ...POD.metadata, namespace: "default", ...owned("Job", job as Job) };
    return askedRuntime({ ...POD, metadata }, { client: { get } as KubeClient });
  };
  assertEquals(await wishOf(), undefined);
  assertEquals(await wishOf(owner), "process");
  assertEquals(await wishOf({ ...owner, apiVersion: "example.com/v1" }), undefined);
  await assertRejects(() => wishOf({ ...owner, uid: "former" }), ApiError, "CronJob asks is another one by now");
  await assertRejects(() => wishOf({ ...owner, name: "gone" }), ApiError, '"gone" not found');
});

test("A Pod whose Job is gone starts nothing, and is let go of", async () => {
  await using kubelet = await startKubelet();
  const pod = podOf("left", shell("true"));
  const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "gone", uid: "former" }];
  await kubelet.create({ ...pod, metadata: { ...pod.metadata, ownerReferences } } as typeof pod);
  await kubelet.deleted("left");
  assertEquals(kubelet.reasons("Normal").filter((reason) => reason !== "Killing"), []);
});
