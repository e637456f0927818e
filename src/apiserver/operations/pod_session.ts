import { chooseProtocol } from "../channels/protocol.ts";
import { serveSession } from "../channels/serve_session.ts";
import type { Answer, ApiRequest } from "../http/exchange.ts";
import type { SessionRequest } from "../../kube/container_session.ts";
import { isTrue } from "../reading/list_options.ts";
import { badRequest } from "../refusals.ts";
import { parse } from "../storage/stored_object.ts";
import type { ServerContext, Target } from "./context.ts";
import { chosenContainer } from "./pod_container.ts";
import { storedObject } from "./read.ts";

/** GET and POST of `pods/…/exec`: the connection becomes a WebSocket. */
export function handlePodSession(context: ServerContext, target: Target, request: ApiRequest): Answer {
  if (request.query.has("dryRun")) throw badRequest("dryRun is not supported");
  const pod = parse(storedObject(context, target));
  const { query } = request;
  const container = chosenContainer(pod, query.get("container") || undefined);
  const { name, uid } = pod.metadata;
  if (!pod.spec.nodeName) throw badRequest(`pod ${name} does not have a host assigned`);
  const wanted = sessionRequest(query);
  const protocol = protocolOf(request);
  const { clock, podSessions } = context;
  const open = () => {
    if (!podSessions) throw new Error("nothing that runs containers is connected to this server");
    return podSessions.open({ pod: { name, uid }, container }, wanted);
  };
  return {
    code: 101,
    upgrade: { protocol, serve: (socket, signal) => serveSession(socket, open, { clock, signal }) },
  };
}

function sessionRequest(query: URLSearchParams): SessionRequest {
  const asks = (name: string) => isTrue(query.get(name));
  if (!["stdin", "stdout", "stderr"].some(asks)) {
    throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  }
  const command = query.getAll("command");
  if (command.length === 0) throw badRequest("you must specify at least one command for the container");
  return { command, stdin: asks("stdin"), tty: asks("tty") };
}

/** Returns the protocol to speak. Kubernetes' older one, SPDY, is not spoken here. */
function protocolOf(request: ApiRequest): string {
  const upgrade = request.header("upgrade")?.toLowerCase();
  if (!upgrade) throw badRequest("Upgrade request required");
  if (upgrade !== "websocket" || request.method !== "GET") {
    throw badRequest(
      `the server does not speak ${request.header("upgrade")}: use a client that speaks WebSocket, such as kubectl ` +
        "1.30 or newer (1.29 with KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true)",
    );
  }
  const protocol = chooseProtocol(request.header("sec-websocket-protocol") ?? "");
  if (protocol) return protocol;
  throw badRequest("the server speaks the WebSocket protocols v5.channel.k8s.io and v4.channel.k8s.io alone");
}
