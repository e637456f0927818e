import { hostname } from "node:os";
import { messageOf } from "../../telemetry/message_of.ts";
import type { Clock } from "../../base/clock.ts";
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
    const { Name, KernelVersion } = await api.get<{ readonly Name: string; readonly KernelVersion: string }>("/info");
    // Its files and processes are those of another machine then, though its socket is here.
    const isElsewhere = Name !== hostname() || KernelVersion !== Deno.osRelease();
    return isElsewhere ? `${engine} works on another machine or in a virtual one` : undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    await api.close();
  }
}
