import { resolve } from "node:path";
import { command } from "../command.ts";
import { flag, onUnlessNo, repeatable, switchOption } from "../flags/options.ts";
import { CONNECTION_OPTIONS } from "../flags/connection_options.ts";
import { loopbackAddress } from "../flags/listen.ts";

/** The page for people with a kubeconfig, on this machine and with their own rights. */
export const addDashboardCommand = command({
  name: "dashboard",
  summary: "show CronJobs in the browser, and act on them with your own rights",
  text: "It serves a page on this machine and opens it. Ctrl-C ends it.",
  examples: [
    ["dashboard", "the CronJobs of the cluster that your kubeconfig names, in the browser"],
    ["dashboard --read-only --no-open --namespace team-a", "those of one namespace, only to look at; prints the link"],
    ["dashboard --data-dir ~/cron", "those of the standalone that runs there, by a new link to its own page"],
  ],
  options: [
    ...CONNECTION_OPTIONS,
    flag("--data-dir <dir>", "of a standalone on this machine, in place of a kubeconfig")
      .conflicts(["kubeconfig", "context"]).parsedBy((path) => resolve(path)),
    repeatable("--namespace <name>", "only CronJobs of this namespace; none given: all"),
    switchOption("--read-only", "only to look at: nothing can be done on the page"),
    onUnlessNo("open", "only print the link"),
    flag("--address <host:port>", "where to serve it; port 0 takes any free port")
      .parsedBy(loopbackAddress, "127.0.0.1:0"),
  ],
  run: async (options, _words, { clock }) => (await import("./run.ts")).runDashboard(options, clock),
});
