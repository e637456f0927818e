import type { FieldError, Json } from "../../resource_kind.ts";
import { atLeast, between, type Check, forbid, must, named, NOT_NEGATIVE, oneOf, REQUIRED, rules } from "./check.ts";
import { forbidden, invalidValue, required } from "./field_errors.ts";
import { headerNameErrors, portNameErrors } from "./names.ts";
import type { PodScope } from "./pod_scope.ts";

export const PORT_NUMBER: Check = (port, at) => port === 0 ? [] : between(1, 65535)(port, at, undefined);

/** By number or by name; core `ValidatePortNumOrName`. */
const PORT: Check = (port, at) =>
  (typeof port === "number" ? between(1, 65535) : named(portNameErrors))(port, at, undefined);

/** Core `validateHandler`, in the order in which it looks. */
const HANDLERS: Readonly<Record<string, Check<PodScope>>> = {
  exec: rules("core validateExecAction", [
    "",
    ({ command = [] }: Json, at) => command.length ? [] : [required(`${at}.command`)],
  ]),
  httpGet: rules(
    "core validateHTTPGetAction",
    ["path", REQUIRED],
    ["port", PORT],
    ["scheme", oneOf("HTTP", "HTTPS")],
    [
      "httpHeaders",
      (headers: Json[], at) => headers.flatMap(({ name }) => named(headerNameErrors)(name, at, undefined)),
    ],
  ),
  tcpSocket: rules("core validateTCPSocketAction", ["port", PORT]),
  grpc: rules("core validateGRPCAction", ["port", PORT]),
  sleep: ({ seconds }: Json, at, { spec }) => {
    const grace = spec.terminationGracePeriodSeconds;
    return grace === undefined || (seconds >= 0 && seconds <= grace) ? [] : [
      invalidValue(at, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`),
    ];
  },
};

function handler(value: Json, at: string, scope: PodScope): FieldError[] {
  const given = Object.keys(HANDLERS).filter((name) => value[name] !== undefined);
  if (given.length === 0) return [required(at, "must specify a handler type")];
  return given.flatMap((name, index) =>
    index === 0
      ? HANDLERS[name](value[name], `${at}.${name}`, scope)
      : [forbidden(`${at}.${name}`, "may not specify more than 1 handler type")]
  );
}

const PROBE = rules<PodScope>(
  "core validateProbe",
  ["", handler],
  ["initialDelaySeconds", NOT_NEGATIVE],
  ["timeoutSeconds", NOT_NEGATIVE],
  ["periodSeconds", NOT_NEGATIVE],
  ["successThreshold", NOT_NEGATIVE],
  ["failureThreshold", NOT_NEGATIVE],
  ["terminationGracePeriodSeconds", atLeast(1, "must be greater than 0")],
);
const ONE_SUCCESS = rules<PodScope>(
  "core validateLivenessProbe, validateStartupProbe",
  ["", PROBE],
  ["successThreshold", must("must be 1", (threshold: number) => threshold === 1)],
);

export const validateProbes: Check<PodScope> = rules<PodScope>(
  "core validateContainers",
  ["livenessProbe", ONE_SUCCESS],
  ["readinessProbe", PROBE],
  [
    "readinessProbe",
    rules("core validateReadinessProbe", [
      "terminationGracePeriodSeconds",
      must("must not be set for readinessProbes", () => false),
    ]),
  ],
  ["startupProbe", ONE_SUCCESS],
);

export const validateLifecycle: Check<PodScope> = rules<PodScope>(
  "core validateLifecycle",
  ["postStart", handler],
  ["preStop", handler],
  [
    "stopSignal",
    forbid("may not be set for containers with empty `spec.os.name`", (_: never, { spec }) => !spec.os?.name),
  ],
);
