import { assertEquals } from "@std/assert";
import { CRON_JOBS } from "../../../../src/apiserver/kinds/cron_job.ts";
import { JOBS } from "../../../../src/apiserver/kinds/job.ts";
import { PODS } from "../../../../src/apiserver/kinds/pod.ts";
import { SECRETS } from "../../../../src/apiserver/kinds/secret.ts";
import { SERVICE_ACCOUNTS } from "../../../../src/apiserver/kinds/service_account.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { test } from "../../../support/test.ts";
import { made } from "../../support/made.ts";

const WARNINGS: readonly [title: string, spec: Json, warnings: readonly string[], metadata?: Json][] = [
  ["a deprecated label of nodes", { nodeSelector: { "beta.kubernetes.io/os": "linux" } }, [
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
  ]],
  ["deprecated labels in affinities", {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "beta.kubernetes.io/arch", operator: "Exists" }] }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [{
          weight: 1,
          preference: { matchExpressions: [{ key: "a", operator: "In", values: ["-"] }] },
        }],
      },
    },
  }, [
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: " +
    'beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
    "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: " +
    "- is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ]],
  ["selectors of no Pod", {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" }],
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "z" }] } },
  }, [
    "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
    "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: " +
    "a null labelSelector results in matching no pod",
  ]],
  ["volumes that work no more", { volumes: [{ name: "v", flocker: { datasetName: "d" } }] }, [
    "spec.volumes[0].flocker: deprecated in v1.22, non-functional in v1.25+",
  ]],
  ["files in the place of others", {
    volumes: [
      { name: "a", configMap: { name: "c", items: [{ key: "k", path: "p/x" }, { key: "l", path: "p" }] } },
      { name: "b", secret: { secretName: "s", items: [{ key: "k", path: "q" }, { key: "l", path: "q" }] } },
      {
        name: "v",
        projected: {
          sources: [
            { serviceAccountToken: { path: "t" } },
            {},
            { secret: { name: "s", items: [{ key: "k", path: "t/" }, { key: "l", path: "other" }] } },
          ],
        },
      },
    ],
  }, [
    'volume "a" (ConfigMap "c"): overlapping paths: "p" with "p/x"',
    'volume "b" (Secret "s"): overlapping paths: "q" with "q"',
    'volume "v" (Projected) has no sources provided',
    'volume "v" (Projected): overlapping paths: "t" (Secret "s") with "t" (ServiceAccountToken)',
  ]],
  ["files in the place of others more than once", {
    volumes: [{
      name: "a",
      configMap: { name: "c", items: ["p", "p/x", "p", "p/y/", "q", "p", "p/x"].map((path) => ({ key: "k", path })) },
    }],
  }, [
    'volume "a" (ConfigMap "c"): overlapping paths: "p/x" with "p"',
    'volume "a" (ConfigMap "c"): overlapping paths: "p" with "p"',
    'volume "a" (ConfigMap "c"): overlapping paths: "p" with "p/x"',
    'volume "a" (ConfigMap "c"): overlapping paths: "p/y" with "p"',
    'volume "a" (ConfigMap "c"): overlapping paths: "p" with "p/y"',
    'volume "a" (ConfigMap "c"): overlapping paths: "p/x" with "p/x"',
  ]],
  ["files of unprintable names", {
    volumes: [{
      name: "a",
      configMap: { name: "c", items: ["\x07\x01", "\x07\x01"].map((path) => ({ key: "k", path })) },
    }],
  }, ['volume "a" (ConfigMap "c"): overlapping paths: "\\a\\x01" with "\\a\\x01"']],
  ["part of a byte for a claim", {
    volumes: [{
      name: "v",
      ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: "200m" } } } } },
    }],
  }, [
    'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "200m" is ' +
    "invalid, must be an integer",
  ]],
  ["a port's name twice", {
    initContainers: [
      { name: "i", image: "i", ports: [{ containerPort: 1, name: "x" }] },
      { name: "s", image: "i", restartPolicy: "Always", ports: [{ containerPort: 2, name: "x" }] },
    ],
    containers: [{ name: "a", image: "i", ports: [{ containerPort: 3, name: "x" }] }],
  }, [
    'spec.containers[0].ports[0]: duplicate port name "x" with spec.initContainers[1].ports[0], services and probes that ' +
    "select ports by name will use spec.initContainers[1].ports[0]",
  ]],
  ["addresses in another form", { dnsConfig: { nameservers: ["2001:DB8::0"] }, hostAliases: [{ ip: "::1" }] }, [
    'spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::0" should be in RFC 5952 canonical format ("2001:db8::")',
  ]],
  ["the same twice", {
    hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4" }],
    imagePullSecrets: [{ name: "s" }, { name: "s" }, {}],
  }, [
    'spec.hostAliases[1].ip: duplicate ip "1.2.3.4"',
    'spec.imagePullSecrets[1].name: duplicate name "s"',
    'spec.imagePullSecrets[2].name: invalid empty name ""',
  ]],
  ["parts of a byte", { containers: [{ name: "a", image: "i", resources: { limits: { memory: "100m" } } }] }, [
    'spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer',
    'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
  ]],
  ["a variable that hides another", {
    containers: [{
      name: "a",
      image: "i",
      env: [{ name: "A", value: "1" }, { name: "A", value: "$(A)" }, { name: "A", value: "$(A)2" }],
    }],
  }, ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply']],
  ["ports over each other", {
    containers: [
      { name: "a", image: "i", ports: [{ containerPort: 1 }, { containerPort: 1, hostPort: 5 }] },
      { name: "b", image: "i", ports: [{ containerPort: 2, hostIP: "1.2.3.4" }] },
    ],
  }, [
    "spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]",
    "spec.containers[1].ports[0]: hostIP set without hostPort: " +
    "{Name: HostPort:0 ContainerPort:2 Protocol:TCP HostIP:1.2.3.4}",
  ]],
  ["ports of the host over each other", {
    containers: [{
      name: "a",
      image: "i",
      ports: [
        { containerPort: 1, hostPort: 5, hostIP: "1.1.1.1" },
        { containerPort: 1, hostPort: 6 },
        { containerPort: 1 },
        { containerPort: 1, hostPort: 5, hostIP: "1.1.1.2" },
        { containerPort: 1, hostPort: 5 },
        { containerPort: 1, hostPort: 6, protocol: "UDP" },
        { containerPort: 1, hostPort: 5, hostIP: "1.1.1.3" },
      ],
    }],
  }, [
    "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]",
    "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[1]",
    "spec.containers[0].ports[3]: overlapping port definition with spec.containers[0].ports[2]",
    "spec.containers[0].ports[4]: dangerously ambiguous port definition with spec.containers[0].ports[0]",
    "spec.containers[0].ports[4]: overlapping port definition with spec.containers[0].ports[2]",
    "spec.containers[0].ports[4]: dangerously ambiguous port definition with spec.containers[0].ports[3]",
    "spec.containers[0].ports[6]: overlapping port definition with spec.containers[0].ports[2]",
    "spec.containers[0].ports[6]: dangerously ambiguous port definition with spec.containers[0].ports[4]",
  ]],
  ["an end before its time", { terminationGracePeriodSeconds: -1 }, [
    "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
  ]],
  ["annotations that were fields", {}, [
    "metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: " +
    'non-functional in v1.16+; use the "priorityClassName" field instead',
    "metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: " +
    'non-functional in v1.27+; use the "seccompProfile" field instead',
  ], {
    annotations: {
      "scheduler.alpha.kubernetes.io/critical-pod": "",
      "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
    },
  }],
  ["a name with dots", {}, [
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; " +
    "a DNS label is recommended: [must not contain dots]",
  ], { name: "a.b" }],
];

