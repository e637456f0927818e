import { FIELD_MANAGER } from "../../applied_files/applied_objects.ts";
import { rankOf } from "../../applied_files/kind_order.ts";
import type { ReasonsOf } from "../../applied_files/refusal.ts";
import { ResourceFinder } from "../../applied_files/resource_finder.ts";
import { type ManifestObject, titleOf, type Wanted } from "../../applied_files/source.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Position } from "../../manifest_files/yaml_documents.ts";
import { readManifests } from "../../manifest_files/read.ts";
import { ConfigError } from "../errors.ts";

/** An object to apply, and the file it stands in, for messages. */
export type Manifest = Pick<Wanted, "object" | "file" | "position">;

/**
 * Reads what is to be applied, as `kubectl apply -f` does.
 *
 * @throws {ConfigError} naming the file and what is wrong with it
 */
export async function readManifestsToApply(paths: readonly string[]): Promise<Manifest[]> {
  const { manifests, faults } = await readManifests(paths, { recursive: false });
  for (const { source, reason, line } of faults) throw wrong(source, reason, { line });
  return manifests.map(({ source, object, position }) => {
    if (typeof object.metadata?.name !== "string" || object.metadata.name === "") {
      throw wrong(source, `the ${object.kind} needs metadata.name`, position("metadata"));
    }
    return { file: source, object: object as ManifestObject, position };
  });
}

function wrong(source: string, reason: string, { line }: Pick<Position, "line">): ConfigError {
  return new ConfigError(`Cannot read manifest ${source}: ${reason} (line ${line})`);
}

/**
 * Applies manifests as `kubectl apply --server-side --force-conflicts` does; gives back how many.
 *
 * @throws {ConfigError} naming the file of the first manifest that the server refuses
 */
export async function applyManifests(
  client: KubeClient,
  manifests: readonly Manifest[],
  reasonsOf: ReasonsOf,
): Promise<number> {
  const resources = new ResourceFinder(client);
  const ordered = manifests.toSorted((a, b) => rankOf(a.object.kind) - rankOf(b.object.kind));
  for (const { file, object, position } of ordered) {
    try {
      const resource = await resources.find(object.apiVersion, object.kind);
      const namespace = resource.namespaced ? object.metadata.namespace ?? "default" : undefined;
      const { name } = object.metadata;
      const patch = { type: "apply", body: object, fieldManager: FIELD_MANAGER, force: true } as const;
      await client.patch(resource, { name, namespace }, patch);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const reasons = await reasonsOf({ object, file, position }, error);
      const why = reasons.map(({ message, line }) => `${message} (line ${line})`).join("; ") || error.message;
      throw new ConfigError(`Cannot apply ${titleOf({ object })} of ${file}: ${why}`, { cause: error });
    }
  }
  return ordered.length;
}
