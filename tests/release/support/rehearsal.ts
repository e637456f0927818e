import configuration from "../../../deno.json" with { type: "json" };
import { outputOf, ROOT } from "../../../deploy/binary/support.ts";
import { addressesOf } from "../../../deploy/release/addresses.ts";
import { outputFor, type Target } from "../../../deploy/binary/compile.ts";
import { BINARY } from "../../image/support/binary.ts";
import { must } from "../../support/expected.ts";

export const { version: VERSION } = configuration;
export const RELEASE = `${ROOT}dist/release`;
/** Around which it is made; its digest stands in the release. */
export const IMAGE = `${ROOT}dist/image.tar`;

const ENV = {
  REPOSITORY_URL: "https://forge.example/owner/cronjob-controller",
  IMAGE_REPOSITORY: "registry.example/owner/cronjob-controller",
};

export const ADDRESSES = addressesOf(new Map(Object.entries(ENV)));

/** Makes a release of the compiled program for this machine's platform in `RELEASE`. */
async function rehearse(binary: string): Promise<void> {
  const compiled = `${ROOT}${outputFor(Deno.build.target as Target)}`;
  await Deno.remove(compiled).catch(() => {});
  await Deno.link(await Deno.realPath(binary), compiled);
  const built = await taskOf("rootfs", ["--binary", compiled]);
  const digest = must(/^digest +(\S+)$/m.exec(built)?.[1]);
  await taskOf("release", [], { ...ENV, IMAGE_DIGEST: digest });
}

async function taskOf(task: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const command = ["task", "--cwd", ROOT, task, ...args];
  return await outputOf(Deno.execPath(), command, { ...Deno.env.toObject(), ...env });
}

if (import.meta.main) await rehearse(BINARY);
