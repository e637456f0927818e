import type { Deployment } from "kubernetes-types/apps/v1";
import type { PolicyRule } from "kubernetes-types/rbac/v1";
import { CRONJOB_CRD } from "../cronjob/api/crd.ts";
import { installOf, NAME, NAMESPACE, type OverlayName, OVERLAYS } from "./install.ts";
import { type KubeManifest, objectsOf } from "./objects.ts";
import { identityOf, yamlOf } from "./yaml.ts";

const HEADER = "# Written by `deno task manifests`.\n";
const CRD_FILE = "batch.tutorial.kubebuilder.io_cronjobs.yaml";

/** Which objects of the base stand in which of its files. */
const BASE_FILES: Record<string, readonly string[]> = {
  "namespace.yaml": ["Namespace"],
  "rbac.yaml": ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
  "deployment.yaml": ["Deployment", "PodDisruptionBudget"],
  "network.yaml": ["Service", "NetworkPolicy"],
};

/** All files of `deploy/` that are made from the code, by their paths there. */
export function kustomizeFiles(): Map<string, string> {
  const files = new Map<string, string>();
  addFolder(files, "crd", { resources: [CRD_FILE] }, { [CRD_FILE]: [CRONJOB_CRD] });
  const base = objectsOf(installOf("base"));
  addFolder(files, "base", { resources: ["../crd", ...Object.keys(BASE_FILES)] }, inFiles(base));
  for (const overlay of Object.keys(OVERLAYS) as OverlayName[]) {
    if (overlay === "base") continue;
    const { kustomization, contents } = overlayOf(base, objectsOf(installOf(overlay)));
    const watched = (OVERLAYS[overlay] as { watched?: readonly string[] }).watched;
    const more = watched ? namespaceSetting(watched[0]) : {};
    addFolder(files, `overlays/${overlay}`, { ...kustomization, ...more }, contents);
  }
  return files;
}

function addFolder(
  files: Map<string, string>,
  folder: string,
  kustomization: object,
  contents: Record<string, readonly unknown[]>,
): void {
  const whole = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", ...kustomization };
  files.set(`${folder}/kustomization.yaml`, HEADER + yamlOf(whole));
  for (const [file, objects] of Object.entries(contents)) files.set(`${folder}/${file}`, HEADER + yamlOf(...objects));
}

function inFiles(objects: readonly KubeManifest[]): Record<string, readonly KubeManifest[]> {
  return Object.fromEntries(
    Object.entries(BASE_FILES).map(([file, kinds]) => [file, objects.filter(({ kind }) => kinds.includes(kind))]),
  );
}

/** How to make `wanted` out of `base`: what to add, what to change and what to leave out. */
function overlayOf(base: readonly KubeManifest[], wanted: readonly KubeManifest[]) {
  const before = new Map(base.map((object) => [identityOf(object), object]));
  const after = new Set(wanted.map(identityOf));
  const added = wanted.filter((object) => !before.has(identityOf(object)));
  const changed = wanted.filter((object) =>
    before.has(identityOf(object)) && yamlOf(before.get(identityOf(object))) !== yamlOf(object)
  );
  const removed = base.filter((object) => !after.has(identityOf(object)));
  const changes = Object.fromEntries(
    changed.map((object) => [`${object.kind.toLowerCase()}.yaml`, [{ ...referenceTo(object), ...changeOf(object) }]]),
  );
  return {
    kustomization: {
      resources: ["../../base", ...added.length > 0 ? ["roles.yaml"] : []],
      patches: [
        ...Object.keys(changes).map((path) => ({ path })),
        ...removed.map((object) => ({ patch: yamlOf({ $patch: "delete", ...referenceTo(object) }) })),
      ],
    },
    contents: { ...added.length > 0 && { "roles.yaml": added }, ...changes },
  };
}

function referenceTo({ apiVersion, kind, metadata: { name, namespace } }: KubeManifest): KubeManifest {
  return { apiVersion, kind, metadata: { name, ...namespace !== undefined && { namespace } } };
}

/** The fields in which overlays differ from the base. */
function changeOf(object: KubeManifest): object {
  if (object.kind === "Deployment") {
    const { name, args } = (object as unknown as Deployment).spec!.template.spec!.containers[0];
    return { spec: { template: { spec: { containers: [{ name, args }] } } } };
  }
  return { rules: (object as unknown as { rules: PolicyRule[] }).rules };
}

/** Lets one line of the kustomization say which namespace is watched. */
function namespaceSetting(namespace: string): object {
  return {
    configMapGenerator: [{
      name: "watched",
      literals: [`namespace=${namespace}`],
      options: {
        disableNameSuffixHash: true,
        // Only read by the replacements: not applied.
        annotations: { "config.kubernetes.io/local-config": "true" },
      },
    }],
    replacements: [{
      source: { kind: "ConfigMap", name: "watched", fieldPath: "data.namespace" },
      targets: [
        ...["Role", "RoleBinding"].map((kind) => ({
          select: { kind, name: NAME },
          reject: [{ kind, namespace: NAMESPACE }],
          fieldPaths: ["metadata.namespace"],
        })),
        {
          select: { kind: "Deployment", name: NAME },
          fieldPaths: ["spec.template.spec.containers.[name=controller].args.3"],
          options: { delimiter: "=", index: 1 },
        },
      ],
    }],
  };
}
