import { argv0 } from "node:process";

const OWN_NAME = "cronjob-controller";

/**
 * Returns what people write before a command, by the name of the file that was called; undefined where kubectl has called it to
 * complete the words behind a plugin's name. `kubectl-cron` is the kubectl plugin `kubectl cron`, and `kubectl_complete-cron`
 * completes its words: in such names a dash parts words, and an underscore stands for a dash.
 */
export function calledAs(path: string): string | undefined {
  const file = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).replace(/\.exe$/i, "");
  if (file.startsWith("kubectl_complete-")) return undefined;
  return file.startsWith("kubectl-") ? file.replaceAll("-", " ").replaceAll("_", "-") : OWN_NAME;
}

/** How this process was called. */
export const CALLED_AS = calledAs(argv0);
