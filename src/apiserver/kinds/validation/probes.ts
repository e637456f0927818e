import type { Json } from "../../resource_kind.ts";
import { atLeast, between, type Check, must, named, NOT_NEGATIVE, oneOf, REQUIRED, rules } from "./check.ts";
import { type Findings, forbidden, invalidValue, required } from "./field_errors.ts";
import { headerNameErrors, portNameErrors } from "./names.ts";

export const PORT_NUMBER: Check = (port, at) => port !== 0 && between(1, 65535)(port, at);

/** By number or by name; core `ValidatePortNumOrName`. */
const PORT: Check = (port, at) => (typeof port === "number" ? between(1, 65535) : named(portNameErrors))(port, at);

/** Core `validateHandler`, in the order in which it looks. */
const HANDLERS: Readonly<Record<string, Check>> = {
  exec: rules("core validateExecAction", ["command", REQUIRED]),
  httpGet: rules(
    "core validateHTTPGetAction",
    ["path", REQUIRED],
    ["port", PORT],
    ["scheme", oneOf("HTTP", "HTTPS")],
    // Kubernetes leaves out which of the headers it is.
    ["httpHeaders", (headers: Json[], at) => headers.map(({ name }) => named(headerNameErrors)(name, at))],
  ),
  tcpSocket: rules("core validateTCPSocketAction", ["port", PORT]),
  grpc: rules("core validateGRPCAction", ["port", PORT]),
  sleep: ({ seconds }: Json, at, { spec }: { readonly spec: Json }) => {
    const grace = spec.terminationGracePeriodSeconds;
    return grace !== undefined && !(seconds >= 0 && seconds <= grace) &&
      invalidValue(at, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`);
  },
};

function handler(value: Json, at: string, scope: { readonly spec: Json }): Findings {
  const [first, ...others] = Object.keys(HANDLERS).filter((name) => value[name] !== undefined);
  if (first === undefined) return required(at, "must specify a handler type");
  return [
    HANDLERS[first]!(value[first], `${at}.${first}`, scope),
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

export const validateLifecycle: Check = rules("core validateLifecycle", [["postStart", "preStop"], handler]);
