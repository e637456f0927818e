import { argv0 } from "node:process";

/** How the program was called. */
export type Call =
  /** `name` is what people write before a command. */
  | { readonly kind: "command"; readonly name: string }
  /** By kubectl, to complete the words behind a plugin's name. */
  | { readonly kind: "completion" };

const OWN_NAME = "cronjob-controller";

/**
 * Reads the name of the file that was called. `kubectl-cron` is the kubectl plugin `kubectl cron`, and
 * `kubectl_complete-cron` completes its words: in such names a dash parts words, and an underscore stands for a dash.
 */
export function callOf(path: string): Call {
  const file = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).replace(/\.exe$/i, "");
  if (file.startsWith("kubectl_complete-")) return { kind: "completion" };
  if (!file.startsWith("kubectl-")) return { kind: "command", name: OWN_NAME };
  return { kind: "command", name: file.replaceAll("-", " ").replaceAll("_", "-") };
}

/** How this process was called. */
export const CALL: Call = callOf(argv0);
