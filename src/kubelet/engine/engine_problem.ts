import { hostname } from "node:os";
import { messageOf } from "../../telemetry/message_of.ts";
import type { Clock } from "../../base/clock.ts";
import type { EngineApi } from "./api/engine_api.ts";
import type { EngineName } from "./api/engine_error.ts";
import { openApi } from "./api/open_api.ts";

/** Returns why an engine cannot run containers here; undefined if it can. */
export async function problemOf(
  engine: EngineName,
  args: readonly string[],
  clock: Clock,
): Promise<string | undefined> {
  const api = openApi(engine, { args, dataDir: "/", clock });
  try {
    return await isElsewhere(api) ? `${engine} works on another machine or in a virtual one` : undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    await api.close();
  }
}

/** Returns whether its files and processes are those of another machine, though its socket is here. */
async function isElsewhere(api: EngineApi): Promise<boolean> {
  const { Name, KernelVersion } = await api.get<{ readonly Name: string; readonly KernelVersion: string }>("/info");
  return Name !== hostname() || KernelVersion !== Deno.osRelease();
}
