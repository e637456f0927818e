import { Server } from "node:https";
import { DenoHttpsServer } from "./deno_https_server.ts";
import type { HttpsServer, HttpsServerOptions } from "./https_server.ts";
import { NodeHttpsServer } from "./node_https_server.ts";

/**
 * Listens with the better of the two servers that Deno has: `node:https` from Deno 2.9 on, which knows how much its clients
 * have not taken yet; before, when it didn't, `Deno.serve`, which answers larger requests late in 2.9.
 *
 * @throws {ServerError} when the port is taken
 */
export async function listenHttps(options: HttpsServerOptions): Promise<HttpsServer> {
  return hasBackpressure() ? await NodeHttpsServer.listen(options) : DenoHttpsServer.listen(options);
}

/** The older `node:https` is a thin layer that writes without limit, and has few of the methods that Node gives it. */
function hasBackpressure(): boolean {
  return "setSecureContext" in Server.prototype;
}
