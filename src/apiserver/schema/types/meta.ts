import type { TypeTable } from "../type_table.ts";

export const META_TYPES: TypeTable = {
  DeleteOptions: {
    gracePeriodSeconds: "1 int64 pointer",
    preconditions: "2 Preconditions",
    orphanDependents: "3 bool pointer",
    propagationPolicy: "4 string pointer",
    dryRun: "5 []string",
    ignoreStoreReadErrorWithClusterBreakingPotential: "6 bool pointer",
  },
  FieldSelectorRequirement: {
    key: "1 string always",
    operator: "2 string always",
    values: "3 []string",
  },
  "LabelSelector atomic": {
    matchLabels: "1 map[string]",
    matchExpressions: "2 []LabelSelectorRequirement",
  },
  LabelSelectorRequirement: {
    key: "1 string always",
    operator: "2 string always",
    values: "3 []string",
  },
  ManagedFieldsEntry: {
    manager: "1 string",
    operation: "2 string",
    apiVersion: "3 string",
    time: "4 time",
    fieldsType: "6 string",
    fieldsV1: "7 any",
    subresource: "8 string",
  },
  ObjectMeta: {
    name: "1 string",
    generateName: "2 string",
    namespace: "3 string",
    selfLink: "4 string",
    uid: "5 string",
    resourceVersion: "6 string",
    generation: "7 int64",
    creationTimestamp: "8 time",
    deletionTimestamp: "9 time",
    deletionGracePeriodSeconds: "10 int64 pointer",
    labels: "11 map[string]",
    annotations: "12 map[string]",
    ownerReferences: "13 []OwnerReference merge=uid map=uid",
    finalizers: "14 []string merge set",
    managedFields: "17 []ManagedFieldsEntry",
  },
  "OwnerReference atomic": {
    apiVersion: "5 string always",
    kind: "1 string always",
    name: "3 string always",
    uid: "4 string always",
    controller: "6 bool pointer",
    blockOwnerDeletion: "7 bool pointer",
  },
  Preconditions: {
    uid: "1 string pointer",
    resourceVersion: "2 string pointer",
  },
};
