import { formatTime } from "../../schedule/epoch_ms.ts";
import { succeeded } from "../http/encode.ts";
import type { Answer, ApiRequest } from "../http/exchange.ts";
import { badRequest, conflict, modified, otherUid } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import { defineKind } from "../kinds/define.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { readObject } from "./read_body.ts";
import type { ServerContext, Target } from "./context.ts";
import { update } from "./update.ts";
import { parseWriteOptions } from "./write_options.ts";

const BINDINGS = defineKind({
  group: "",
  version: "v1",
  plural: "bindings",
  kind: "Binding",
  namespaced: true,
  schema: KUBERNETES_TYPES.object("core.Binding"),
});

/** What a conflict is about. */
const BOUND = { group: "", plural: "pods/binding" };

/** POST of a `Binding`: what a scheduler does, or a kubelet that takes Pods of its own accord, to give a Pod its node. */
export async function handlePodBinding(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const options = parseWriteOptions(request.query, request.header("user-agent"), "CreateOptions");
  const { object: binding } = await readObject(context, request, BINDINGS, options.fieldValidation);
  const { kind, namespace, name } = target;
  const node = nodeOf(binding);
  await context.storage.write((tx) =>
    update(tx, {
      kind,
      namespace,
      name,
      subresource: "binding",
      options,
      manager: options.manager,
      mustNameVersion: false,
      change: (pod, now) => {
        checkBindable(pod, binding);
        return { object: bound(pod, { binding, node, time: formatTime(now) }), warnings: [] };
      },
    })
  );
  return succeeded(target, { code: 201 });

  function checkBindable(pod: Json, { metadata }: Json): void {
    const { uid, resourceVersion } = metadata ?? {};
    if (resourceVersion && resourceVersion !== pod.metadata.resourceVersion) throw modified(kind, name);
    if (uid && uid !== pod.metadata.uid) throw otherUid(BOUND, name, uid, pod.metadata.uid);
    if (pod.metadata.deletionTimestamp !== undefined) {
      throw conflict(BOUND, name, `pod ${name} is being deleted, cannot be assigned to a host`);
    }
    if (pod.spec.nodeName) {
      throw conflict(BOUND, name, `pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
    }
  }
}

function nodeOf({ target }: Json): string {
  if (target?.kind && target.kind !== "Node") throw badRequest("the target of a Binding must be a Node");
  if (!target?.name) throw badRequest("the target of a Binding must have a name");
  return target.name;
}

function bound(pod: Json, { binding, node, time }: { binding: Json; node: string; time: string }): Json {
  const { annotations, labels } = binding.metadata ?? {};
  const others = (pod.status?.conditions ?? []).filter(({ type }: Json) => type !== "PodScheduled");
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: time };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations && { annotations: { ...pod.metadata.annotations, ...annotations } }),
      ...(labels && { labels: { ...pod.metadata.labels, ...labels } }),
    },
    spec: { ...pod.spec, nodeName: node },
    status: { ...pod.status, conditions: [...others, scheduled] },
  };
}
