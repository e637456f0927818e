import type { Clock } from "../base/clock.ts";
import { loggerFor } from "../telemetry/logging.ts";
import type { Channel } from "./channel.ts";
import { environmentOf, factsOf, type LocalFacts } from "./facts.ts";
import { runHook } from "./hook_process.ts";
import { isOfRuns, type RunNotification } from "./notification.ts";

export interface HookChannelOptions {
  readonly clock: Clock;
  /** Command lines for a shell, of troubles too; undefined: none is run. */
  readonly commands: { readonly failed: string | undefined; readonly recovered: string | undefined };
  /** The time after which a command is killed, with all that it started. */
  readonly timeoutMs: number;
  /** The facts of the run that only this machine knows. Must not throw. */
  readonly localFactsOf: (notification: RunNotification) => Promise<LocalFacts>;
}

const logger = loggerFor("notifications");

/** Returns the channel that reports by a user's command. A command that fails is a warning, and is not run again for the same runs. */
export function hookChannel({ clock, commands, timeoutMs, localFactsOf }: HookChannelOptions): Channel {
  return {
    name: "hook",
    deliver: async (notification, signal) => {
      const command = commands[notification.kind === "recovered" ? "recovered" : "failed"];
      if (command === undefined) return "skipped";
      const facts = factsOf(notification, isOfRuns(notification) ? await localFactsOf(notification) : {});
      const hook = { command, env: environmentOf(facts), input: `${JSON.stringify(facts)}\n`, timeoutMs };
      const trouble = await runHook(hook, { clock, signal });
      // The end of this program cut the command short: the next process runs it again.
      signal.throwIfAborted();
      if (trouble === undefined) return "sent";
      logger.warn("The command that reports {key} failed: {error}", {
        key: `${facts.namespace}/${facts.name}`,
        error: trouble,
      });
      return "failed";
    },
  };
}
