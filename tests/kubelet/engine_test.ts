import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Container, PodSpec } from "kubernetes-types/core/v1";
import type { Pod } from "../../src/kube/resource.ts";
import { ContainerConfigError } from "../../src/kubelet/inputs/env.ts";
import type { StartOrder } from "../../src/kubelet/runtime.ts";
import { criReader } from "../../src/kubelet/files/cri_log.ts";
import { checkNonRoot, containerArguments } from "../../src/kubelet/engine/container_arguments.ts";
import { type InspectedContainer, outcomeOf, phaseOf } from "../../src/kubelet/engine/container_state.ts";
import { engineRefusal } from "../../src/kubelet/engine/engine_refusal.ts";
import { handOver } from "../../src/kubelet/engine/environment.ts";
import { ENGINES } from "../../src/kubelet/engine/engine_kind.ts";
import { wholeName } from "../../src/kubelet/engine/image_store.ts";
import { credentialsOf } from "../../src/kubelet/engine/pull_secrets.ts";
import { RunFiles } from "../../src/kubelet/files/run_files.ts";
import { whatRuntimeRefuses } from "../../src/kubelet/what_runtime_refuses.ts";
import { test } from "../support/test.ts";

const IMAGE = { id: "sha", user: "web:staff", stopSignal: "SIGTERM" };

function argsOf(container: Partial<Container>, spec: Partial<PodSpec> = {}, env: Record<string, string> = {}): string {
  const whole = { name: "main", ...container } as Container;
  const pod = { metadata: { name: "p", uid: "u" }, spec: { containers: [whole], ...spec } } as unknown as Pod;
  const files = new RunFiles("/pods/u/main", 0);
  const order: StartOrder = { pod, container: whole, files, env, volumes: "/none", backOffMs: 0, image: IMAGE };
  return containerArguments(order, {
    kind: ENGINES.podman,
    image: IMAGE,
    envFile: "/env",
    inherited: ["QUOTED", "LINES"],
    hostPaths: [],
  }).join(" ");
}

test("A container's command takes the entry point's place, its args alone the image's command's", () => {
  const env = { HOW: "well" };
  assert(
    argsOf({ command: ["a", "b"], args: ["$(HOW)", "$$(HOW)"] }, {}, env).endsWith(
      '--entrypoint ["a"] sha b well $(HOW)',
    ),
  );
  assert(argsOf({ args: ["c"] }).endsWith(" sha c"));
  assert(!argsOf({ args: ["c"] }).includes("--entrypoint"));
});

test("Users, groups, capabilities and limits become the engine's arguments", () => {
  const cases: [Partial<Container>, Partial<PodSpec>, string][] = [
    [{ securityContext: { runAsUser: 1 } }, { securityContext: { runAsUser: 2, runAsGroup: 3 } }, "--user 1:3"],
    [{}, { securityContext: { runAsGroup: 3 } }, "--user web:3"],
    [{}, { securityContext: { supplementalGroups: [4], fsGroup: 5 } }, "--group-add 4 --group-add 5"],
    [
      { securityContext: { capabilities: { drop: ["ALL"], add: ["CHOWN"] } } },
      {},
      "--cap-drop ALL --cap-add CHOWN",
    ],
    [{ securityContext: { privileged: true, capabilities: { add: ["ALL"] } } }, {}, "--privileged --volume"],
    [{ securityContext: { readOnlyRootFilesystem: true } }, {}, "--read-only --read-only-tmpfs=false"],
    [{ securityContext: { allowPrivilegeEscalation: false } }, {}, "--security-opt no-new-privileges"],
    [
      { resources: { limits: { memory: "1Mi", cpu: "250m" } } },
      {},
      "--memory 1048576b --memory-swap 1048576b --cpus 0.25 --cpu-shares 256",
    ],
    [{ resources: { requests: { cpu: "1m" } } }, {}, "--cpu-shares 2"],
  ];
  for (const [container, spec, expected] of cases) assertStringIncludes(argsOf(container, spec), expected);
});

