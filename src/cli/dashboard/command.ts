import { command } from "../command.ts";
import { DASHBOARD_OPTIONS } from "./options.ts";

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
  options: DASHBOARD_OPTIONS,
  run: async (options, _words, { clock }) => (await import("./run.ts")).runDashboard(options, clock),
});
