import { ConfigError } from "../errors.ts";
import type { ImportFormat } from "./format.ts";

/** Where CronJobs go: to standard output, or into a folder, a file each. */
export type Output =
  | { readonly kind: "print"; readonly format: ImportFormat }
  | { readonly kind: "folder"; readonly path: string };

/** A slash distinguishes a folder from a misspelt format. */
export function readOutput(text: string): Output {
  if (text === "yaml" || text === "json") return { kind: "print", format: text };
  if (text.includes("/")) return { kind: "folder", path: text.replace(/(?<=.)\/+$/, "") };
  throw new ConfigError(
    `--output must be yaml, json, or a folder with a slash such as ./cron-jobs, current value is ${
      JSON.stringify(text)
    }`,
  );
}
