import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Container, PodSpec } from "kubernetes-types/core/v1";
import { ignoredFields, processRefusal } from "../../../src/kubelet/process/refusal.ts";
import { test } from "../../support/test.ts";
import { present } from "../../support/present.ts";

const MAIN = { name: "main", command: ["true"] };

function check(spec: Partial<PodSpec>, uid = 1000) {
  return processRefusal({ containers: [MAIN], ...spec } as PodSpec, { uid, gid: uid });
}

const REFUSED: Record<string, [Partial<PodSpec>, string, string]> = {
  "a container without anything to run": [
    { containers: [MAIN, { name: "side" }] },
    "MissingCommand",
    'Container "side" has neither command nor args',
  ],
  "the remedy for it": [{ containers: [{ name: "a" }] }, "MissingCommand", "set spec.containers[0].command"],
  "an init container without anything to run": [
    { initContainers: [{ name: "i", command: [] }] },
    "MissingCommand",
    "spec.initContainers[0].command",
  ],
  "a hostPath": [
    { volumes: [{ name: "host", hostPath: { path: "/etc" } }] },
    "NotAllowed",
    'Volume "host" has a hostPath',
  ],
  "a privileged container": [
    { containers: [{ ...MAIN, securityContext: { privileged: true } }] },
    "NotAllowed",
    "spec.containers[0].securityContext.privileged",
  ],
  "another user": [
    { containers: [{ ...MAIN, securityContext: { runAsUser: 0 } }] },
    "NotAllowed",
    "spec.containers[0].securityContext.runAsUser 0 is not possible: processes run as the user who started the program (1000:1000)",
  ],
  "another user for the Pod": [
    { securityContext: { runAsUser: 65534 } },
    "NotAllowed",
    "spec.securityContext.runAsUser 65534",
  ],
  "another group": [{ securityContext: { runAsGroup: 1 } }, "NotAllowed", "spec.securityContext.runAsGroup 1"],
  "capabilities": [
    { containers: [{ ...MAIN, securityContext: { capabilities: { add: ["NET_ADMIN"] } } }] },
    "NotAllowed",
    "capabilities.add [NET_ADMIN]",
  ],
  "a volume that is on no workstation": [
    { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "c" } }] },
    "UnsupportedVolume",
    'Volume "data" is of kind persistentVolumeClaim',
  ],
  "a service account's token": [
    { volumes: [{ name: "token", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
    "UnsupportedVolume",
    'Volume "token" is of kind projected',
  ],
  "a source of a variable that is not there": [
    { containers: [{ ...MAIN, env: [{ name: "X", valueFrom: { gpuRef: {} } as never }] }] },
    "UnsupportedField",
    "spec.containers[0].env[0].valueFrom.gpuRef",
  ],
};

for (const [name, [spec, reason, message]] of Object.entries(REFUSED)) {
  test(`processRefusal() names ${name}`, () => {
    const refusal = check(spec);
    assertEquals(refusal?.reason, reason);
    assertStringIncludes(refusal!.message, message);
  });
}

test("processRefusal() refuses runAsNonRoot only to root", () => {
  assertEquals(check({ securityContext: { runAsNonRoot: true } }), undefined);
  assertEquals(check({ securityContext: { runAsNonRoot: true } }, 0)?.reason, "NotAllowed");
});

test("processRefusal() lets pass what a process can have", () => {
  assertEquals(
    check({
      securityContext: { runAsUser: 1000, runAsGroup: 1000, fsGroup: 5 },
      containers: [present<Container>({
        ...MAIN,
        command: undefined,
        args: ["true"],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        resources: { limits: { memory: "1Gi" } },
      })],
      volumes: [
        { name: "a", emptyDir: {} },
        { name: "b", configMap: { name: "c" } },
        { name: "c", secret: { secretName: "s" } },
        { name: "f" },
      ],
    }),
    undefined,
  );
});

test("ignoredFields() names what has no effect on a plain process", () => {
  assertEquals(ignoredFields({ ...MAIN, resources: { requests: { cpu: "1" } } }), []);
  const livenessProbe = { exec: { command: ["true"] } };
  const readinessProbe = { httpGet: { port: 1, scheme: "HTTPS" } };
  const startupProbe = { grpc: { port: 1 } };
  const probes = { livenessProbe, readinessProbe, startupProbe };
  const container = {
    ...MAIN,
    ...probes,
    lifecycle: { postStart: { sleep: { seconds: 1 } }, preStop: { sleep: { seconds: 1 } } },
    resources: { limits: { memory: "1Gi" } },
    stdin: true,
    stdinOnce: true,
    tty: true,
  };
  const rules = { restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }] };
  const ignored = [
    "startupProbe.grpc (use exec)",
    "readinessProbe.httpGet (use exec)",
    "lifecycle.postStart",
    "lifecycle.preStop",
    "restartPolicyRules",
    "stdin",
    "tty",
    "env my.var",
    "resources.limits",
  ];
  const env = [{ name: "my.var" }, { name: "my_var" }];
  assertEquals(ignoredFields({ ...container, ...rules, env }), ignored);
});

test("A pause image needs no command, as it only waits", () => {
  for (const image of ["pause", "registry.k8s.io/pause:3.10", "registry.k8s.io/pause-amd64:3.1", "pause@sha256:0"]) {
    assertEquals(check({ containers: [{ name: "p", image }] }), undefined, image);
  }
  assertEquals(check({ containers: [{ name: "p", image: "example.com/pauses" }] })?.reason, "MissingCommand");
});
