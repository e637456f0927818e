import { TypePackage } from "../type_table.ts";
import { META_TYPES } from "./meta.ts";

export const AUTHORIZATION_TYPES: TypePackage = new TypePackage("authorization", {
  FieldSelectorAttributes: { rawSelector: "1 string", requirements: "2 []meta.FieldSelectorRequirement" },
  LabelSelectorAttributes: { rawSelector: "1 string", requirements: "2 []meta.LabelSelectorRequirement" },
  NonResourceAttributes: { path: "1 string", verb: "2 string" },
  ResourceAttributes: {
    namespace: "1 string",
    verb: "2 string",
    group: "3 string",
    version: "4 string",
    resource: "5 string",
    subresource: "6 string",
    name: "7 string",
    fieldSelector: "8 FieldSelectorAttributes",
    labelSelector: "9 LabelSelectorAttributes",
  },
  SelfSubjectAccessReview: {
    metadata: "1 meta.ObjectMeta value",
    spec: "2 SelfSubjectAccessReviewSpec always",
    status: "3 SubjectAccessReviewStatus value",
  },
  NonResourceRule: { verbs: "1 []string always", nonResourceURLs: "2 []string" },
  ResourceRule: {
    verbs: "1 []string always",
    apiGroups: "2 []string",
    resources: "3 []string",
    resourceNames: "4 []string",
  },
  SelfSubjectRulesReview: {
    metadata: "1 meta.ObjectMeta value",
    spec: "2 SelfSubjectRulesReviewSpec always",
    status: "3 SubjectRulesReviewStatus value",
  },
  SelfSubjectRulesReviewSpec: { namespace: "1 string" },
  SubjectRulesReviewStatus: {
    resourceRules: "1 []ResourceRule always",
    nonResourceRules: "2 []NonResourceRule always",
    incomplete: "3 bool always",
    evaluationError: "4 string",
  },
  SelfSubjectAccessReviewSpec: {
    resourceAttributes: "1 ResourceAttributes",
    nonResourceAttributes: "2 NonResourceAttributes",
  },
  SubjectAccessReviewStatus: {
    allowed: "1 bool always",
    denied: "4 bool",
    reason: "2 string",
    evaluationError: "3 string",
  },
}, { uses: [META_TYPES] });

export const POLICY_TYPES: TypePackage = new TypePackage("policy", {
  Eviction: { metadata: "1 meta.ObjectMeta value", deleteOptions: "2 meta.DeleteOptions" },
}, { group: "policy", uses: [META_TYPES] });
