import { JOBS } from "../../../../src/apiserver/kinds/job.ts";
import { PODS } from "../../../../src/apiserver/kinds/pod.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { assertEquals, assertMatch } from "@std/assert";
import { must } from "../../../support/expected.ts";
import { test } from "../../../support/test.ts";
import { changeRefusals, made, refusals, type RefusedRow, refusedTable } from "../../support/made.ts";

const LABEL_KEY =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and " +
  "must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const podOf = (spec: Json) => refusals(PODS, { spec: { containers: [{ name: "a", image: "i" }], ...spec } });
const volume = (source: Json) => ({ volumes: [{ name: "v", ...source }] });
const container = (more: Json) => ({ containers: [{ name: "a", image: "i", ...more }] });

const PODS_REFUSED: readonly RefusedRow[] = [
  ["a name with dots for a container", { containers: [{ name: "a.b", image: "i" }] }, [
    'spec.containers[0].name: Invalid value: "a.b": must not contain dots',
  ]],
  ["a long hostname", { hostname: "a".repeat(64) }, [
    `spec.hostname: Invalid value: "${"a".repeat(64)}": must be no more than 63 characters`,
  ]],
  ["an image after a blank", container({ image: " i" }), [
    'spec.containers[0].image: Invalid value: " i": must not have leading or trailing whitespace',
  ]],
  ["ephemeral containers", { ephemeralContainers: [{ name: "e", image: "i" }] }, [
    "spec.ephemeralContainers: Forbidden: cannot be set on create",
  ]],
  ["a node before its gates are open", { nodeName: "n", schedulingGates: [{ name: "a/b" }] }, [
    "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
  ]],
  ["a gate twice", { schedulingGates: [{ name: "a/b" }, { name: "a/b" }] }, [
    'spec.schedulingGates[1]: Duplicate value: "a/b"',
  ]],
  ["ports that are none", container({ ports: [{ containerPort: 0 }, { containerPort: 1, hostPort: 70000 }] }), [
    "spec.containers[0].ports[0].containerPort: Required value",
    "spec.containers[0].ports[1].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
  ]],
  [
    "one port of the node twice",
    container({
      ports: [{ containerPort: 1, hostPort: 5 }, { containerPort: 2, hostPort: 5 }],
    }),
    ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//5"'],
  ],
  ["the node's network and other ports", {
    hostNetwork: true,
    ...container({ ports: [{ containerPort: 1, hostPort: 5 }] }),
  }, [
    "spec.containers[0].ports[0].hostPort: Invalid value: 5: must match `containerPort` when `hostNetwork` is true",
  ]],
  [
    "a variable from an unknown field",
    container({
      env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.nope" } } }],
    }),
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.nope": error converting fieldPath: ' +
      "field label not supported: spec.nope",
    ],
  ],
  [
    "a variable from a field of volumes only",
    container({
      env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.labels" } } }],
    }),
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: ' +
      '"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", ' +
      '"status.hostIPs", "status.podIP", "status.podIPs"',
    ],
  ],
  [
    "a variable from a resource in odd parts",
    container({
      env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "2" } } }],
    }),
    [
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": ' +
      "only divisor's values 1m and 1 are supported with the cpu resource",
    ],
  ],
  [
    "a variable from a ConfigMap without a name",
    container({
      env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "C!", key: "k" } } }],
    }),
    [
      'spec.containers[0].env[0].valueFrom.configMapKeyRef.name: Invalid value: "C!": a lowercase RFC 1123 subdomain must ' +
      "consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
      "(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  ["variables from nowhere", container({ envFrom: [{ prefix: "A=" }] }), [
    'spec.containers[0].envFrom[0].prefix: Invalid value: "A=": a valid environment variable name must consist only of ' +
    "printable ASCII characters other than '='",
    'spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
  ]],
  ["a mount outside of its volume", {
    ...volume({ emptyDir: {} }),
    ...container({
      volumeMounts: [{ name: "v", mountPath: "/v", subPath: "../x", mountPropagation: "Bidirectional" }],
    }),
  }, [
    "spec.containers[0].volumeMounts.subPath: Invalid value: \"../x\": must not contain '..'",
    "spec.containers[0].volumeMounts.mountPropagation: Forbidden: " +
    "Bidirectional mount propagation is available only to privileged containers",
  ]],
  ["a mount that is read-only to the end, but not itself", {
    ...volume({ emptyDir: {} }),
    ...container({ volumeMounts: [{ name: "v", mountPath: "/v", recursiveReadOnly: "Enabled" }] }),
  }, ["spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true"]],
  ["a device of no claim", {
    ...volume({ emptyDir: {} }),
    ...container({ volumeDevices: [{ name: "v", devicePath: "/dev/x" }] }),
  }, [
    'spec.containers[0].volumeDevices[0].name: Invalid value: "v": ' +
    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
  ]],
  ["a resource that is not one of containers", container({ resources: { limits: { pods: "1", gpus: "1" } } }), [
    'spec.containers[0].resources.limits[gpus]: Invalid value: "gpus": must be a standard resource type or fully qualified',
    'spec.containers[0].resources.limits[gpus]: Invalid value: "gpus": must be a standard resource for containers',
    'spec.containers[0].resources.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
    'spec.containers[0].resources.requests[gpus]: Invalid value: "gpus": must be a standard resource type or fully qualified',
    'spec.containers[0].resources.requests[gpus]: Invalid value: "gpus": must be a standard resource for containers',
    'spec.containers[0].resources.requests[pods]: Invalid value: "pods": must be a standard resource for containers',
  ]],
  ["a device asked for without a limit", container({ resources: { requests: { "example.com/gpu": "1" } } }), [
    "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources",
  ]],
  ["half a device", container({ resources: { limits: { "example.com/gpu": "500m" } } }), [
    'spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
    'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
  ]],
  ["only huge pages", container({ resources: { limits: { "hugepages-2Mi": "2Mi" } } }), [
    "spec.containers[0].resources: Forbidden: HugePages require cpu or memory",
  ]],
  ["a policy of resizing that starts anew what never starts anew", {
    restartPolicy: "Never",
    ...container({ resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }),
  }, [
    'spec.containers[0].resizePolicy: Invalid value: "RestartContainer": ' +
    "must be 'NotRequired' when `restartPolicy` is 'Never'",
  ]],
  ["a negative user", container({ securityContext: { runAsUser: -1 } }), [
    "spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
  ]],
  [
    "a profile of the node without its name",
    container({ securityContext: { seccompProfile: { type: "Localhost" } } }),
    [
      "spec.containers[0].securityContext.seccompProfile.localhostProfile: Required value: " +
      "must be set when seccomp type is Localhost",
    ],
  ],
  ["a handler of HTTP without a port", container({ livenessProbe: { httpGet: { port: 0 }, successThreshold: 2 } }), [
    "spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive",
    "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
  ]],
  [
    "a grace for a probe that ends nothing",
    container({
      readinessProbe: { exec: { command: ["x"] }, terminationGracePeriodSeconds: 1 },
    }),
    [
      "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes",
    ],
  ],
  ["a sleep that is longer than its end", container({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }), [
    "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: " +
    "must be non-negative and less than terminationGracePeriodSeconds (30)",
  ]],
  ["an init container that would be probed", {
    initContainers: [{ name: "b", image: "i", livenessProbe: { exec: { command: ["x"] } } }],
  }, [
    "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
  ]],
  [
    "restart rules without a policy, and wrong ones",
    container({
      restartPolicyRules: [{ action: "Stop", exitCodes: { operator: "In", values: Array(256).fill(1) } }, {
        action: "Restart",
      }],
    }),
    [
      "spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used",
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Stop": supported values: "Restart", ' +
      '"RestartAllContainers"',
      "spec.containers[0].restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most 255 items",
      "spec.containers[0].restartPolicyRules[1].exitCodes: Required value: must be specified",
    ],
  ],
  ["an init container that resizing would start anew", {
    initContainers: [{
      name: "b",
      image: "i",
      resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
    }],
  }, [
    'spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": ' +
    "must not be set to 'RestartContainer' for non-sidecar initContainers",
  ]],
  [
    "a variable from a file that is nowhere",
    container({ env: [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "../x", key: "" } } }] }),
    [
      "spec.containers[0].env[0].valueFrom.fileKeyRef.key: Required value",
      "spec.containers[0].env[0].valueFrom.fileKeyRef.path: Invalid value: \"../x\": must not contain '..'",
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "v"',
    ],
  ],
  ["a variable from no source", container({ env: [{ name: "A", valueFrom: {} }] }), [
    'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, ' +
    "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
  ]],
  ["half a huge page", container({ resources: { limits: { cpu: "1", "hugepages-2Mi": "3Mi" } } }), [
    'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": ' +
    "3Mi is not positive integer multiple of hugepages-2Mi",
    'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": ' +
    "3Mi is not positive integer multiple of hugepages-2Mi",
  ]],
  ["a request of a claim twice, and the claim beside it", {
    resourceClaims: [{ name: "a", resourceClaimName: "x" }],
    ...container({ resources: { claims: [{ name: "a", request: "r" }, { name: "a", request: "r" }, { name: "a" }] } }),
  }, [
    'spec.containers[0].resources.claims[1]: Duplicate value: "a/r"',
    'spec.containers[0].resources.claims[2]: Duplicate value: "a"',
    'spec.containers[0].resources.claims[2]: Duplicate value: "a"',
  ]],
  ["storage in all", { resources: { limits: { "ephemeral-storage": "1Gi" } } }, [
    'spec.resources.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", ' +
    '"hugepages-", "memory"',
  ]],
  ["a name that is no host's", { hostnameOverride: "A", setHostnameAsFQDN: true, hostNetwork: true }, [
    "spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
    "spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true",
    `spec.hostnameOverride: Invalid value: "A": ${SUBDOMAIN}`,
  ]],
  ["gates and claims by no name, and one claim twice", {
    readinessGates: [{ conditionType: "" }],
    resourceClaims: [{ name: "a", resourceClaimName: "x" }, { name: "a", resourceClaimName: "x" }],
  }, [
    'spec.resourceClaims[1].name: Duplicate value: "a"',
    'spec.readinessGates[0].conditionType: Invalid value: "": name part must be non-empty',
    `spec.readinessGates[0].conditionType: Invalid value: "": name part ${LABEL_KEY}`,
  ]],
  ["a key that is chosen by twice", {
    topologySpreadConstraints: [{
      maxSkew: 1,
      topologyKey: "z",
      whenUnsatisfiable: "DoNotSchedule",
      matchLabelKeys: ["k"],
      labelSelector: { matchLabels: { k: "v" }, matchExpressions: [{ key: "k", operator: "Exists" }] },
    }],
  }, ['spec.topologySpreadConstraints[0][0]: Invalid value: "k": exists in both matchLabelKeys and labelSelector']],
  ["an operator of tolerations that is off", { tolerations: [{ key: "a", operator: "Lt", value: "1" }] }, [
    'spec.tolerations[0].operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"',
  ]],
  ["the kernel's settings of a shared network", {
    hostNetwork: true,
    hostIPC: true,
    securityContext: { sysctls: [{ name: "net.a", value: "1" }, { name: "kernel/sem", value: "1" }] },
  }, [
    "spec.securityContext.sysctls[0].name: Invalid value: \"net.a\": may not be specified when 'hostNetwork' is true",
    "spec.securityContext.sysctls[1].name: Invalid value: \"kernel/sem\": may not be specified when 'hostIPC' is true",
  ]],
  ["all of /proc with the node's users", container({ securityContext: { procMount: "Unmasked" } }), [
    'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": ' +
    "`hostUsers` must be false to use `Unmasked`",
  ]],
  ["an unknown user of Windows", {
    securityContext: {
      windowsOptions: { runAsUserName: "a\\b\\c", gmsaCredentialSpecName: "X", gmsaCredentialSpec: "" },
    },
    ...container({ securityContext: { windowsOptions: { runAsUserName: "..\\. ." } } }),
  }, [
    'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "..\\\\. .": ' +
    "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
    'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "..\\\\. .": ' +
    "runAsUserName's User cannot contain only periods or spaces",
    `spec.securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value: "X": ${SUBDOMAIN}`,
    'spec.securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": ' +
    "gmsaCredentialSpec cannot be an empty string",
    'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": ' +
    "runAsUserName cannot contain more than one backslash",
  ]],
  ["processes of the node beside others", {
    securityContext: { windowsOptions: { hostProcess: true } },
    containers: [
      { name: "a", image: "i" },
      { name: "b", image: "i", securityContext: { windowsOptions: { hostProcess: false } } },
    ],
  }, [
    "spec.containers[1].securityContext.windowsOptions.hostProcess: Invalid value: false: " +
    "pod hostProcess value must be identical if both are specified, was true",
    'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
    "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers",
  ]],
  ["disks that are written otherwise", {
    volumes: [
      { name: "a", gcePersistentDisk: { pdName: "", partition: 256 } },
      { name: "b", nfs: { server: "s", path: "" } },
      { name: "c", quobyte: { registry: "a:1,b", volume: "v" } },
      { name: "d", azureDisk: { diskName: "d", diskURI: "x" } },
      { name: "e", csi: { driver: "d", nodePublishSecretRef: { name: "X" } } },
      { name: "f", iscsi: { targetPortal: "t", iqn: "eui.a", lun: 256, chapAuthSession: true, initiatorName: "x" } },
      { name: "g", image: {} },
    ],
  }, [
    "spec.volumes[0].persistentDisk.pdName: Required value",
    "spec.volumes[0].persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive",
    "spec.volumes[1].nfs.path: Required value",
    'spec.volumes[1].nfs.path: Invalid value: "": must be an absolute path',
    'spec.volumes[2].quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
    'spec.volumes[3].azureDisk.diskURI: Unsupported value: "x": supported values: ' +
    '"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    `spec.volumes[4].csi.name: Invalid value: "X": ${SUBDOMAIN}`,
    'spec.volumes[5].iscsi.iqn: Invalid value: "eui.a": must be valid format',
    "spec.volumes[5].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
    "spec.volumes[5].iscsi.secretRef: Required value",
    'spec.volumes[5].iscsi.initiatorname: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
    "spec.volumes[6].image.reference: Required value",
  ]],
  ["a claim that cannot be made", {
    volumes: [{
      name: "v",
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { name: "n", labels: { a: "b" } },
          spec: {
            accessModes: ["ReadWriteOncePod", "ReadWriteOnce", "Never"],
            resources: { requests: { storage: "0" } },
            volumeMode: "Tape",
            dataSource: { kind: "Snapshot", name: "s" },
            dataSourceRef: { kind: "PersistentVolumeClaim", name: "s" },
          },
        },
      },
    }],
  }, [
    "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set",
    'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "Never": supported values: ' +
    '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Forbidden: " +
    "may not use ReadWriteOncePod with other access modes",
    'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "0": must be greater than zero',
    'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode: Unsupported value: "Tape": supported values: ' +
    '"Block", "Filesystem"',
    'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource: Invalid value: "Snapshot": ' +
    "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
    "spec.volumes[0].ephemeral.volumeClaimTemplate.spec: Invalid value: {}: must match dataSourceRef",
  ]],
  ["a volume without a source", { volumes: [{ name: "v", hostPath: {} }] }, [
    "spec.volumes[0].hostPath.path: Required value",
  ]],
  ["a mode beyond all rights", volume({ configMap: { name: "c", defaultMode: 0o1000 } }), [
    "spec.volumes[0].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
  ]],
  [
    "a key at no path",
    volume({ secret: { secretName: "s", items: [{ key: "k", path: "/x" }, { key: "", path: "..y" }] } }),
    [
      'spec.volumes[0].secret.items[0].path: Invalid value: "/x": must be a relative path',
      "spec.volumes[0].secret.items[1].key: Required value",
      "spec.volumes[0].secret.items[1].path: Invalid value: \"..y\": must not start with '..'",
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
    ['spec.volumes[0].projected: Invalid value: "c": conflicting duplicate paths'],
  ],
  [
    "a token that is over at once, of an account that is not named",
    volume({
      projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 1 } }] },
    }),
    [
      "spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: " +
      "may not specify a duration less than 10 minutes",
      "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: " +
      "must not be specified when serviceAccountName is not set",
    ],
  ],
  ["a file of the Pod from nowhere", volume({ downwardAPI: { items: [{ path: "p" }] } }), [
    "spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required",
  ]],
  ["a claim of a volume's own", {
    volumes: [
      {
        name: "v",
        ephemeral: {
          volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } } },
        },
      },
      { name: "w", persistentVolumeClaim: { claimName: "x-v" } },
    ],
  }, [
    'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "x-v": ' +
    "must not reference a PVC that gets created for an ephemeral volume",
  ]],
  ["affinity to no node", {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
  }, [
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: " +
    "must have at least one node selector term",
  ]],
  ["a selector of nodes that selects by nothing", {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{
            matchExpressions: [{ key: "a", operator: "Gt", values: ["1", "2"] }],
            matchFields: [{ key: "spec.x", operator: "In", values: ["a"] }],
          }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }],
      },
    },
  }, [
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: " +
    "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: " +
    'Invalid value: "spec.x": not a valid field selector key',
    "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: " +
    "must be in the range 1-100",
  ]],
  ["affinity to Pods of no place", {
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {}, topologyKey: "" }] },
    },
  }, [
    "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty",
    'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": ' +
    "name part must be non-empty",
    'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": ' +
    `name part ${LABEL_KEY}`,
  ]],
  ["a spread without measure", {
    topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", minDomains: 1 }],
  }, [
    "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
    "spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: " +
    "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
  ]],
  ["a toleration of an unknown effect", { tolerations: [{ key: "a", effect: "Never" }] }, [
    'spec.tolerations[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  ]],
  ["no DNS of its own", { dnsPolicy: "None" }, [
    "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
  ]],
  ["a nameserver that is none", { dnsConfig: { nameservers: ["x"] } }, [
    'spec.dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ]],
  ["addresses that are written as no others", { dnsConfig: { nameservers: ["05.6.7.8", "::ffff:1.2.3.4"] } }, [
    'spec.dnsConfig.nameservers[0]: Invalid value: "05.6.7.8": must not have leading 0s',
    'spec.dnsConfig.nameservers[1]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
  ]],
  ["an alias of no host", { hostAliases: [{ ip: "x", hostnames: ["ok"] }] }, [
    'spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ]],
  ["groups that cannot be", {
    securityContext: { fsGroup: -1, supplementalGroups: [-2], sysctls: [{ name: "K!", value: "" }] },
  }, [
    "spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    "spec.securityContext.supplementalGroups[0]: Invalid value: -2: must be between 0 and 2147483647, inclusive",
    'spec.securityContext.sysctls[0].name: Invalid value: "K!": must have at most 253 characters and match regex ' +
    "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
  ]],
  ["users of its own on the node's network", { hostUsers: false, hostNetwork: true, hostPID: true }, [
    "spec.hostNetwork: Forbidden: when `pod.Spec.HostUsers` is false",
    "spec.HostPID: Forbidden: when `pod.Spec.HostUsers` is false",
  ]],
  ["no system that there is", { os: { name: "plan9" } }, [
    'spec.os: Unsupported value: "plan9": supported values: "linux", "windows"',
  ]],
  ["what Windows has not", {
    os: { name: "windows" },
    hostPID: true,
    shareProcessNamespace: false,
    securityContext: { fsGroup: 1, runAsUser: 1, sysctls: [] },
    ...container({ securityContext: { privileged: false, runAsGroup: 1 } }),
  }, [
    "spec.hostPID: Forbidden: cannot be set for a windows pod",
    "spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod",
    "spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod",
    "spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
    "spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod",
    "spec.containers[0].securityContext.runAsGroup: Forbidden: cannot be set for a windows pod",
  ]],
  ["what Linux has not", {
    os: { name: "linux" },
    securityContext: { windowsOptions: {} },
    ...container({ securityContext: { windowsOptions: {} } }),
  }, [
    "spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
    "spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
  ]],
  ["a claim that it has not", {
    resourceClaims: [{ name: "a", resourceClaimName: "x" }, { name: "b", resourceClaimTemplateName: "X" }],
    ...container({ resources: { claims: [{ name: "a" }, { name: "c" }] } }),
  }, [
    `spec.resourceClaims[1].resourceClaimTemplateName: Invalid value: "X": ${SUBDOMAIN}`,
    'spec.containers[0].resources.claims[1]: Not found: "c": must be one of the names in pod.spec.resourceClaims: a, b',
  ]],
  ["a claim, and it has none", container({ resources: { claims: [{ name: "c" }] } }), [
    'spec.containers[0].resources.claims[0]: Not found: "c": must be one of the names in pod.spec.resourceClaims ' +
    "which is empty",
  ]],
  ["claims from nowhere and from two places", {
    resourceClaims: [{ name: "a" }, { name: "b", resourceClaimName: "x", resourceClaimTemplateName: "y" }],
  }, [
    'spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: ' +
    "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
    'spec.resourceClaims[1]: Invalid value: {"Name":"b","ResourceClaimName":"x","ResourceClaimTemplateName":"y"}: ' +
    "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
  ]],
  ["less than its containers want", {
    resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } },
    containers: [
      { name: "a", image: "i", resources: { requests: { cpu: "600m", memory: "1Gi" } } },
      { name: "b", image: "i", resources: { requests: { cpu: "600m" }, limits: { cpu: "2" } } },
    ],
  }, [
    'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests ' +
    "of 1200m",
    'spec.resources.containers[1][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
  ]],
];

refusedTable("a Pod", PODS_REFUSED, podOf);

test("a Pod whose annotations contradict its profiles is refused in Kubernetes' words", () => {
  const securityContext = {
    seccompProfile: { type: "RuntimeDefault" },
    appArmorProfile: { type: "Localhost", localhostProfile: "x" },
  };
  const annotations = (seccomp: string, appArmor: string) => ({
    "seccomp.security.alpha.kubernetes.io/pod": seccomp,
    "container.apparmor.security.beta.kubernetes.io/a": appArmor,
  });
  const said = (seccomp: string, appArmor: string) =>
    refusals(PODS, {
      metadata: { annotations: annotations(seccomp, appArmor) },
      spec: { securityContext: { seccompProfile: { type: "RuntimeDefault" } }, ...container({ securityContext }) },
    });
  assertEquals(said("docker/default", "localhost/x"), []);
  assertEquals(said("unconfined", "localhost/y"), [
    "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
    "spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation " +
    "and field must match",
  ]);
});

const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

test("annotations that mean something to Kubernetes are judged, and some of them stay", () => {
  const annotations = {
    "kubernetes.io/config.mirror": "m",
    "scheduler.alpha.kubernetes.io/tolerations": '[{"operator":"Exists","value":"v"}]',
    "controller.kubernetes.io/pod-deletion-cost": "08",
    "seccomp.security.alpha.kubernetes.io/pod": "x",
    [`${APP_ARMOR}other`]: "x",
  };
  const said = (at: string) => [
    `${at}[kubernetes.io/config.mirror]: Invalid value: "m": must set spec.nodeName if mirror pod annotation is set`,
    `${at}.scheduler.alpha.kubernetes.io/tolerations[0].operator: Invalid value: "v": ` +
    "value must be empty when `operator` is 'Exists'",
    `${at}[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "08": must be a 32bit integer`,
    `${at}.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "x": must be a valid seccomp profile`,
    `${at}[${APP_ARMOR}other]: Invalid value: "other": container not found`,
    `${at}[${APP_ARMOR}other]: Invalid value: "x": invalid AppArmor profile name: "x"`,
  ];
  const spec = { restartPolicy: "Never", ...container({}) };
  assertEquals(refusals(PODS, { metadata: { annotations }, spec }), said("metadata.annotations"));
  const template = { metadata: { annotations }, spec };
  assertEquals(refusals(JOBS, { spec: { template } }), said("spec.template.annotations"));

  const old = made(PODS, { metadata: { annotations: { [`${APP_ARMOR}a`]: "unconfined" } }, spec });
  const next = structuredClone(old);
  next.metadata.annotations = { [`${APP_ARMOR}a`]: "runtime/default", "kubernetes.io/config.mirror": "m" };
  next.spec.nodeName = "n";
  assertEquals(changeRefusals(PODS, old, next), [
    `metadata.annotations[${APP_ARMOR}a]: Forbidden: may not remove or update AppArmor annotations`,
    "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation",
  ]);
});

test("an annotation with tolerations that are no list of them is refused", () => {
  const key = "scheduler.alpha.kubernetes.io/tolerations";
  const said = (text: string) => refusals(PODS, { metadata: { annotations: { [key]: text } }, spec: container({}) });
  const invalid = `metadata.annotations: Invalid value: "${key}": json: cannot unmarshal`;
  assertEquals(said(""), []);
  assertEquals(said("null"), []);
  assertEquals(said('[{"operator":"Exists"}]'), []);
  assertEquals(said("{}"), [`${invalid} object into Go value of type []core.Toleration`]);
  assertEquals(said('[{"key":1}]'), [`${invalid} number into Go struct field Toleration.key of type string`]);
  assertEquals(said("x").length, 1);
});

test("what Kubernetes knows, and has not switched on, is not kept", () => {
  const { spec } = made(PODS, {
    spec: {
      schedulingGroup: { podGroupName: "g" },
      volumes: [{ name: "v", projected: { sources: [{ clusterTrustBundle: { path: "p" } }] } }],
      ...container({ lifecycle: { stopSignal: "SIGUSR1" } }),
    },
  });
  assertEquals(spec.schedulingGroup, undefined);
  assertEquals(spec.volumes[0].projected.sources, [{}]);
  assertEquals(spec.containers[0].lifecycle, {});
});

test("where a gated Pod may go can only become less", () => {
  const required = (...nodeSelectorTerms: Json[]) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const term = (...keys: string[]) => ({ matchExpressions: keys.map((key) => ({ key, operator: "Exists" })) });
  const at = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const rows: [old: Json, next: Json, errors: RegExp[]][] = [
    [{}, { nodeSelector: { a: "b" }, ...required(term("a")) }, []],
    [{ nodeSelector: { a: "b" } }, { nodeSelector: { a: "b", c: "d" } }, []],
    [{ nodeSelector: { a: "b" } }, { nodeSelector: { a: "c" } }, [
      /^spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed/,
    ]],
    [{ nodeSelector: { a: "b" } }, {}, [/^spec.nodeSelector: Invalid value: null: only additions/]],
    [required(term("a")), required(term("a", "b")), []],
    [required(term("a")), required(term("b")), [new RegExp(`^${at}\\[0\\]: Invalid value: .*: only additions are`)]],
    [required(term("a")), {}, [new RegExp(`^${at}: Invalid value: null: no additions/deletions to non-empty`)]],
    [{}, { hostNetwork: true }, [/^spec: Forbidden: pod updates may not change fields/]],
  ];
  const gated = (spec: Json) => made(PODS, { spec: { ...container({}), schedulingGates: [{ name: "a/b" }], ...spec } });
  for (const [old, next, errors] of rows) {
    const before = gated(old);
    const said = changeRefusals(PODS, before, { ...gated(next), metadata: before.metadata });
    assertEquals(said.length, errors.length, said.join("\n"));
    said.forEach((error, index) => assertMatch(error, must(errors[index])));
  }
});

test("a changed probe or volume is shown by the names that Go has for their kinds", () => {
  const probed = (port: number) => container({ readinessProbe: { httpGet: { port }, periodSeconds: 5 } });
  const old = made(PODS, { spec: probed(1) });
  const [error] = changeRefusals(PODS, old, { ...made(PODS, { spec: probed(2) }), metadata: old.metadata });
  assertMatch(must(error), /"Port": 2[^]*"HTTPHeaders": null/);
});
