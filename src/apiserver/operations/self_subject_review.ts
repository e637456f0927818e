import { formatTime } from "../../schedule/epoch_ms.ts";
import { type Answer, type ApiRequest, json } from "../http/exchange.ts";
import { defineKind } from "../kinds/define.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import type { ServerContext, Target } from "./context.ts";
import { readObject } from "./read_body.ts";

/** What `kubectl auth whoami` asks. Nothing is stored. */
export const SELF_SUBJECT_REVIEWS = defineKind({
  group: "authentication.k8s.io",
  version: "v1",
  plural: "selfsubjectreviews",
  kind: "SelfSubjectReview",
  namespaced: false,
  verbs: ["create"],
  schema: KUBERNETES_TYPES.object("authentication.SelfSubjectReview"),
});

export async function handleSelfSubjectReview(
  context: ServerContext,
  { kind }: Target,
  request: ApiRequest,
): Promise<Answer> {
  const { object } = await readObject(context, request, kind, "Ignore");
  const { name: username, uid, groups } = request.user;
  const metadata = { ...object.metadata, creationTimestamp: formatTime(context.clock.now()) };
  const userInfo = { username, ...(uid !== undefined && { uid }), groups: [...groups] };
  return json({ ...object, metadata, status: { userInfo } }, { code: 201 });
}
