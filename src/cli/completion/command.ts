import { Argument } from "commander";
import { command } from "../command.ts";
import type { Shell } from "./scripts.ts";

const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

/** Prints the script that makes a shell complete the program's words. */
export const addCompletionCommand = command({
  name: "completion",
  summary: "print what makes a shell complete commands, options and names",
  text: `
Commands, options and their values are completed, and by asking the cluster the names of CronJobs and namespaces: for a second
at most. As a kubectl plugin the program is found under the names kubectl-cron and, for completion, kubectl_complete-cron.`,
  examples: [
    ["completion bash > /etc/bash_completion.d/cronjob-controller", "for all that use bash"],
    ["completion fish > ~/.config/fish/completions/cronjob-controller.fish", "for your own fish"],
  ],
  argument: new Argument("<shell>", "which shell").choices(SHELLS),
  run: async (_options, [shell]) => console.log((await import("./scripts.ts")).SCRIPTS[shell as Shell]),
});
