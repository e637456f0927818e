import { type Command, Option } from "commander";
import { resolve } from "node:path";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { addHelpNotes } from "../help/notes.ts";
import { addOptions, repeatable, switchOption } from "../options.ts";
import { addConnectionOptions } from "../shared/connection_options.ts";
import { loopbackAddressOption } from "../shared/dashboard_address.ts";
import type { DashboardOptions } from "./run.ts";

/** Adds `dashboard`: the page for who has a kubeconfig, on this machine and with their own rights. */
export function addDashboardCommand(program: Command, clock: Clock = new SystemClock()): void {
  const command = addOptions(
    addConnectionOptions(program.command("dashboard"))
      .summary("show CronJobs in the browser")
      .description(
        "Serves a page on this machine that shows CronJobs, and acts on them with your own rights, and opens it in the " +
          "browser. Ctrl-C ends it.",
      ),
    new Option("--data-dir <dir>", "of a standalone on this machine, in place of a kubeconfig")
      .conflicts(["kubeconfig", "context"]).argParser((path) => resolve(path)),
    repeatable("--namespace <name>", "only CronJobs of this namespace; none given: all"),
    switchOption("--read-only", "only to look at: nothing can be done on the page"),
    new Option("--no-open", "only print the link"),
    loopbackAddressOption("--address", "127.0.0.1:0", "where to serve it; port 0 takes any free port"),
  );
  addHelpNotes(command, {
    examples: [
      ["dashboard", "the CronJobs of the cluster that your kubeconfig names, in the browser"],
      [
        "dashboard --read-only --no-open --namespace team-a",
        "those of one namespace, only to look at; prints the link",
      ],
      ["dashboard --data-dir ~/cron", "those of the standalone that runs there, by a new link to its own page"],
    ],
  });
  command.action(async (options: DashboardOptions) => {
    const { runDashboard } = await import("./run.ts");
    await runDashboard(options, clock);
  });
}
