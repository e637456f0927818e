import { command } from "../command.ts";
import { STANDALONE_OPTIONS } from "./standalone_options.ts";

/** Everything on one machine. */
export const addStandaloneCommand = command({
  name: "standalone",
  summary: "run CronJobs on this machine, with no cluster",
  text: `
It is an embedded Kubernetes API (HTTPS on loopback) that kubectl works against, the controllers, and a small kubelet.
Containers run as plain processes with your own rights, and their images are recorded and ignored, unless
--container-runtime says otherwise. Ctrl-C ends it and everything it started; started again, it goes on where it was.`,
  examples: [
    ["standalone --apply-once deploy/samples", "run CronJobs here; kubectl works against it"],
    ["standalone --manifests ./cron-jobs --crontab ./crontab", "follow a folder of manifests, and a crontab"],
    ["standalone --ephemeral --port 0", "keep nothing, and take any free port"],
  ],
  options: STANDALONE_OPTIONS,
  run: async (options) => (await import("./run.ts")).runStandalone(options),
});
