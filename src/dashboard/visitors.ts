import type { KubeClient } from "../kube/client.ts";

/** Somebody who may use the page, and the client that asks the API server in their name. */
export interface Visitor {
  readonly client: KubeClient;
  /** What several requests of one person have in common. */
  readonly key: string;
}

/** Tells who sends a request. */
export interface Visitors {
  /** How one logs in. */
  readonly login: "code" | "token";
  /** Undefined where nobody is known. */
  visitorOf(request: Request): Visitor | undefined;
  /** The headers of an answer that logs somebody in; undefined where the code is good for nothing. */
  logIn(code: string): Record<string, string> | undefined;
  /** The headers of an answer that logs somebody out. */
  logOut(request: Request): Record<string, string>;
}
