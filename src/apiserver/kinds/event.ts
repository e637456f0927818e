import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind, storageVersionHash } from "./define.ts";

export const EVENTS = defineKind({
  group: "",
  version: "v1",
  plural: "events",
  kind: "Event",
  namespaced: true,
  shortNames: ["ev"],
  allowsCreateOnUpdate: true,
  schema: KUBERNETES_TYPES.object("core.Event"),
});

/** The newer view of the same objects. */
export const EVENTS_V1 = defineKind({
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  kind: "Event",
  namespaced: true,
  shortNames: ["ev"],
  allowsCreateOnUpdate: true,
  storage: EVENTS.storage,
  storageVersionHash: storageVersionHash("", "v1", "Event"),
  schema: KUBERNETES_TYPES.object("events.Event"),
});
