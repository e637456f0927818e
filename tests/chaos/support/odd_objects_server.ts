import { assert, assertEquals } from "@std/assert";
import { NAMESPACES } from "../../../src/kube/resource.ts";
import { startTestApiServer, type TestApiServer } from "../../support/api_server.ts";
import { type OddDocument, oddDocuments, soundDocuments } from "./odd_documents.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";

const ANSWERED_WITHIN_MS = 5_000;
const LISTS = [
  "/apis/batch/v1/cronjobs",
  "/apis/batch.tutorial.kubebuilder.io/v1/cronjobs",
  "/apis/batch/v1/jobs",
  "/api/v1/pods",
];
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";

/** Hands so many odd documents to our API server over its socket, and looks at every answer. Returns how many it took. */
export async function proveThatTheServerBearsDocuments(seed: number, count: number): Promise<number> {
  await using api = await startTestApiServer();
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  await api.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "odd" } });
  using http = Deno.createHttpClient({ caCerts: [api.server.caCertificate], http2: false });
  for (const document of soundDocuments()) assertEquals((await send(api, http, document)).code, 201);
  let taken = 0;
  for (const [i, document] of oddDocuments(seed, count).entries()) {
    const what = () => `document ${i} of seed ${seed}: ${describe(document)}`;
    const { code, text } = await send(api, http, document).catch((error) => {
      throw new Error(`No answer to ${what()}`, { cause: error });
    });
    if (code < 300) taken++;
    else assert(isRefusal(code, text), `${code} ${text.slice(0, 500)} to ${what()}`);
  }
  // What it took it can also show, in every form.
  for (const path of LISTS) {
    for (const accept of ["application/json", TABLE]) {
      const response = await api.client.raw(path, { headers: { accept } });
      assert((await response.json()).kind.endsWith(accept === TABLE ? "Table" : "List"));
    }
  }
  return taken;
}

async function send(
  { server }: TestApiServer,
  client: Deno.HttpClient,
  { method, path, contentType, body }: OddDocument,
): Promise<{ code: number; text: string }> {
  const headers = { authorization: `Bearer ${server.token}`, ...(contentType && { "content-type": contentType }) };
  const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
  const response = await fetch(server.url + path, { method, headers, body, client, signal });
  return { code: response.status, text: await response.text() };
}

/**
 * Whether it says in a Status that it is the request that is wrong. There are three mistakes of its clients for which
 * kube-apiserver blames itself.
 */
function isRefusal(code: number, text: string): boolean {
  const status = JSON.parse(text);
  if (status.kind !== "Status" || status.code !== code) return false;
  return code >= 400 && code < 500 ||
    status.reason === undefined &&
      /^cannot apply the configuration|^resourceVersion should not be set|^the items of a list must be of one type/
        .test(
          status.message,
        );
}

function describe({ method, path, contentType, body }: OddDocument): string {
  return `${method} ${path} ${contentType} ${new TextDecoder().decode(body).slice(0, 3_000)}`;
}
