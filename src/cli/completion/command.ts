import { Argument, type Command } from "commander";
import type { Shell } from "./scripts.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  text: `
Commands, options and their values are completed, and by asking the cluster the names of CronJobs and namespaces: for a second
at most. As a kubectl plugin the program is found under the names kubectl-cron and, for completion, kubectl_complete-cron.`,
  examples: [
    ["completion bash > /etc/bash_completion.d/cronjob-controller", "for all that use bash"],
    ["completion fish > ~/.config/fish/completions/cronjob-controller.fish", "for your own fish"],
  ],
};

const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

/** Adds `completion`: what makes a shell complete the program's words. */
export function addCompletionCommand(program: Command): void {
  addHelpNotes(program.command("completion"), NOTES)
    .summary("print what makes a shell complete commands, options and names")
    .description("Prints what makes a shell complete commands, options and names.")
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .action(async (shell: Shell) => {
      const { SCRIPTS } = await import("./scripts.ts");
      console.log(SCRIPTS[shell]);
    });
}
