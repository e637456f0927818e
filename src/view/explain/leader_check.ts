import { isAmong } from "../../cronjob/decision/stretches.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { type LeaseFacts, whyNoLeader } from "../lease_facts.ts";
import type { Look } from "../look.ts";
import { timeInWords } from "./asked_time.ts";
import type { Check } from "./explanation.ts";

/**
 * Checks whether a controller led at a time, as far as its Lease shows: that knows its present holder, and no earlier
 * one.
 */
export function leaderCheck(look: Look, time: EpochMs, lease: LeaseFacts): Check {
  if (lease.kind === "forbidden") {
    return { result: "?", message: `whether a controller led then: you may not read Lease ${lease.key}` };
  }
  if (lease.kind === "missing") {
    return { result: "-", message: `who leads is not known: there is no Lease ${lease.key}` };
  }
  const { now } = look.input;
  const { key, holder, heldSince, renewedAt } = lease;
  if (heldSince === undefined || renewedAt === undefined) {
    return { result: "?", message: `whether a controller led then: Lease ${key} says no times` };
  }
  const since = timeInWords(heldSince, look);
  const free = whyNoLeader(lease, now, (time) => timeInWords(time, look));
  if (free !== undefined && time > renewedAt) return { result: "FAIL", message: free };
  if (time > now) return { result: "ok", message: `a controller leads now (Lease held since ${since})` };
  if (time < heldSince || holder === "") {
    return { result: "?", message: `who led then is not known: Lease ${key} says nothing of the time before ${since}` };
  }
  if (isAmong(look.input.cronJob.passedOver, time)) {
    const message = `the leader may have stood still: it holds the Lease since ${since}, and started a later run first`;
    return { result: "?", message };
  }
  return { result: "ok", message: `the controller led then (Lease held since ${since})` };
}
