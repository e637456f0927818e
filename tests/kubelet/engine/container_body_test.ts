import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Container, PodSpec } from "kubernetes-types/core/v1";
import type { Pod } from "../../../src/kube/resource.ts";
import { ContainerConfigError } from "../../../src/kubelet/inputs/config_error.ts";
import type { StartOrder } from "../../../src/kubelet/runtime.ts";
import { criReader } from "../../../src/kubelet/files/cri_log.ts";
import type { EngineApi } from "../../../src/kubelet/engine/api/engine_api.ts";
import { checkNonRoot, containerBody } from "../../../src/kubelet/engine/container_body.ts";
import { type InspectedContainer, outcomeOf, phaseOf } from "../../../src/kubelet/engine/container_state.ts";
import { engineRefusal } from "../../../src/kubelet/engine/engine_refusal.ts";
import { wholeName } from "../../../src/kubelet/engine/images/image_store.ts";
import { RunFiles } from "../../../src/kubelet/files/run_files.ts";
import { refusalByRuntime } from "../../../src/kubelet/runtime_refusals.ts";
import { test } from "../../support/test.ts";

const PODMAN = { engine: "podman" } as EngineApi;

const IMAGE = { id: "sha", user: "web:staff", stopSignal: "SIGTERM" };

function bodyOf(container: Partial<Container>, spec: Partial<PodSpec> = {}, env: Record<string, string> = {}) {
  const whole = { name: "main", ...container } as Container;
  const metadata = { name: "p", namespace: "default", uid: "u" };
  const pod = { metadata, spec: { containers: [whole], ...spec } } as unknown as Pod;
  const files = new RunFiles("/pods/u/main", 0);
  const order: StartOrder = { pod, container: whole, files, env, volumes: "/none", backOffMs: 0, image: IMAGE };
  const placement = { Hostname: "p", HostConfig: { NetworkMode: "none" } };
  return containerBody(order, placement, { api: PODMAN, dataDir: "/data", hostPaths: [] });
}

type Fields = Readonly<Record<string, unknown>> & { readonly HostConfig?: object };

/** Compares the fields that are expected, also those of `HostConfig`. */
function assertHas(body: object, { HostConfig, ...expected }: Fields): void {
  const pick = (from: object, like: object) =>
    Object.fromEntries(Object.keys(like).map((name) => [name, (from as Record<string, unknown>)[name]]));
  assertEquals(pick(body, expected), expected);
  if (HostConfig) assertEquals(pick((body as { HostConfig: object }).HostConfig, HostConfig), HostConfig);
}

test("A container's command takes the entry point's place, its args alone the image's command's", () => {
  const env = { HOW: "well", LINES: "a\n'b'" };
  assertHas(bodyOf({ command: ["a", "b"], args: ["$(HOW)", "$$(HOW)"] }, {}, env), {
    Image: "sha",
    Entrypoint: ["a", "b"],
    Cmd: ["well", "$(HOW)"],
    Env: ["HOW=well", "LINES=a\n'b'"],
    Hostname: "p",
    HostConfig: { NetworkMode: "none", LogConfig: { Type: "k8s-file", Config: { path: "/pods/u/main/0.log" } } },
  });
  assertHas(bodyOf({ args: ["c"] }), { Entrypoint: undefined, Cmd: ["c"] });
  assertHas(bodyOf({}), { Entrypoint: undefined, Cmd: undefined });
});

