import type { ImageFacts } from "../../../deploy/image/oci_image.ts";

/** The compiled program: what `CJC_TEST_BINARY` names, else what `deno task compile` makes. */
export const BINARY = Deno.env.get("CJC_TEST_BINARY") ||
  new URL("../../../dist/cronjob-controller", import.meta.url).pathname;

await Deno.stat(BINARY).catch((cause) => {
  throw new Error(`These tests run the compiled program, and there is none at ${BINARY}: deno task compile`, { cause });
});

/** What an image of a test says of itself. */
export const FACTS: ImageFacts = {
  name: "cronjob-controller",
  version: "1.2.3",
  revision: "0123456789abcdef0123456789abcdef01234567",
  created: "2026-01-02T03:04:05Z",
  architecture: "amd64",
};
