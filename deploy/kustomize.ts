import { definitionOf } from "../src/cronjob/api/crd.ts";
import { type Flavour, PRODUCTION, TUTORIAL } from "../src/cronjob/api/flavour.ts";
import { argumentsOf } from "../src/manifests/deployment.ts";
import { type Install, installOf, NAME, NAMESPACE, type OverlayName, OVERLAYS } from "../src/manifests/install.ts";
import { objectsOf } from "../src/manifests/objects.ts";
import { yamlOf } from "../src/manifests/yaml.ts";

const HEADER = "# Written by `deno task manifests`.\n";

/** Each definition has a folder of its own, so that overlays can take it or leave it. */
const CRD_FOLDERS: Record<string, Flavour> = { "crd": PRODUCTION, "crd/tutorial": TUTORIAL };

/** The files of an overlay and the kinds of their objects. */
const FILES: Record<string, readonly string[]> = {
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
  for (const overlay of Object.keys(OVERLAYS) as OverlayName[]) {
    const [folder, root] = overlay === "base" ? ["base", ".."] : [`overlays/${overlay}`, "../.."];
    const install = installOf(overlay);
    const crds = Object.entries(CRD_FOLDERS).filter(([, flavour]) => install.apis.includes(flavour));
    const resources = [...crds.map(([crd]) => `${root}/${crd}`), ...Object.keys(FILES)];
    const setting = install.watched.length > 0 ? namespaceSetting(install) : {};
    addFolder(files, folder!, { resources, ...setting }, inFiles(install));
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

function inFiles(install: Install): Record<string, readonly unknown[]> {
  const objects = objectsOf(install);
  return Object.fromEntries(
    Object.entries(FILES).map(([file, kinds]) => [file, objects.filter(({ kind }) => kinds.includes(kind))]),
  );
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
