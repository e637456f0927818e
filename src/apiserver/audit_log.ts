import { appendFileSync, closeSync, openSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import { formatMicroTime } from "../base/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { attempt } from "./errors.ts";
import type { Answer, ApiRequest } from "./http/exchange.ts";
import { parseResourcePath } from "./http/request_path.ts";
import { resourceRequestOf } from "./http/resource_request.ts";
import { Refusal } from "./refusals.ts";

const log = loggerFor("apiserver", "audit");

type Handler = (request: ApiRequest) => Promise<Answer>;
type Stage = "ResponseStarted" | "ResponseComplete";

/**
 * Writes what was asked, by whom, and how it was answered: a line of JSON each, an `audit.k8s.io/v1` Event of level Metadata, so
 * no object's contents. Requests with unknown credentials are refused before, and not recorded.
 */
export class AuditLog implements Disposable {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #file: number;
  #isOver = false;

  /** @throws {ServerError} when the file cannot be written */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#file = attempt(`Cannot write the audit log ${path}`, () => openSync(path, "a", 0o600));
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    closeSync(this.#file);
  }

  /** The same handler, whose requests are recorded once they are answered; a watch also when it begins. */
  over(handle: Handler): Handler {
    return async (request) => {
      const event = eventOf(request, formatMicroTime(this.#clock.now()));
      const answer = await handle(request).catch((error) => {
        const name = error instanceof Refusal ? error.details?.name : undefined;
        this.#write(named(event, name), "ResponseComplete", failureOf(error));
        throw error;
      });
      const { code, stream, upgrade } = answer;
      if (!stream && !upgrade) {
        this.#write(named(event, answer.name), "ResponseComplete", { code });
        return answer;
      }
      const begin = (onEnd: (end: () => void) => void) => {
        this.#write(event, "ResponseStarted", { code });
        onEnd(() => this.#write(event, "ResponseComplete", { code }));
      };
      return {
        ...answer,
        stream: stream && ((sink) => {
          begin((end) => sink.onClose(end));
          stream(sink);
        }),
        upgrade: upgrade && {
          ...upgrade,
          serve(socket, signal) {
            begin((end) => socket.addEventListener("close", end));
            upgrade.serve(socket, signal);
          },
        },
      };
    };
  }

  #write(event: object, stage: Stage, status: object): void {
    // The last connections may end after the server.
    if (this.#isOver) return;
    const stageTimestamp = formatMicroTime(this.#clock.now());
    const line = { ...event, stage, responseStatus: { metadata: {}, ...status }, stageTimestamp };
    try {
      appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      // The answer goes out all the same, as kube-apiserver's does.
      log.error("Cannot write the audit log {file}: {error}", { file: this.#path, error });
    }
  }
}

type AuditEvent = ReturnType<typeof eventOf>;

/** A new object has its name in the body; a path names only an object that exists already. */
function named(event: AuditEvent, name: string | undefined): AuditEvent {
  const { verb, objectRef } = event;
  if (verb !== "create" || !objectRef || objectRef.name !== undefined) return event;
  return { ...event, objectRef: { ...objectRef, name } };
}

function eventOf(request: ApiRequest, requestReceivedTimestamp: string) {
  const { user: { name: username, uid, groups }, path, query, method } = request;
  const target = parseResourcePath(path);
  const asked = target && resourceRequestOf(target, request);
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: crypto.randomUUID(),
    requestURI: encodeURI(path) + (query.size > 0 ? `?${query}` : ""),
    verb: asked?.verb ?? method.toLowerCase(),
    user: { username, uid, groups },
    impersonatedUser: request.header("impersonate-user") && { username: request.header("impersonate-user") },
    sourceIPs: ["127.0.0.1"],
    userAgent: request.header("user-agent"),
    objectRef: asked && {
      resource: asked.plural,
      namespace: asked.namespace,
      name: asked.name,
      apiGroup: asked.group || undefined,
      apiVersion: target.version,
      subresource: asked.subresource,
    },
    requestReceivedTimestamp,
  };
}

function failureOf(error: unknown): object {
  if (!(error instanceof Refusal)) return { status: "Failure", reason: "InternalError", code: 500 };
  const { status, message, reason, code } = error.toStatus();
  return { status, message, reason, code };
}
