import { assertEquals } from "@std/assert";
import type { Deployment } from "kubernetes-types/apps/v1";
import { parseAllDocuments } from "yaml";
import { NONROOT } from "../../../deploy/image/root_entries.ts";
import { atLeast } from "../../support/expected.ts";

const BASE = new URL("../../../deploy/base/deployment.yaml", import.meta.url);

/** How `deploy/base` runs the program. */
export interface Deployed {
  readonly namespace: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Reads the Deployment of `deploy/base`, which must ask for no more and no less than `containerCommand` gives. */
export async function deployedController(): Promise<Deployed> {
  const documents = parseAllDocuments(await Deno.readTextFile(BASE)).map((document) => document.toJS());
  const deployment: Deployment = documents.find(({ kind }) => kind === "Deployment");
  const pod = deployment.spec!.template.spec!;
  const [container, ...others] = atLeast(1, pod.containers);
  assertEquals([others, pod.initContainers ?? [], pod.volumes ?? [], container.volumeMounts ?? []], [[], [], [], []]);
  const security = { ...pod.securityContext, ...container.securityContext };
  assertEquals(security, {
    runAsNonRoot: true,
    runAsUser: NONROOT,
    runAsGroup: NONROOT,
    fsGroup: NONROOT,
    seccompProfile: { type: "RuntimeDefault" },
    allowPrivilegeEscalation: false,
    privileged: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  assertEquals(container.command, undefined, "the image's entry point is the program");
  const env = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value ?? ""]));
  return { namespace: deployment.metadata!.namespace!, args: container.args ?? [], env };
}
