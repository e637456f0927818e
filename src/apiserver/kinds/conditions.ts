import type { Json } from "../resource_kind.ts";

/** Returns the condition of a type in an object's status, where it is true. */
export function trueCondition({ status }: Json, type: string): Json | undefined {
  return status?.conditions?.find((one: Json) => one.type === type && one.status === "True");
}
