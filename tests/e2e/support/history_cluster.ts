import { TestCa } from "../../kube/support/certificates.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { NO_ENDPOINTS, PROGRAM, RunningProgram, temporaryFolder } from "../../support/program.ts";
import { runHere } from "./run_here.ts";
import { kubeconfig } from "../../support/kubeconfig.ts";

/** An API server, and a folder of secrets: ana may look around in namespace default, ben may not, and another token is a guess. */
export async function startHistoryCluster() {
  const ca = await TestCa.make();
  const { certificate, key } = await ca.issueServer();
  const folder = await temporaryFolder({
    "tokens": "anas-token,ana,1\nbens-token,ben,2\n",
    "ana": "anas-token",
    "ben": "bens-token",
    "guess": "guessed",
    "ca.crt": ca.certificate,
    "tls.crt": certificate,
    "tls.key": key,
  });
  const path = (name: string) => `${folder.path}/${name}`;
  const api = await startTestApiServer({
    tokenFile: path("tokens"),
    mayAlso: ({ name }, { verb, namespace }) =>
      name === "ana" && namespace === "default" && ["get", "list", "watch"].includes(verb),
  });
  const { server } = api;
  const trust = (cas: readonly string[]) => cas.flatMap((file) => ["--certificate-authority", path(file)]);
  return {
    client: api.client,
    kubeconfig: server.kubeconfigPath,
    path,
    /** A controller that keeps history in a folder of this name. */
    async replica(name: string) {
      const tls = ["--dashboard-tls-cert-file", path("tls.crt"), "--dashboard-tls-key-file", path("tls.key")];
      const flags = ["--api", "batch/v1", "--leader-elect", "--dashboard-bind-address", "127.0.0.1:0", ...tls];
      const history = ["--history-dir", path(name), "--history-size", "10MiB"];
      const command = ["controller", "--kubeconfig", server.kubeconfigPath, ...flags, ...NO_ENDPOINTS, ...history];
      const program = new RunningProgram([...PROGRAM, ...command]);
      const [, port] = await program.waitFor(/Serving dashboard on \S*:(\d+)/);
      return Object.assign(program, { server: `https://127.0.0.1:${port}` });
    },
    /** Runs a command that asks a replica as one of them. */
    ask(address: string, who: string, command: readonly string[], cas: readonly string[] = ["ca.crt"]) {
      const flags = ["--server", address, "--token-file", path(who), ...trust(cas)];
      return runHere([...command, "--kubeconfig", server.kubeconfigPath, ...flags]);
    },
    /** Runs a command that asks a replica by a ServiceAccount of ana's, whose token the API server makes. */
    async askBy(address: string, flags: readonly string[], command: readonly string[]) {
      await using front = await startTokenFront(server);
      await Deno.writeTextFile(path("kubeconfig"), front.kubeconfig);
      const asked = ["--server", address, ...flags, ...trust(["ca.crt"])];
      return await runHere([...command, "--kubeconfig", path("kubeconfig"), ...asked]);
    },
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";

/** A server before the API server that makes tokens: for `reader` that of ana, for `other` none that the user may have. */
async function startTokenFront({ url, caCertificate, token }: { url: string; caCertificate: string; token: string }) {
  const onward = Deno.createHttpClient({ caCerts: [caCertificate] });
  const refused = (code: number, reason: string, message: string) => {
    const status = { apiVersion: "v1", kind: "Status", status: "Failure", code, reason, message };
    return Response.json(status, { status: code });
  };
  const front = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    if (method !== "POST") return await fetch(`${url}${pathname}${search}`, { method, headers, client: onward });
    const { spec, ...kind } = await request.json();
    const isAsked = kind.kind === "TokenRequest" && kind.apiVersion === "authentication.k8s.io/v1";
    if (pathname === `${ACCOUNTS}/other/token`) return refused(403, "Forbidden", "You may not");
    if (pathname !== `${ACCOUNTS}/reader/token` || !isAsked) return refused(404, "NotFound", "There is none");
    // kube-apiserver makes none that lasts less.
    if (spec.expirationSeconds < 600) return refused(422, "Invalid", "It lasts too short a time");
    return Response.json({ ...kind, status: { token: "anas-token" } }, { status: 201 });
  });
  return await Promise.resolve({
    kubeconfig: kubeconfig({ cluster: { server: `http://127.0.0.1:${front.addr.port}` }, user: { token } }),
    async [Symbol.asyncDispose]() {
      await front.shutdown();
      onward.close();
    },
  });
}
