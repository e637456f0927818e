import { type Answer, type ApiRequest, json } from "../http/exchange.ts";
import type { ResourceRequest } from "../http/resource_request.ts";
import { defineKind } from "../kinds/define.ts";
import type { Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { type MayAlso, mayDoEverything } from "../security/authorization.ts";
import type { ServerContext, Target } from "./context.ts";
import { readObject } from "./read_body.ts";

/** What `kubectl auth can-i` asks. Nothing is stored. */
export const SELF_SUBJECT_ACCESS_REVIEWS = defineKind({
  group: "authorization.k8s.io",
  version: "v1",
  plural: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
  verbs: ["create"],
  schema: KUBERNETES_TYPES.object("authorization.SelfSubjectAccessReview"),
});

export async function handleAccessReview(
  context: ServerContext,
  { kind }: Target,
  request: ApiRequest,
  mayAlso: MayAlso | undefined,
): Promise<Answer> {
  const { object } = await readObject(context, request, kind, "Ignore");
  const asked = askedFor(object.spec as ReviewSpec | undefined);
  const status: Json = mayDoEverything(request.user)
    ? { allowed: true, reason: "the user is a member of system:masters" }
    : { allowed: asked !== undefined && (mayAlso?.(request.user, asked) ?? false) };
  return json({ ...object, metadata: object.metadata ?? {}, status }, { code: 201 });
}

interface ReviewSpec {
  readonly resourceAttributes?: Partial<
    Record<"verb" | "group" | "resource" | "subresource" | "namespace" | "name", string>
  >;
}

/** Undefined for what is about no resource. */
function askedFor(spec: ReviewSpec | undefined): ResourceRequest | undefined {
  const attributes = spec?.resourceAttributes;
  if (!attributes) return undefined;
  const { verb = "", group = "", resource = "", subresource, namespace, name } = attributes;
  return {
    verb,
    group,
    plural: resource,
    subresource: subresource || undefined,
    namespace: namespace || undefined,
    name: name || undefined,
  };
}
