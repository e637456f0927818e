import { runToEnd } from "../../support/run_to_end.ts";

/** A registry that gives what an OCI layout holds, under any name; it listens on loopback alone. */
export interface Registry extends AsyncDisposable {
  /** `127.0.0.1:PORT` */
  readonly address: string;
}

/** Serves a layout that is packed in one file, from a folder that it may use. */
export async function serveLayout(archive: string, folder: string): Promise<Registry> {
  const { code, stderr } = await runToEnd(["tar", "--extract", "--file", archive, "--directory", folder]);
  if (code !== 0) throw new Error(stderr);
  const { manifests } = JSON.parse(await Deno.readTextFile(`${folder}/index.json`));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const [, kind, reference = ""] = /\/(manifests|blobs)\/([^/]+)$/.exec(new URL(request.url).pathname) ?? [];
    if (kind === undefined) return new Response("{}");
    const { digest, mediaType } = manifests.find((each: { annotations: Record<string, string> }) =>
      each.annotations["org.opencontainers.image.ref.name"] === reference
    ) ?? manifests.find((each: { digest: string }) =>
      each.digest === reference
    ) ?? { digest: reference };
    const content = await Deno.readFile(`${folder}/blobs/${digest.replace(":", "/")}`).catch(() => undefined);
    if (content === undefined) return new Response("{}", { status: 404 });
    const headers = {
      "Content-Type": mediaType ?? "application/octet-stream",
      "Content-Length": `${content.length}`,
      "Docker-Content-Digest": digest,
    };
    return new Response(request.method === "HEAD" ? null : content, { headers });
  });
  return {
    address: `127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