test("Variables are handed over in a file, others by the engine's own variables, and none that would direct it", () => {
  const others = { QUOTED: '"x"', LINES: "a\nb", HASH: "#x", TAIL: "x ", "1": "x", "my.json": "{'a'}", MONEY: "$HOME" };
  const { file, inherited } = handOver({ PLAIN: "a b=c", EMPTY: "", PATH: "/bin", LD_PRELOAD: "/x.so", ...others });
  assertEquals([file, inherited], ["PLAIN=a b=c\nEMPTY=\nPATH=/bin\nLD_PRELOAD=/x.so\n", others]);
  handOver({ DOCKER_AUTH_CONFIG: "{'auths'}", GO_ON: "'", PATHS: "'", LDAP_URL: "'", "DATA-DIR": "'" });
  assertEquals(Object.keys(handOver({ SHORT: "é".repeat(16_000), LONG: "é".repeat(17_000) }).inherited), ["LONG"]);
  const directing = ["PATH", "LD_PRELOAD", "LD_AUDIT", "CONTAINERS_CONF", "XDG_CONFIG_HOME", "DOCKER_HOST", "GODEBUG"];
  for (const name of [...directing, "TMPDIR", "https_proxy", "NOTIFY_SOCKET", "_CONTAINERS_ROOTLESS_UID", "A*"]) {
    assertThrows(() => handOver({ [name]: " '" }), ContainerConfigError, `variable ${name} cannot be handed over`);
  }
  assertStringIncludes(argsOf({}), "--env-file /env --env QUOTED --env LINES ");
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

test("Pull secrets of both kinds are joined, the first for a registry counts, and what is missing is named", async () => {
  const secrets: Record<string, Record<string, string>> = {
    new: { ".dockerconfigjson": btoa('{"auths":{"a":{"auth":"1"}}}') },
    old: { ".dockercfg": btoa('{"a":{"auth":"2"},"b":{"auth":"3"}}') },
    broken: { ".dockerconfigjson": btoa("{") },
  };
  const pod = {
    spec: { imagePullSecrets: ["new", "old", "broken", "none"].map((name) => ({ name })) },
  } as unknown as Pod;
  const { credentials, missing } = await credentialsOf(pod, {
    configMap: () => Promise.resolve(undefined),
    secret: (name) => Promise.resolve(secrets[name] && { data: secrets[name] } as never),
  });
  assertEquals(JSON.parse(credentials!), { auths: { a: { auth: "1" }, b: { auth: "3" } } });
  assertEquals(missing, ["broken", "none"]);
});

const REFUSED: Record<string, [Partial<PodSpec>, Partial<Container>]> = {
  "spec.hostNetwork": [{ hostNetwork: true }, {}],
  "spec.hostPID": [{ hostPID: true }, {}],
  "hostPath /etc, which is under none": [{ volumes: [{ name: "h", hostPath: { path: "/etc" } }] }, {}],
  "persistentVolumeClaim": [{ volumes: [{ name: "p", persistentVolumeClaim: { claimName: "c" } }] }, {}],
  "spec.securityContext.sysctls": [{ securityContext: { sysctls: [{ name: "a", value: "b" }] } }, {}],
  "securityContext.privileged": [{}, { securityContext: { privileged: true } }],
  "capabilities.add [SYS_ADMIN]": [{}, { securityContext: { capabilities: { add: ["CHOWN", "SYS_ADMIN"] } } }],
  "seccompProfile Unconfined": [{}, { securityContext: { seccompProfile: { type: "Unconfined" } } }],
  "procMount Unmasked": [{}, { securityContext: { procMount: "Unmasked" } }],
  "volumeDevices": [{}, { volumeDevices: [{ name: "d", devicePath: "/d" }] }],
  "ports[0].hostPort": [{}, { ports: [{ containerPort: 1, hostPort: 1 }] }],
  "volumeMounts[0].mountPropagation": [{}, {
    volumeMounts: [{ name: "v", mountPath: "/v", mountPropagation: "Bidirectional" }],
  }],
};

test("whatRuntimeRefuses() names what a container engine must not do", () => {
  for (const [expected, [spec, container]] of Object.entries(REFUSED)) {
    const refusal = whatRuntimeRefuses({ containers: [{ name: "main", ...container }], ...spec }, "podman");
    assertStringIncludes(refusal?.message ?? "nothing", expected);
  }
  const fine: PodSpec = {
    containers: [{ name: "main", securityContext: { runAsUser: 5, capabilities: { add: ["NET_BIND_SERVICE"] } } }],
  };
  assertEquals(whatRuntimeRefuses(fine, "podman"), undefined);
  const securityContext = { privileged: true, capabilities: { add: ["SYS_ADMIN"] } };
  const privileged: PodSpec = { containers: [{ name: "main", securityContext }] };
  assertEquals(engineRefusal(privileged, { hostPaths: [], privileged: true }), undefined);
  assertStringIncludes(whatRuntimeRefuses(fine, "process")!.message, "capabilities.add");
});

function inspected(state: Partial<InspectedContainer["State"]>): InspectedContainer {
  const times = { StartedAt: "2026-01-01T00:00:01.5Z", FinishedAt: "2026-01-01T00:00:02Z" };
  return { Id: "i", State: { Status: "exited", ExitCode: 0, OOMKilled: false, ...times, ...state } };
}

test("How a container ended is read from what the engine says, and is unknown where it says nothing", () => {
  const outcome = (state: Partial<InspectedContainer["State"]>, wasOutOfMemory = false) => {
    const { exitCode, reason } = outcomeOf(inspected(state), { wasOutOfMemory, now: 0 });
    return [exitCode, reason];
  };
  assertEquals(outcome({}), [0, "Completed"]);
  assertEquals(outcome({ ExitCode: 3 }), [3, "Error"]);
  assertEquals(outcome({ ExitCode: 137, OOMKilled: true }), [137, "OOMKilled"]);
  assertEquals(outcome({ ExitCode: 137 }, true), [137, "OOMKilled"]);
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
