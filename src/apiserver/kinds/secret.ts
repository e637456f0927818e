import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import type { Json } from "../resource_kind.ts";
import { defineKind } from "./define.ts";
import { SECRET_TABLE } from "./tables/simple.ts";
import { validateSecret, validateSecretUpdate } from "./validation/small.ts";

export const SECRETS = defineKind({
  group: "",
  version: "v1",
  plural: "secrets",
  kind: "Secret",
  namespaced: true,
  schema: KUBERNETES_TYPES.object("core.Secret"),
  selectableFields: { type: ({ type }) => type ?? "" },
  setDefaults,
  validate: validateSecret,
  validateUpdate: validateSecretUpdate,
  table: SECRET_TABLE,
});

/** `stringData` is for writing only: it becomes `data`. */
function setDefaults(secret: Json): void {
  secret.type ??= "Opaque";
  for (const [key, text] of Object.entries(secret.stringData ?? {})) {
    const bytes = new TextEncoder().encode(String(text));
    (secret.data ??= {})[key] = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }
  delete secret.stringData;
}