for (const [title, spec, warnings, metadata] of WARNINGS) {
  test(`a new Pod with ${title} is warned of`, () => {
    const pod = made(PODS, { metadata, spec: { containers: [{ name: "a", image: "i" }], ...spec } });
    assertEquals(PODS.warnings(pod, undefined), warnings);
  });
}

const TEMPLATE = {
  metadata: { annotations: { "container.apparmor.security.beta.kubernetes.io/a": "unconfined" } },
  spec: {
    restartPolicy: "Never",
    nodeSelector: { "beta.kubernetes.io/os": "x" },
    containers: [{ name: "a", image: "i" }],
  },
};
const OF_TEMPLATE = (path: string) => [
  `${path}.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`,
  `${path}.metadata.annotations[container.apparmor.security.beta.kubernetes.io/a]: ` +
  'deprecated since v1.30; use the "appArmorProfile" field instead',
];
const NAME = "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; " +
  "a DNS label is recommended: [must not contain dots]";

test("a template is warned of as its Pods are, where it stands", () => {
  const job = made(JOBS, { metadata: { name: "a.b" }, spec: { template: TEMPLATE } });
  assertEquals(JOBS.warnings(job, undefined), [NAME, ...OF_TEMPLATE("spec.template")]);
  assertEquals(JOBS.warnings(job, job), OF_TEMPLATE("spec.template"));
  const spec = { schedule: "* * * * *", jobTemplate: { spec: { template: TEMPLATE } } };
  const cronJob = made(CRON_JOBS, { metadata: { name: "a.b" }, spec });
  assertEquals(CRON_JOBS.warnings(cronJob, undefined), [NAME, ...OF_TEMPLATE("spec.jobTemplate.spec.template")]);
});

test("a Job of very many indexes is warned of", () => {
  const spec = { template: TEMPLATE, completionMode: "Indexed", completions: 100_001, parallelism: 10_001 };
  assertEquals(
    JOBS.warnings(made(JOBS, { spec }), undefined)[0],
    "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, " +
      "Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
  );
});

const pem = (...types: string[]) =>
  types.map((type) => `-----BEGIN ${type}-----\nAA==\n-----END ${type}-----\n`).join("");

const TLS_WARNINGS: readonly (readonly [certificate: string, key: string, ...warnings: string[]])[] = [
  [pem("CERTIFICATE"), pem("EC PARAMETERS", "EC PRIVATE KEY")],
  ["x", "y", "tls: failed to find any PEM data in certificate input"],
  [pem("CERTIFICATE"), "y", "tls: failed to find any PEM data in key input"],
  [
    pem("RSA PRIVATE KEY"),
    pem("CERTIFICATE"),
    "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
  ],
  [
    pem("CERTIFICATE"),
    pem("CERTIFICATE"),
    "tls: found a certificate rather than a key in the PEM for the private key",
  ],
  [
    pem("A", "B"),
    "",
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  ],
];

test("a Secret for TLS is warned of what cannot be a certificate and its key", () => {
  for (const [certificate, key, ...warnings] of TLS_WARNINGS) {
    const secret = made(SECRETS, { type: "kubernetes.io/tls", stringData: { "tls.crt": certificate, "tls.key": key } });
    assertEquals(SECRETS.warnings(secret, undefined), warnings);
  }
});

test("an account is warned once that its Secrets are no border", () => {
  const key = "kubernetes.io/enforce-mountable-secrets";
  const account = made(SERVICE_ACCOUNTS, { metadata: { annotations: { [key]: "true" } } });
  assertEquals(SERVICE_ACCOUNTS.warnings(account, undefined), [
    `metadata.annotations[${key}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
  ]);
  assertEquals(SERVICE_ACCOUNTS.warnings(account, account), []);
});
