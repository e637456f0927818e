import type { Json } from "../resource_kind.ts";

/** Returns the condition of a type in an object's status, where it is true. */
export function trueCondition({ status }: Json, type: string): Json | undefined {
  return status?.conditions?.find((one: Json) => one.type === type && one.status === "True");
}

/** Returns conditions with one in its place, or behind the others. It keeps its time as long as its status stays. */
export function withCondition(conditions: readonly Json[], { type, status, ...said }: Json, now: string): Json[] {
  const before = conditions.find((one) => one.type === type);
  const lastTransitionTime = before?.status === status ? before?.lastTransitionTime : now;
  const next = { type, status, lastTransitionTime, ...said };
  return before ? conditions.map((one) => one === before ? next : one) : [...conditions, next];
}
