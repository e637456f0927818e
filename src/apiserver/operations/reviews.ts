import { formatTime } from "../../base/epoch_ms.ts";
import { encode } from "../http/encode.ts";
import type { Answer, ApiRequest } from "../http/exchange.ts";
import type { ResourceRequest } from "../http/resource_request.ts";
import { defineKind } from "../kinds/define.ts";
import { AUTHENTICATION_TYPES } from "../schema/types/authentication.ts";
import { AUTHORIZATION_TYPES } from "../schema/types/authorization.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import type { User } from "../security/authentication.ts";
import { type MayAlso, mayDoEverything, OPEN_PATHS } from "../security/authorization.ts";
import type { ServerContext, Target } from "./context.ts";
import { checkReadable, readObject } from "./read_body.ts";
import { found, invalidState, invalidValue } from "../kinds/validation/field_errors.ts";
import { badRequest, invalid } from "../refusals.ts";
import { parseWriteOptions } from "./write_options.ts";

// Questions that all users may ask about themselves. Nothing is stored.

const ANY = ["*"];

interface ReviewSpec {
  readonly resourceAttributes?: Partial<
    Record<"verb" | "group" | "resource" | "subresource" | "namespace" | "name", string>
  >;
}

/** The answer of each kind of review. */
const STATUSES: Readonly<Record<string, (user: User, spec: ReviewSpec | undefined, mayAlso?: MayAlso) => Json>> = {
  /** `kubectl auth can-i` */
  SelfSubjectAccessReview: (user, spec, mayAlso) => {
    if (mayDoEverything(user)) return { allowed: true };
    const asked = askedFor(spec);
    return { allowed: asked !== undefined && (mayAlso?.(user, asked) ?? false) };
  },
  /** `kubectl auth can-i --list`. Who starts the server may allow more than is known here. */
  SelfSubjectRulesReview: (user) => {
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
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: [...discovery, ...OPEN_PATHS] }],
      incomplete: true,
    };
  },
  /** `kubectl auth whoami` */
  SelfSubjectReview: ({ name, uid, groups }) => ({ userInfo: { username: name, uid, groups } }),
};

export const REVIEWS: readonly ResourceKind[] = Object.keys(STATUSES).map((kind) =>
  defineKind(kind === "SelfSubjectReview" ? AUTHENTICATION_TYPES : AUTHORIZATION_TYPES, kind, {
    namespaced: false,
    verbs: ["create"],
  })
);

/** Answers the question that a review asks; nothing is stored. */
export async function handleReview(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const { kind } = target;
  checkReadable(request);
  const { fieldValidation } = parseWriteOptions(request, "CreateOptions");
  const object = await readObject(context, request, kind, fieldValidation);
  checkQuestion(object);
  const status = STATUSES[kind.kind]!(request.user, object.spec as ReviewSpec | undefined, context.mayAlso);
  // Only the review of who a user is has a time, as on Kubernetes.
  const created = kind.kind === "SelfSubjectReview" && { creationTimestamp: formatTime(context.clock.now()) };
  // The answer to a user's rights leaves out the question.
  const spec = kind.kind === "SelfSubjectRulesReview" && { spec: {} };
  const review = { ...object, metadata: { ...object.metadata, ...created }, ...spec, status };
  return encode(JSON.stringify(review), target, { code: 201 });
}

/** Authorization `ValidateSelfSubjectAccessReview`, and what is asked of `SelfSubjectRulesReview`. */
function checkQuestion({ kind, spec = {}, metadata }: Json): void {
  if (kind === "SelfSubjectRulesReview" && !spec.namespace) throw badRequest("no namespace on request");
  if (kind !== "SelfSubjectAccessReview") return;
  const one = "exactly one of resourceAttributes and nonResourceAttributes must be specified";
  const { resourceAttributes: resource, nonResourceAttributes: other } = spec;
  const errors = found(
    resource && other && invalidState("spec.nonResourceAttributes", one),
    !resource && !other && invalidState("spec.resourceAttributes", one),
    Object.keys(metadata).length > 0 && invalidValue("metadata", metadata, "must be empty"),
  );
  // The kind is not known there any more.
  if (errors.length) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", errors);
}

/** Undefined for what is about no resource. */
function askedFor(spec: ReviewSpec | undefined): ResourceRequest | undefined {
  const attributes = spec?.resourceAttributes;
  if (!attributes) return undefined;
  const { verb = "", group = "", resource: plural = "", subresource, namespace, name } = attributes;
  return { verb, group, plural, subresource, namespace, name };
}
