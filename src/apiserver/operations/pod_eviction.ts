import { formatTime } from "../../base/epoch_ms.ts";
import type { Answer, ApiRequest } from "../http/exchange.ts";
import { succeeded } from "../http/encode.ts";
import { withCondition } from "../kinds/conditions.ts";
import { defineKind } from "../kinds/define.ts";
import { POLICY_TYPES } from "../schema/types/authorization.ts";
import { badRequest } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import type { ServerContext, Target } from "./context.ts";
import { remove, whatIsMeant } from "./delete.ts";
import { parseDeleteOptions } from "./delete_options.ts";
import { readObject } from "./read_body.ts";
import { update } from "./update.ts";
import { parseWriteOptions } from "./write_options.ts";

const EVICTIONS = defineKind(POLICY_TYPES, "Eviction");

/**
 * POST of an `Eviction`, which `kubectl drain` sends: the Pod says that it is disrupted, and is deleted, as no disruption
 * budget stands against it.
 */
export async function handlePodEviction(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const { fieldValidation, dryRun } = parseWriteOptions(request, "CreateOptions");
  const eviction = await readObject(context, request, EVICTIONS, fieldValidation);
  const { kind, namespace, name } = target;
  if (eviction.metadata.name !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const asked = parseDeleteOptions(eviction.deleteOptions ?? {}, request.query);
  const deletion = { kind, namespace, name, options: { ...asked, dryRun: asked.dryRun || dryRun } };
  await context.storage.write((tx) => {
    whatIsMeant(tx, deletion);
    update(tx, {
      ...deletion,
      subresource: "status",
      manager: undefined,
      warnings: request.warnings,
      change: (pod, now) => disrupted(pod, formatTime(now)),
    });
    // The Pod has another version now.
    remove(tx, { ...deletion, options: { ...deletion.options, preconditions: {} } });
  });
  return succeeded(target, { code: 201 });
}

/** By its condition a Pod failure policy knows that the Pod did not fail by itself. */
function disrupted(pod: Json, now: string): Json {
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    observedGeneration: pod.metadata.generation,
    lastProbeTime: null,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  return { ...pod, status: { ...pod.status, conditions: withCondition(pod.status?.conditions ?? [], condition, now) } };
}
