import { assertEquals } from "@std/assert";
import { PODS } from "../../../../src/apiserver/kinds/pod.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { test } from "../../../support/test.ts";
import { made, shown } from "../../support/made.ts";

const CONTEXT = { now: 0 };
const ended = (exitCode: number) => [{ name: "a", state: { terminated: { exitCode } } }];
const RUNNING = [{ name: "a", state: { running: {} } }];
const ONE_OF_EACH = "may specify no more than one IP for each IP family";
const NO_REVIVAL = "state: Forbidden: may not be transitioned to non-terminated state";

/** What a Pod is, how it was, and how it shall be; what is said. */
const CHANGES: readonly [title: string, spec: Json, before: Json, after: Json, errors: readonly string[]][] = [
  ["one address of each family", {}, {}, { podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] }, []],
  ["two addresses of a family", {}, {}, { podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] }, [
    `status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: ${ONE_OF_EACH}`,
  ]],
  ["one address twice", {}, {}, { podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.1" }] }, [
    'status.podIPs[1]: Duplicate value: {"IP":"10.0.0.1"}',
    `status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.1"}]: ${ONE_OF_EACH}`,
  ]],
  ["an address that is none", {}, {}, { podIPs: [{ ip: "x" }] }, [
    'status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ]],
  ["an address that was wrong before", {}, { podIPs: [{ ip: "x" }] }, { podIPs: [{ ip: "x" }] }, []],
  ["other addresses of the node than its first", {}, {}, { hostIP: "10.0.0.1", hostIPs: [{ ip: "10.0.0.2" }] }, [
    'status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`',
  ]],
  [
    "claims that the Pod has not, and one twice",
    { resourceClaims: [{ name: "c", resourceClaimName: "x" }] },
    {},
    { resourceClaimStatuses: [{ name: "c" }, { name: "c", resourceClaimName: "A" }, { name: "d" }] },
    [
      'status.resourceClaimStatuses[1].name: Duplicate value: "c"',
      'status.resourceClaimStatuses[1].name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower ' +
      "case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
      "'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'status.resourceClaimStatuses[2].name: Invalid value: "d": must match the name of an entry in `spec.resourceClaims`',
    ],
  ],
  ["a user that cannot be", {}, {}, {
    containerStatuses: [{ name: "a", user: { linux: { uid: -1, gid: 0, supplementalGroups: [2 ** 31] } } }],
  }, [
    "status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    "status.containerStatuses[0].user.linux.supplementalGroups[0]: Invalid value: 2147483648: " +
    "must be between 0 and 2147483647, inclusive",
  ]],
  ["a user of Linux on Windows", { os: { name: "windows" } }, {}, {
    containerStatuses: [{ name: "a", user: { linux: { uid: 1, gid: 1 } } }],
  }, ["status.containerStatuses[0].user.linux: Forbidden: cannot be set for a windows pod"]],
  [
    "a run after the last",
    { restartPolicy: "Never" },
    { containerStatuses: ended(1) },
    { containerStatuses: RUNNING },
    [
      `status.containerStatuses[0].${NO_REVIVAL}`,
    ],
  ],
  [
    "a run after the last that the container's own policy allows",
    { restartPolicy: "Never", containers: [{ name: "a", image: "i", restartPolicy: "OnFailure" }] },
    { containerStatuses: ended(1) },
    { containerStatuses: RUNNING },
    [],
  ],
  [
    "a run after an exit code of which the container's rules say nothing",
    {
      restartPolicy: "Never",
      containers: [{
        name: "a",
        image: "i",
        restartPolicy: "Never",
        restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
      }],
    },
    { containerStatuses: ended(1) },
    { containerStatuses: RUNNING },
    [`status.containerStatuses[0].${NO_REVIVAL}`],
  ],
  [
    "a run after an exit code that the container's rules name",
    {
      restartPolicy: "Never",
      containers: [{
        name: "a",
        image: "i",
        restartPolicy: "Never",
        restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
      }],
    },
    { containerStatuses: ended(42) },
    { containerStatuses: RUNNING },
    [],
  ],
  [
    "a run after the end of an ephemeral container",
    { restartPolicy: "Always" },
    { ephemeralContainerStatuses: ended(0) },
    { ephemeralContainerStatuses: RUNNING },
    [`status.ephemeralContainerStatuses[0].${NO_REVIVAL}`],
  ],
];

for (const [title, spec, before, after, errors] of CHANGES) {
  test(`Kubernetes' rules of a Pod's status judge ${title}`, () => {
    const old = made(PODS, { spec: { containers: [{ name: "a", image: "i" }], ...spec } });
    const pod = structuredClone(old);
    Object.assign(old.status, before);
    Object.assign(pod.status, after);
    assertEquals(shown(PODS.validateStatusUpdate(pod, old, CONTEXT)), errors);
  });
}

const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/a";
const DEPRECATED =
  `metadata.annotations[${APP_ARMOR}]: deprecated since v1.30; use the "appArmorProfile" field instead`;

/** An annotation, the profiles of the Pod and of its container; what the container's becomes, and what is said. */
const PROFILES: readonly [annotation: string, ofPod: Json, own: Json, profile: Json | undefined, warns: boolean][] = [
  ["unconfined", {}, {}, { type: "Unconfined" }, true],
  ["runtime/default", {}, {}, { type: "RuntimeDefault" }, true],
  ["localhost/x", {}, {}, { type: "Localhost", localhostProfile: "x" }, true],
  ["localhost/", {}, {}, undefined, true],
  ["localhost/ x", {}, {}, undefined, true],
  ["unconfined", { appArmorProfile: { type: "Unconfined" } }, {}, undefined, false],
  ["unconfined", { appArmorProfile: { type: "RuntimeDefault" } }, {}, { type: "Unconfined" }, true],
  ["unconfined", {}, { appArmorProfile: { type: "RuntimeDefault" } }, { type: "RuntimeDefault" }, false],
];

for (const [annotation, ofPod, own, profile, warns] of PROFILES) {
  const where = `beside ${JSON.stringify(ofPod)} of the Pod and ${JSON.stringify(own)} of its own`;
  test(`the AppArmor annotation ${annotation} of a new Pod ${where} becomes ${JSON.stringify(profile)}`, () => {
    const warnings: string[] = [];
    const { object: pod } = PODS.read({
      metadata: { name: "x", annotations: { [APP_ARMOR]: annotation } },
      spec: { securityContext: ofPod, containers: [{ name: "a", image: "i", securityContext: own }] },
    });
    PODS.setDefaults(pod);
    PODS.prepareForCreate(pod, { ...CONTEXT, warn: (text) => void warnings.push(text) });
    assertEquals(pod.spec.containers[0].securityContext?.appArmorProfile, profile);
    assertEquals(warnings, warns ? [DEPRECATED] : []);
  });
}
