import type { Json } from "../../../src/apiserver/resource_kind.ts";

/** What the suite's images are called in 1.36. */
export const BUSYBOX = "registry.k8s.io/e2e-test-images/busybox:1.37.0-1";
export const PAUSE = "registry.k8s.io/pause:3.10.1";

/** What a Job of the suite does; the last three leave a file for their next Pod. */
export type Behaviour =
  | "succeed"
  | "fail"
  | "notTerminate"
  | "failOddSucceedEven"
  | "failOnce"
  | "failOncePerIndex"
  | "notTerminateOncePerIndex";

/** Succeeds where the file is there, else makes it and does `otherwise`. */
const onlyOnce = (
  file: string,
  otherwise: string,
) => ["/bin/sh", "-c", `if [[ -r /data/${file} ]]\nthen\nexit 0\nelse\ntouch /data/${file}\n${otherwise}\nfi\n`];

const COMMANDS: Record<Behaviour, string[]> = {
  succeed: ["/bin/sh", "-c", "exit 0"],
  fail: ["/bin/sh", "-c", "exit 1"],
  notTerminate: [],
  failOddSucceedEven: [
    "sh",
    "-c",
    "\nif [ $(expr ${JOB_COMPLETION_INDEX} % 2) -ne 0 ]; then\nexit 1\nelse\nexit 0\nfi\n",
  ],
  failOnce: onlyOnce("foo", "exit 1"),
  failOncePerIndex: onlyOnce("foo-$JOB_COMPLETION_INDEX", "exit 42"),
  notTerminateOncePerIndex: onlyOnce("foo-$JOB_COMPLETION_INDEX", "sleep 1000000"),
};

/** What is asked of a Job besides its behaviour. */
export interface JobGiven {
  readonly spec?: Json;
  readonly restartPolicy?: string;
  readonly labels?: Record<string, string>;
  /** Of which node, and of which of its directories. */
  readonly on?: { readonly node: string; readonly directory: string };
  readonly container?: Json;
}

/** Returns a Job as the suite makes them. */
export function jobOf(behaviour: Behaviour, name: string, given: JobGiven = {}): Json {
  const { restartPolicy = "Never", on, labels, spec, container } = given;
  const [shell = [], args = []] = [COMMANDS[behaviour].slice(0, 2), COMMANDS[behaviour].slice(2)];
  const isOfMachine = on !== undefined &&
    ["failOnce", "failOncePerIndex", "notTerminateOncePerIndex"].includes(behaviour);
  return {
    metadata: { name, ...labels && { labels } },
    spec: {
      parallelism: 2,
      completions: 4,
      backoffLimit: 6,
      manualSelector: false,
      ...spec,
      template: {
        metadata: { labels: { job: name } },
        spec: {
          restartPolicy,
          ...on && { nodeSelector: { "kubernetes.io/hostname": on.node } },
          ...behaviour === "notTerminateOncePerIndex" && { terminationGracePeriodSeconds: 1 },
          volumes: [{
            name: "data",
            ...isOfMachine ? { hostPath: { path: on.directory, type: "DirectoryOrCreate" } } : { emptyDir: {} },
          }],
          containers: [{
            name: "c",
            image: behaviour === "notTerminate" ? PAUSE : BUSYBOX,
            command: [...shell],
            args,
            volumeMounts: [{ mountPath: "/data", name: "data" }],
            securityContext: isOfMachine ? { privileged: true } : {},
            ...container,
          }],
        },
      },
    },
  };
}
