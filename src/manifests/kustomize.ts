import type { Deployment } from "kubernetes-types/apps/v1";
import type { PolicyRule } from "kubernetes-types/rbac/v1";
import { definitionOf } from "../cronjob/api/crd.ts";
import { type Flavour, PRODUCTION, TUTORIAL } from "../cronjob/api/flavour.ts";
import { argumentsOf } from "./deployment.ts";
import { type Install, installOf, NAME, NAMESPACE, type OverlayName, OVERLAYS } from "./install.ts";
import { type KubeManifest, objectsOf } from "./objects.ts";
import { identityOf, yamlOf } from "./yaml.ts";

const HEADER = "# Written by `deno task manifests`.\n";

/** Each definition has a folder of its own, so that overlays can take it or leave it. */
const CRD_FOLDERS: Record<string, Flavour> = { "crd": PRODUCTION, "crd/tutorial": TUTORIAL };

/** The files of the base and the kinds of their objects. */
const BASE_FILES: Record<string, readonly string[]> = {
  "namespace.yaml": ["Namespace"],
  "rbac.yaml": ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
  "deployment.yaml": ["Deployment", "PodDisruptionBudget"],
  "network.yaml": ["Service", "NetworkPolicy"],
};

/** Returns all files of `deploy/` that are made from the code, by their paths there. */
export function kustomizeFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [folder, flavour] of Object.entries(CRD_FOLDERS)) {
    const { group, plural } = flavour.resource;
    const file = `${group}_${plural}.yaml`;
    addFolder(files, folder, { resources: [file] }, { [file]: [definitionOf(flavour)] });
  }
  const base = objectsOf(installOf("base"));
  addFolder(files, "base", { resources: ["../crd", ...Object.keys(BASE_FILES)] }, inFiles(base));
  for (const overlay of Object.keys(OVERLAYS) as OverlayName[]) {
    if (overlay === "base") continue;
    const install = installOf(overlay);
    const { kustomization, contents } = overlayOf(base, objectsOf(install));
    const more = install.watched.length > 0 ? namespaceSetting(install) : {};
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
    changed.map((object) => [fileOf(object), [{ ...referenceTo(object), ...changeOf(object) }]]),
  );
  const crds = Object.entries(CRD_FOLDERS).filter(([, flavour]) =>
    added.some((object) => identityOf(object) === identityOf(definitionOf(flavour) as KubeManifest))
  ).map(([folder]) => folder);
  const roles = added.filter(({ kind }) => kind !== "CustomResourceDefinition");
  return {
    kustomization: {
      resources: ["../../base", ...crds.map((folder) => `../../${folder}`), ...roles.length > 0 ? ["roles.yaml"] : []],
      patches: [
        ...Object.keys(changes).map((path) => ({ path })),
        ...removed.map((object) => ({ patch: yamlOf({ $patch: "delete", ...referenceTo(object) }) })),
      ],
    },
    contents: { ...roles.length > 0 && { "roles.yaml": roles }, ...changes },
  };
}

/** `clusterrole.yaml`, and `clusterrole-view.yaml` where there are several of a kind. */
function fileOf({ kind, metadata: { name } }: KubeManifest): string {
  return `${kind.toLowerCase()}${name.slice(NAME.length)}.yaml`;
}

function referenceTo({ apiVersion, kind, metadata: { name, namespace } }: KubeManifest): KubeManifest {
  return { apiVersion, kind, metadata: { name, ...namespace !== undefined && { namespace } } };
}

/** Returns the fields in which overlays differ from the base. */
function changeOf(object: KubeManifest): object {
  if (object.kind === "Deployment") {
    const containers = (object as unknown as Deployment).spec!.template.spec!.containers.slice(0, 1);
    return { spec: { template: { spec: { containers: containers.map(({ name, args }) => ({ name, args })) } } } };
  }
  return { rules: (object as unknown as { rules: PolicyRule[] }).rules };
}

/** Lets one line of the kustomization say which namespace is watched. */
function namespaceSetting(install: Install): object {
  const [namespace] = install.watched;
  const watchedArgument = argumentsOf(install).indexOf(`--namespace=${namespace}`);
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
          fieldPaths: [`spec.template.spec.containers.[name=controller].args.${watchedArgument}`],
          options: { delimiter: "=", index: 1 },
        },
      ],
    }],
  };
}
