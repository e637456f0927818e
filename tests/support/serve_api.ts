// An API server as a process of its own, for tests that kill it: `deno run -A serve_api.ts '{"dataDir":"…"}'`.
// Prints one line of JSON when it answers requests, and ends when its standard input does.
import { startApiServer } from "../../src/apiserver/server.ts";
import { must } from "./expected.ts";

const server = await startApiServer(JSON.parse(must(Deno.args[0])));
const { url, caCertificate, token, kubeconfigPath } = server;
console.log(JSON.stringify({ url, caCertificate, token, kubeconfigPath }));
await Deno.stdin.readable.pipeTo(new WritableStream());
await server.close();
