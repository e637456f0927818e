import { createImage } from "./image_store.ts";
import type { EngineApi } from "../api/engine_api.ts";
import { ifThere } from "../api/engine_error.ts";

/** Made here, as a machine may have no way to a registry. */
export const PAUSE_IMAGE = "localhost/cronjob-controller-pause:1";

/**
 * An archive, compressed by gzip, with the one file `/pause`: a static program for Linux of some 200 bytes that calls
 * `sigaction(SIGCHLD, SIG_IGN)`, so that the children that others leave to it are forgotten, and then `pause()` (x86-64) or
 * `ppoll()` without an end (ARM) in a loop.
 */
const ARCHIVES: Readonly<Record<typeof Deno.build.arch, string>> = {
  x86_64:
    "H4sIAAAAAAAA/ypILC1OZaAtMDAwMDA3NQXTBgYG6LSBsYGBAoxtAGabGxoYMigYMNABlBaXJBYxGNDFrkEI6l193JgYGeF8JgY7BhCvgsEBzIeQqMCBwQKsBgRANCuaLDJ9AMqD0QwCEGoHLwMDw35BBgYGj15TcQYGBsNLjrs4GBgY+Fl3KIGp19/55R3g9oyCUTAKRsEoYKAqAAAAAP//AwCfppCDAAgAAA==",
  aarch64:
    "H4sIAAAAAAAA/+yOrQ7CMBSFTwsIXB12EnlgWYacAcVLTOAJYwmOy1PxCkjS7GVQI+0YP7OEBdFP3O+ctknvNi+LDX4LSaZJ4k2ya8ZzRm0mXU5njBERPVAW+3wH9vLXH3JcrldaqWfXOMO1AzLfm/lJhoV/43AedW7ffX201jCNLkZspMWeFIyG2IESq4BqOhYLuCzWn0Ps0HdUt7qevDYNBAKBAL7gDgAA//8DAMVsawAACAAA",
};

/** Makes the image whose only program holds open what containers of a Pod share, unless it is there. */
export async function makePauseImage(api: EngineApi): Promise<void> {
  if (await ifThere(api.get(`/images/${PAUSE_IMAGE}/json`))) return;
  const archive = new Blob([Uint8Array.fromBase64(ARCHIVES[Deno.build.arch])]).stream();
  const body = await new Response(archive.pipeThrough(new DecompressionStream("gzip"))).blob();
  const headers = { "content-type": "application/x-tar" };
  const id = await createImage(api, { query: { fromSrc: "-" }, headers, body });
  const [repo = "", tag = ""] = PAUSE_IMAGE.split(/:(?=\d+$)/);
  await api.post(`/images/${id}/tag`, { query: { repo, tag } });
}
