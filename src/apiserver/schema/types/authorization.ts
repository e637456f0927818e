import type { TypeTable } from "../type_table.ts";

export const AUTHORIZATION_TYPES: TypeTable = {
  FieldSelectorAttributes: {
    rawSelector: "1 string",
    requirements: "2 []meta.FieldSelectorRequirement",
  },
  LabelSelectorAttributes: {
    rawSelector: "1 string",
    requirements: "2 []meta.LabelSelectorRequirement",
  },
  NonResourceAttributes: {
    path: "1 string",
    verb: "2 string",
  },
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
};
