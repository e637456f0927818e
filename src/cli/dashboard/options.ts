import { resolve } from "node:path";
import { flag, onUnlessNo, type OptionsOf, repeatable, switchOption } from "../flags/options.ts";
import { CONNECTION_OPTIONS } from "../flags/connection_options.ts";
import { loopbackAddress } from "../flags/listen.ts";

/** The flags of `dashboard`. */
export const DASHBOARD_OPTIONS = [
  ...CONNECTION_OPTIONS,
  flag("--data-dir <dir>", "of a standalone on this machine, in place of a kubeconfig")
    .conflicts(["kubeconfig", "context"]).parsedBy((path) => resolve(path)),
  repeatable("--namespace <name>", "only CronJobs of this namespace; none given: all"),
  switchOption("--read-only", "only to look at: nothing can be done on the page"),
  onUnlessNo("open", "only print the link"),
  flag("--address <host:port>", "where to serve it; port 0 takes any free port")
    .parsedBy(loopbackAddress, "127.0.0.1:0"),
];

export type DashboardOptions = OptionsOf<typeof DASHBOARD_OPTIONS>;
