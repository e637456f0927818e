import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Pod } from "../../src/kube/resource.ts";
import { ContainerRuntimes, RUNTIME_ANNOTATION, type RuntimeChoice } from "../../src/kubelet/runtimes.ts";
import type { ContainerRuntime } from "../../src/kubelet/runtime.ts";
import { PodDirectory } from "../../src/kubelet/files/pod_directory.ts";
import type { RuntimeName } from "../../src/kubelet/files/run_files.ts";
import { test } from "../support/test.ts";

function runtimeOf(name: RuntimeName): ContainerRuntime {
  return { name, refusalOf: () => undefined } as unknown as ContainerRuntime;
}

const KNOWN = [runtimeOf("process"), runtimeOf("podman")];

const POD = { metadata: { name: "p", uid: "u" }, spec: { containers: [{ name: "main" }] } } as unknown as Pod;

function choice(runtimes: ContainerRuntimes, directory: PodDirectory, asked?: string): RuntimeChoice {
  const annotations: Record<string, string> = asked === undefined ? {} : { [RUNTIME_ANNOTATION]: asked };
  return runtimes.choose({ ...POD, metadata: { ...POD.metadata, annotations } }, directory);
}

function withDirectory(fn: (directory: PodDirectory) => void): void {
  const folder = Deno.makeTempDirSync({ prefix: "runtimes-" });
  try {
    fn(new PodDirectory(folder, "u"));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

test("A Pod gets the first runtime that is allowed, or the allowed one that it asks for", () =>
  withDirectory((directory) => {
    const runtimes = new ContainerRuntimes(KNOWN, ["podman", "process"]);
    assertEquals(choice(runtimes, directory).runtime.name, "podman");
    assertEquals(choice(runtimes, directory, "process").runtime.name, "process");
  }));

test("A Pod never gets a runtime that the operator does not allow", () =>
  withDirectory((directory) => {
    const runtimes = new ContainerRuntimes(KNOWN, ["podman"]);
    for (const asked of ["process", "rkt", "", "PODMAN"]) {
      const { refusal } = choice(runtimes, directory, asked);
      assertEquals(refusal?.reason, "NotAllowed", asked);
      assertStringIncludes(refusal!.message, `asks for the container runtime "${asked}"`);
    }
  }));

test("A Pod that has begun stays with its runtime, which may start nothing more if it is not allowed any more", () =>
  withDirectory((directory) => {
    directory.create(POD);
    Deno.mkdirSync(`${directory.path}/main`);
    directory.run("main", 0).writeIntent({ attempt: "a", bootId: "", backOffMs: 0, startedAt: 0 });
    const runtimes = new ContainerRuntimes(KNOWN, ["podman"]);
    const { runtime, refusal } = choice(runtimes, directory);
    assertEquals([runtime.name, refusal, runtimes.allows(runtime)], ["process", undefined, false]);
  }));

test("A runtime that is not known cannot be allowed", () => {
  assertThrows(() => new ContainerRuntimes(KNOWN, ["rkt" as RuntimeName]), Error, 'container runtime "rkt"');
});
