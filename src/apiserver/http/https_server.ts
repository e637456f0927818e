import { ServerError } from "../errors.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { Authenticator } from "../security/authentication.ts";
import type { Answer, ApiRequest } from "./exchange.ts";

export interface HttpsServerOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly certificate: string;
  readonly privateKey: string;
  readonly authenticator: Authenticator;
  readonly handle: (request: ApiRequest) => Promise<Answer>;
  /** More are closed at once, where the runtime can. @default some fewer than the files that the process may open */
  readonly maxConnections?: number;
}

/** HTTPS on the loopback interface. Knows who asks and how large a request may be; what is asked is the handler's. */
export interface HttpsServer {
  readonly port: number;
  /** Shows another certificate to new connections. Gives false where the runtime cannot. */
  renew(certificate: { readonly certificate: string; readonly privateKey: string }): boolean;
  /** Ends every connection, watches included. */
  close(): Promise<void>;
}

export function cannotListen(port: number, error: unknown, inUse: boolean): ServerError {
  const why = inUse
    ? "the port is in use by another program; name another one, or 0 for any that is free"
    : messageOf(error);
  return new ServerError(`Cannot listen on 127.0.0.1:${port}: ${why}`, { cause: error });
}
