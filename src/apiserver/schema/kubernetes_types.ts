import { TypeRegistry } from "./type_table.ts";
import { APIEXTENSIONS_TYPES } from "./types/apiextensions.ts";
import { AUTHENTICATION_TYPES } from "./types/authentication.ts";
import { AUTHORIZATION_TYPES, POLICY_TYPES } from "./types/authorization.ts";
import { BATCH_TYPES } from "./types/batch.ts";
import { COORDINATION_TYPES } from "./types/coordination.ts";
import { CORE_TYPES } from "./types/core.ts";
import { EVENTS_TYPES } from "./types/events.ts";
import { META_TYPES } from "./types/meta.ts";
import { NODE_TYPES } from "./types/node.ts";

/** The types of the kinds that the server has, as Kubernetes 1.36 defines them. */
export const KUBERNETES_TYPES: TypeRegistry = new TypeRegistry({
  meta: { prefix: "io.k8s.apimachinery.pkg.apis.meta.v1", table: META_TYPES },
  core: { prefix: "io.k8s.api.core.v1", table: { ...CORE_TYPES, ...NODE_TYPES } },
  batch: { prefix: "io.k8s.api.batch.v1", table: BATCH_TYPES },
  coordination: { prefix: "io.k8s.api.coordination.v1", table: COORDINATION_TYPES },
  events: { prefix: "io.k8s.api.events.v1", table: EVENTS_TYPES },
  authentication: { prefix: "io.k8s.api.authentication.v1", table: AUTHENTICATION_TYPES },
  policy: { prefix: "io.k8s.api.policy.v1", table: POLICY_TYPES },
  authorization: { prefix: "io.k8s.api.authorization.v1", table: AUTHORIZATION_TYPES },
  apiextensions: { prefix: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1", table: APIEXTENSIONS_TYPES },
});
