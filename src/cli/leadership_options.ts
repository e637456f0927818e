import type { Command } from "commander";
import { option, switchOption } from "./options.ts";

export interface LeadershipOptions {
  leaderElect: boolean;
  leaderElectionId: string;
  leaderElectionNamespace?: string;
}

export function addLeadershipOptions(command: Command): Command {
  return command
    .addOption(
      switchOption(
        "--leader-elect",
        "work only while this is the leader among all that run, so that there may be several",
      ),
    )
    .addOption(
      option("--leader-election-id <name>", "the Lease that they compete for").default(
        "80807133.tutorial.kubebuilder.io",
      ),
    )
    .addOption(
      option(
        "--leader-election-namespace <name>",
        "the namespace of that Lease (default: the Pod's, or the context's)",
      ),
    );
}