test("Users, groups, capabilities and limits become the engine's fields", () => {
  const cases: [Partial<Container>, Partial<PodSpec>, { User?: string; HostConfig?: object }][] = [
    [{ securityContext: { runAsUser: 1 } }, { securityContext: { runAsUser: 2, runAsGroup: 3 } }, { User: "1:3" }],
    [{}, { securityContext: { runAsGroup: 3 } }, { User: "web:3" }],
    [{}, { securityContext: { supplementalGroups: [4], fsGroup: 5 } }, { HostConfig: { GroupAdd: ["4", "5"] } }],
    [
      { securityContext: { capabilities: { drop: ["ALL"], add: ["CHOWN"] } } },
      {},
      { HostConfig: { CapDrop: ["ALL"], CapAdd: ["CHOWN"], Privileged: false } },
    ],
    [
      { securityContext: { privileged: true, capabilities: { add: ["ALL"] } } },
      {},
      { HostConfig: { Privileged: true, CapAdd: [] } },
    ],
    [
      { securityContext: { readOnlyRootFilesystem: true } },
      {},
      { HostConfig: { ReadonlyRootfs: true } },
    ],
    [
      { securityContext: { allowPrivilegeEscalation: false } },
      {},
      { HostConfig: { SecurityOpt: ["label=disable", "no-new-privileges"] } },
    ],
    [
      { resources: { limits: { memory: "1Mi", cpu: "250m" } } },
      {},
      { HostConfig: { Memory: 1048576, MemorySwap: 1048576, NanoCpus: 250_000_000, CpuShares: 256 } },
    ],
    [{ resources: { requests: { cpu: "1m" } } }, {}, { HostConfig: { CpuShares: 2 } }],
  ];
  for (const [container, spec, expected] of cases) assertHas(bodyOf(container, spec), expected);
  const path = "/tmp/a,b";
  assertThrows(() => bodyOf({ terminationMessagePath: path }), ContainerConfigError, `path ${path} cannot be mounted`);
});

test("runAsNonRoot looks at the image's user where the Pod names none", () => {
  const check = (user: string, own: object) => {
    const container = { name: "main", securityContext: { runAsNonRoot: true, ...own } } as Container;
    checkNonRoot({ spec: { containers: [container] } } as unknown as Pod, container, { ...IMAGE, user });
  };
  check("1000:0", {});
  check("", { runAsUser: 1000 });
  for (const [user, own] of [["", {}], ["0:5", {}], ["web", {}], ["1000", { runAsUser: 0 }]] as const) {
    assertThrows(() => check(user, own), ContainerConfigError, "container has runAsNonRoot");
  }
});

test("An image without a registry is Docker Hub's, as on Kubernetes", () => {
  assertEquals(
    ["busybox:1", "a/b", "localhost/a", "localhost:5000/a", "quay.io/a/b@sha256:0"].map(wholeName),
    ["docker.io/library/busybox:1", "docker.io/a/b", "localhost/a", "localhost:5000/a", "quay.io/a/b@sha256:0"],
  );
});

const REFUSED: Record<string, [Partial<PodSpec>, Partial<Container>]> = {
  "spec.hostNetwork": [{ hostNetwork: true }, {}],
  "spec.hostPID": [{ hostPID: true }, {}],
  "hostPath /etc, which is under none": [{ volumes: [{ name: "h", hostPath: { path: "/etc" } }] }, {}],
  "persistentVolumeClaim": [{ volumes: [{ name: "p", persistentVolumeClaim: { claimName: "c" } }] }, {}],
  "spec.securityContext.sysctls": [{ securityContext: { sysctls: [{ name: "a", value: "b" }] } }, {}],
  "securityContext.privileged": [{}, { securityContext: { privileged: true } }],
  "capabilities.add [SYS_ADMIN]": [{}, { securityContext: { capabilities: { add: ["CHOWN", "SYS_ADMIN"] } } }],
  "securityContext.seccompProfile": [{}, { securityContext: { seccompProfile: { type: "Unconfined" } } }],
  "securityContext.procMount": [{}, { securityContext: { procMount: "Unmasked" } }],
  "volumeDevices": [{}, { volumeDevices: [{ name: "d", devicePath: "/d" }] }],
  "ports[0].hostPort": [{}, { ports: [{ containerPort: 1, hostPort: 1 }] }],
  "volumeMounts[0].mountPropagation": [{}, {
    volumeMounts: [{ name: "v", mountPath: "/v", mountPropagation: "Bidirectional" }],
  }],
};

test("A part of an emptyDir is mounted only where no other container at work can exchange it for a link", () => {
  const mounts = (more: object) => ({ volumeMounts: [{ name: "v", mountPath: "/v", ...more }] });
  const refusalOf = (containers: object[], volume: object, more: object = {}) =>
    refusalByRuntime({ containers, volumes: [{ name: "v", ...volume }], ...more } as PodSpec, "podman")?.message;
  const main = { name: "main", ...mounts({ subPath: "a" }) };
  const other = { name: "other" };
  const message =
    "spec.containers[0].volumeMounts[0].subPath is not possible where containers run beside each other: " +
    "mount all of the emptyDir";
  assertEquals(refusalOf([main, other], { emptyDir: {} }), message);
  assertEquals(refusalOf([{ name: "main", ...mounts({ subPathExpr: "$(A)" }) }, other], {}), message);
  assertEquals(
    refusalOf([main], { emptyDir: {} }, { initContainers: [{ ...other, restartPolicy: "Always" }] }),
    message,
  );
  assertEquals(refusalOf([main], { emptyDir: {} }, { initContainers: [other] }), undefined);
  assertEquals(refusalOf([main, other], { configMap: { name: "c" } }), undefined);
  assertEquals(refusalOf([{ name: "main", ...mounts({}) }, other], { emptyDir: {} }), undefined);
});

