import { formatTime } from "../../schedule/epoch_ms.ts";
import { succeeded } from "../http/encode.ts";
import type { Answer, ApiRequest } from "../http/exchange.ts";
import { badRequest, conflict, preconditionFailed, Refusal, summaryOf } from "../refusals.ts";
import { orElse, REQUIRED, rules } from "../kinds/validation/check.ts";
import { notSupported } from "../kinds/validation/field_errors.ts";
import type { Json } from "../resource_kind.ts";
import { defineKind } from "../kinds/define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { readObject } from "./read_body.ts";
import type { ServerContext, Target } from "./context.ts";
import { update } from "./update.ts";
import { parseWriteOptions } from "./write_options.ts";

const BINDINGS = defineKind(CORE_TYPES, "Binding");

/** What a conflict is about. */
const BOUND = { group: "", plural: "pods/binding" };

/** POST of a `Binding`: what a scheduler does, or a kubelet that takes Pods of its own accord, to give a Pod its node. */
export async function handlePodBinding(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const options = parseWriteOptions(request.query, request.header("user-agent"), "CreateOptions");
  const { object: binding } = await readObject(context, request, BINDINGS, options.fieldValidation);
  const { kind, namespace, name } = target;
  if (binding.metadata.name !== name) throw badRequest("name in URL does not match name in Binding object");
  const errors = TARGET(binding, "");
  // Kube-apiserver takes them for its own.
  if (errors.length) throw new Refusal(500, "", summaryOf(errors));
  const node = binding.target.name;
  await context.storage.write((tx) =>
    update(tx, {
      kind,
      namespace,
      name,
      subresource: "binding",
      options,
      manager: options.manager,
      change: (pod, now) => {
        checkBindable(pod, binding);
        return { object: bound(pod, { binding, node, time: formatTime(now) }), warnings: [] };
      },
    })
  );
  return succeeded(target, { code: 201 });

  function checkBindable(pod: Json, { metadata }: Json): void {
    const { uid, resourceVersion } = metadata ?? {};
    if (uid && uid !== pod.metadata.uid) {
      throw preconditionFailed(kind, name, ["UID", uid, pod.metadata.uid]);
    }
    if (resourceVersion && resourceVersion !== pod.metadata.resourceVersion) {
      throw preconditionFailed(kind, name, ["ResourceVersion", resourceVersion, pod.metadata.resourceVersion]);
    }
    if (pod.metadata.deletionTimestamp !== undefined) {
      throw conflict(BOUND, name, `pod ${name} is being deleted, cannot be assigned to a host`);
    }
    if (pod.spec.nodeName) {
      throw conflict(BOUND, name, `pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
    }
    if (pod.spec.schedulingGates?.length) {
      throw conflict(BOUND, name, `pod ${name} has non-empty .spec.schedulingGates`);
    }
  }
}

const TARGET = rules("core ValidatePodBinding", [
  "target",
  orElse({}),
  rules(
    "core ValidatePodBinding",
    ["kind", (kind, at) => kind && kind !== "Node" && notSupported(at, kind, ["Node", "<empty>"])],
    ["name", REQUIRED],
  ),
]);

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
