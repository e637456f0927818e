import type { Json } from "../../../src/apiserver/resource_kind.ts";

/** Returns what a program reads of a refusal: the reason, and the field and kind of each cause. Empty for other answers. */
export function readBy({ kind, reason = "", details }: Json): string {
  if (kind !== "Status") return "";
  const causes = (details?.causes ?? []).map((cause: Json) => `${cause.field}: ${cause.reason}`);
  return [reason, ...causes].join(" ");
}