test("refusalByRuntime() names what a container engine must not do", () => {
  for (const [expected, [spec, container]] of Object.entries(REFUSED)) {
    const refusal = refusalByRuntime({ containers: [{ name: "main", ...container }], ...spec }, "podman");
    assertStringIncludes(refusal?.message ?? "nothing", expected);
  }
  const fine: PodSpec = {
    containers: [{ name: "main", securityContext: { runAsUser: 5, capabilities: { add: ["NET_BIND_SERVICE"] } } }],
  };
  assertEquals(refusalByRuntime(fine, "podman"), undefined);
  const securityContext = { privileged: true, capabilities: { add: ["SYS_ADMIN"] } };
  const privileged: PodSpec = { containers: [{ name: "main", securityContext }] };
  assertEquals(engineRefusal(privileged, { hostPaths: [], privileged: true }), undefined);
  assertStringIncludes(refusalByRuntime(fine, "process")!.message, "capabilities.add");
});

function inspected(state: Partial<InspectedContainer["State"]>): InspectedContainer {
  const times = { StartedAt: "2026-01-01T00:00:01.5Z", FinishedAt: "2026-01-01T00:00:02Z" };
  return { Id: "i", State: { Status: "exited", ExitCode: 0, OOMKilled: false, ...times, ...state } };
}

test("How a container ended is read from what the engine says, and is unknown where it says nothing", () => {
  const outcome = (state: Partial<InspectedContainer["State"]>) => {
    const { exitCode, reason } = outcomeOf(inspected(state), 0);
    return [exitCode, reason];
  };
  assertEquals(outcome({}), [0, "Completed"]);
  assertEquals(outcome({ ExitCode: 3 }), [3, "Error"]);
  assertEquals(outcome({ ExitCode: 137, OOMKilled: true }), [137, "OOMKilled"]);
  // As once a killed monitor's container has been killed.
  assertEquals(outcome({ Status: "stopped", ExitCode: -1 }), [137, "ContainerStatusUnknown"]);
  // As after a restart of the machine.
  assertEquals(outcome({ FinishedAt: "0001-01-01T00:00:00Z" }), [137, "ContainerStatusUnknown"]);
  const StartedAt = "0001-01-01T00:00:00Z";
  const phases = ["created", "configured", "running", "paused", "removing", "exited", "stopped"];
  assertEquals(phases.map((Status) => phaseOf(inspected({ Status, StartedAt }))), [
    ...["unstarted", "unstarted", "running", "running", "running", "ended", "ended"],
  ]);
  // As podman 4 has it after a restart of the machine: it has run, and must not again.
  assertEquals(phaseOf(inspected({ Status: "created", FinishedAt: "0001-01-01T00:00:00Z" })), "ended");
});

test("What a container wrote is read from an engine's log in pieces of any size", () => {
  const log = "2026-01-01T00:00:00.5+01:00 stdout F one\n2026-01-01T00:00:01Z stderr P half \n" +
    "2026-01-01T00:00:01Z stderr F whole\n[cut]\n2026-01-01T00:00:02.123456789Z stdout F \n";
  const read = (size: number, timestamps: boolean) => {
    const reader = criReader({ timestamps });
    const bytes = new TextEncoder().encode(log);
    let text = "";
    for (let start = 0; start < bytes.length; start += size) {
      text += new TextDecoder().decode(reader(bytes.subarray(start, start + size)));
    }
    return text;
  };
  for (const size of [1, 7, 1000]) {
    assertEquals(read(size, false), "one\nhalf whole\n[cut]\n\n");
    assertEquals(
      read(size, true),
      "2025-12-31T23:00:00.500000000Z one\n2026-01-01T00:00:01.000000000Z half whole\n[cut]\n" +
        "2026-01-01T00:00:02.123456789Z \n",
    );
  }
});
