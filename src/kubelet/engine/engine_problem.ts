import { hostname } from "node:os";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { socketOf } from "./docker_logs.ts";
import { EngineCommand } from "./engine_command.ts";
import { type EngineName, ENGINES } from "./engine_kind.ts";

/** Returns why an engine cannot run containers here; undefined if it can. */
export async function problemOf(
  engine: EngineName,
  globalArgs: readonly string[],
  clock: Clock,
): Promise<string | undefined> {
  const { daemon } = ENGINES[engine];
  const command = new EngineCommand(engine, { globalArgs, clock, daemon, workingDirectory: "/" });
  try {
    // Its files and processes are those of another machine.
    return await IS_ELSEWHERE[engine](command) ? `${engine} works on another machine or in a virtual one` : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const IS_ELSEWHERE: Readonly<Record<EngineName, (command: EngineCommand) => Promise<boolean>>> = {
  podman: async (command) =>
    (await command.output(["info", "--format", "{{.Host.ServiceIsRemote}}"])).trim() === "true",
  docker: async (command) => {
    const about = await command.output(["info", "--format", "{{.Name}} {{.KernelVersion}}"]);
    const isHere = about.trim() === `${hostname()} ${Deno.osRelease()}`;
    return !isHere || socketOf(await command.endpoint()) === undefined;
  },
};
