import { type Answer, type ApiRequest, json } from "../http/exchange.ts";
import { defineKind } from "../kinds/define.ts";
import type { Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { mayDoEverything } from "../security/authorization.ts";
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
): Promise<Answer> {
  const { object } = await readObject(context, request, kind, "Ignore");
  const allowed = mayDoEverything(request.user);
  const status: Json = allowed ? { allowed, reason: "the user is a member of system:masters" } : { allowed };
  return json({ ...object, metadata: object.metadata ?? {}, status }, { code: 201 });
}
