import { formatTime } from "../../schedule/epoch_ms.ts";
import { encode } from "../http/encode.ts";
import type { Answer, ApiRequest } from "../http/exchange.ts";
import type { ResourceRequest } from "../http/resource_request.ts";
import { defineKind } from "../kinds/define.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import type { User } from "../security/authentication.ts";
import { type MayAlso, mayDoEverything } from "../security/authorization.ts";
import type { ServerContext, Target } from "./context.ts";
import { readObject } from "./read_body.ts";

// What anyone may ask about themselves. Nothing is stored.

const ANY = ["*"];

interface ReviewSpec {
  readonly resourceAttributes?: Partial<
    Record<"verb" | "group" | "resource" | "subresource" | "namespace" | "name", string>
  >;
}

/** What each kind of review answers. */
const STATUSES: Readonly<Record<string, (user: User, spec: ReviewSpec | undefined, mayAlso?: MayAlso) => Json>> = {
  /** `kubectl auth can-i` */
  "authorization.SelfSubjectAccessReview": (user, spec, mayAlso) => {
    if (mayDoEverything(user)) return { allowed: true, reason: "the user is a member of system:masters" };
    const asked = askedFor(spec);
    return { allowed: asked !== undefined && (mayAlso?.(user, asked) ?? false) };
  },
  /** `kubectl auth can-i --list`. Who starts the server may allow more than is known here. */
  "authorization.SelfSubjectRulesReview": (user) => {
    if (mayDoEverything(user)) {
      const all = { verbs: ANY, apiGroups: ANY, resources: ANY };
      return { resourceRules: [all], nonResourceRules: [{ verbs: ANY, nonResourceURLs: ANY }], incomplete: false };
    }
    const reviews = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
    const discovery = ["/api", "/apis", "/openapi"].flatMap((path) => [path, `${path}/*`]);
    return {
      resourceRules: [
        { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: reviews },
        { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
      ],
      nonResourceRules: [{
        verbs: ["get"],
        nonResourceURLs: [...discovery, "/healthz", "/livez", "/readyz", "/version"],
      }],
      incomplete: true,
    };
  },
  /** `kubectl auth whoami` */
  "authentication.SelfSubjectReview": ({ name, uid, groups }) => ({ userInfo: { username: name, uid, groups } }),
};

export const REVIEWS: readonly ResourceKind[] = Object.keys(STATUSES).map((name) => {
  const [group = "", kind = ""] = name.split(".");
  return defineKind({
    group: `${group}.k8s.io`,
    version: "v1",
    plural: `${kind.toLowerCase()}s`,
    kind,
    namespaced: false,
    verbs: ["create"],
    schema: KUBERNETES_TYPES.object(name),
  });
});

/** Answers the question that a review asks; nothing is stored. */
export async function handleReview(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const { kind } = target;
  const { object } = await readObject(context, request, kind, "Ignore");
  const status = STATUSES[`${kind.group.replace(/\..*/, "")}.${kind.kind}`]!(
    request.user,
    object.spec as ReviewSpec | undefined,
    context.mayAlso,
  );
  // Only the review of who a user is has a time, as on Kubernetes.
  const created = kind.kind === "SelfSubjectReview" && { creationTimestamp: formatTime(context.clock.now()) };
  const review = { ...object, metadata: { ...object.metadata, ...created }, status };
  return encode(JSON.stringify(review), target, { code: 201 });
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
