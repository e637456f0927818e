import type { Answer, ApiRequest } from "../http/exchange.ts";
import { succeeded } from "../http/encode.ts";
import { defineKind } from "../kinds/define.ts";
import { badRequest } from "../refusals.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import type { ServerContext, Target } from "./context.ts";
import { remove } from "./delete.ts";
import { parseDeleteOptions } from "./delete_options.ts";
import { readObject } from "./read_body.ts";
import { parseWriteOptions } from "./write_options.ts";

const EVICTIONS = defineKind({
  group: "policy",
  version: "v1",
  plural: "evictions",
  kind: "Eviction",
  namespaced: true,
  schema: KUBERNETES_TYPES.object("policy.Eviction"),
});

/** POST of an `Eviction`, which `kubectl drain` sends: the Pod is deleted, as no disruption budget stands against it. */
export async function handlePodEviction(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const { fieldValidation, dryRun } = parseWriteOptions(request.query, request.header("user-agent"), "CreateOptions");
  const { object: eviction } = await readObject(context, request, EVICTIONS, fieldValidation);
  const { kind, namespace, name } = target;
  if (eviction.metadata.name && eviction.metadata.name !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const asked = parseDeleteOptions(eviction.deleteOptions ?? {}, request.query);
  const options = { ...asked, dryRun: asked.dryRun || dryRun };
  await context.storage.write((tx) => remove(tx, { kind, namespace, name, options }));
  return succeeded(target, { code: 201 });
}
