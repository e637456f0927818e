import type { ResourceRequest } from "../../src/apiserver/http/resource_request.ts";

/** A line of an API server's audit log, as far as tests look at it. */
export interface AuditEvent {
  readonly verb: string;
  readonly stage: "ResponseStarted" | "ResponseComplete";
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string | undefined;
  };
  readonly responseStatus: { readonly code: number };
}

export async function readAuditLog(file: string): Promise<AuditEvent[]> {
  return (await Deno.readTextFile(file)).split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** What RBAC decides on; undefined for what is about no resource, such as `/version`. */
export function requestOf({ verb, objectRef }: AuditEvent): ResourceRequest | undefined {
  if (!objectRef) return undefined;
  const { resource, apiGroup = "", subresource, namespace, name } = objectRef;
  // When it is decided whether something may be created, its name has not been read yet.
  const known = verb === "create" && !subresource ? undefined : name;
  return { verb, group: apiGroup, plural: resource, subresource, namespace, name: known };
}

/** Whether a controller asked: not another part of the program, nor another client. */
export function isOfController({ userAgent = "" }: AuditEvent): boolean {
  return /^cronjob-controller\/\S+$/.test(userAgent);
}

/** Where every API server that a test starts is to leave its audit log, if anywhere. */
export const AUDIT_DIR = Deno.env.get("CJC_TEST_AUDIT_DIR");

/** For one more server. */
export function auditLogPath(): string | undefined {
  return AUDIT_DIR && `${AUDIT_DIR}/${crypto.randomUUID()}.jsonl`;
}
