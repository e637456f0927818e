import { PODS } from "../../../../src/apiserver/kinds/pod.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { refusals, type RefusedRow, refusedTable } from "../../support/made.ts";

const podOf = (spec: Json) => refusals(PODS, { spec: { containers: [{ name: "a", image: "i" }], ...spec } });
const volume = (source: Json) => ({ volumes: [{ name: "v", ...source }] });
const container = (more: Json) => ({ containers: [{ name: "a", image: "i", ...more }] });

const PODS_REFUSED: readonly RefusedRow[] = [
  ["an alias of no address", { hostAliases: [{ ip: "no-ip", hostnames: ["ok"] }] }, [
    "spec.hostAliases[0].ip: Invalid value",
  ]],
  ["a name with dots for a container", { containers: [{ name: "a.b", image: "i" }] }, [
    "spec.containers[0].name: Invalid value",
  ]],
  ["a long hostname", { hostname: "a".repeat(64) }, [
    "spec.hostname: Invalid value",
  ]],
  ["an image after a blank", container({ image: " i" }), [
    "spec.containers[0].image: Invalid value",
  ]],
  ["ephemeral containers", { ephemeralContainers: [{ name: "e", image: "i" }] }, [
    "spec.ephemeralContainers: Forbidden",
  ]],
  ["a node before its gates are open", { nodeName: "n", schedulingGates: [{ name: "a/b" }] }, [
    "spec.nodeName: Forbidden",
  ]],
  [
    "more of an amount than its limit, and one whose name every object has",
    container({
      resources: { limits: { cpu: "1" }, requests: { cpu: "2", constructor: "-1" } },
    }),
    [
      "spec.containers[0].resources.requests[constructor]: Invalid value",
      "spec.containers[0].resources.requests: Invalid value",
    ],
  ],
  ["a gate twice", { schedulingGates: [{ name: "a/b" }, { name: "a/b" }] }, [
    "spec.schedulingGates[1]: Duplicate value",
  ]],
  ["ports that are none", container({ ports: [{ containerPort: 0 }, { containerPort: 1, hostPort: 70000 }] }), [
    "spec.containers[0].ports[0].containerPort: Required value",
    "spec.containers[0].ports[1].hostPort: Invalid value",
  ]],
  [
    "a variable from an unknown field",
    container({
      env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.nope" } } }],
    }),
    [
      "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value",
    ],
  ],
  [
    "a variable from a field of volumes only",
    container({
      env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.labels" } } }],
    }),
    [
      "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value",
    ],
  ],
  [
    "a variable from a ConfigMap without a name",
    container({
      env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "C!", key: "k" } } }],
    }),
    [
      "spec.containers[0].env[0].valueFrom.configMapKeyRef.name: Invalid value",
    ],
  ],
  ["variables from nowhere", container({ envFrom: [{ prefix: "A=" }] }), [
    "spec.containers[0].envFrom[0].prefix: Invalid value",
    "spec.containers[0].envFrom: Invalid value",
  ]],
  ["a mount outside of its volume", {
    ...volume({ emptyDir: {} }),
    ...container({
      volumeMounts: [{ name: "v", mountPath: "/v", subPath: "../x" }],
    }),
  }, [
    "spec.containers[0].volumeMounts[0].subPath: Invalid value",
  ]],
  ["a negative user", container({ securityContext: { runAsUser: -1 } }), [
    "spec.containers[0].securityContext.runAsUser: Invalid value",
  ]],
  ["a probe that runs nothing", container({ livenessProbe: { exec: { command: [] }, successThreshold: 2 } }), [
    "spec.containers[0].livenessProbe.exec.command: Required value",
    "spec.containers[0].livenessProbe.successThreshold: Invalid value",
  ]],
  [
    "a grace for a probe that ends nothing",
    container({
      readinessProbe: { exec: { command: ["x"] }, terminationGracePeriodSeconds: 1 },
    }),
    [
      "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value",
    ],
  ],
  ["an init container that would be probed", {
    initContainers: [{ name: "b", image: "i", livenessProbe: { exec: { command: ["x"] } } }],
  }, [
    "spec.initContainers[0].livenessProbe: Forbidden",
  ]],
  ["a volume without a source", { volumes: [{ name: "v", hostPath: {} }] }, [
    "spec.volumes[0].hostPath.path: Required value",
  ]],
  ["a mode beyond all rights", volume({ configMap: { name: "c", defaultMode: 0o1000 } }), [
    "spec.volumes[0].configMap.defaultMode: Invalid value",
  ]],
  [
    "a key at no path",
    volume({ secret: { secretName: "s", items: [{ key: "k", path: "/x" }, { key: "", path: "..y" }] } }),
    [
      "spec.volumes[0].secret.items[0].path: Invalid value",
      "spec.volumes[0].secret.items[1].key: Required value",
      "spec.volumes[0].secret.items[1].path: Invalid value",
    ],
  ],
  [
    "two files at one path",
    volume({
      projected: {
        sources: [{ secret: { name: "s", items: [{ key: "k", path: "p" }] } }, {
          configMap: { name: "c", items: [{ key: "k", path: "p" }] },
        }],
      },
    }),
    ["spec.volumes[0].projected: Invalid value"],
  ],
  ["a file of the Pod from nowhere", volume({ downwardAPI: { items: [{ path: "p" }] } }), [
    "spec.volumes[0].downwardAPI.items[0]: Required value",
  ]],
  ["groups that cannot be", {
    securityContext: { fsGroup: -1, supplementalGroups: [-2] },
  }, [
    "spec.securityContext.fsGroup: Invalid value",
    "spec.securityContext.supplementalGroups[0]: Invalid value",
  ]],
];

refusedTable("a Pod", PODS_REFUSED, podOf);
