import type { Json } from "../../resource_kind.ts";
import { atLeast, type Check, must, NOT_NEGATIVE, REQUIRED, rules } from "./check.ts";
import { type Findings, forbidden, required } from "./field_errors.ts";

const EXEC = rules("core validateExecAction", ["command", REQUIRED]);
/** Core `validateHandler`. The runtimes here probe by `exec` alone, and name the others as without effect. */
const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc"];

function handler(value: Json, at: string): Findings {
  const [first, ...others] = HANDLERS.filter((name) => value[name] !== undefined);
  if (first === undefined) return required(at, "must specify a handler type");
  return [
    first === "exec" && EXEC(value.exec, `${at}.exec`),
    others.map((name) => forbidden(`${at}.${name}`, "may not specify more than 1 handler type")),
  ];
}

const PROBE = rules(
  "core validateProbe",
  handler,
  [["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"], NOT_NEGATIVE],
  ["terminationGracePeriodSeconds", atLeast(1, "must be greater than 0")],
);
const ONE_SUCCESS = rules(
  "core validateLivenessProbe, validateStartupProbe",
  PROBE,
  ["successThreshold", must("must be 1", (threshold: number) => threshold === 1)],
);
const NO_GRACE = rules("core validateReadinessProbe", [
  "terminationGracePeriodSeconds",
  must("must not be set for readinessProbes", () => false),
]);

export const validateProbes: Check = rules(
  "core validateContainers",
  ["livenessProbe", ONE_SUCCESS],
  ["readinessProbe", PROBE, NO_GRACE],
  ["startupProbe", ONE_SUCCESS],
);
