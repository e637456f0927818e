import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import type { Manager } from "../../runtime/manager.ts";
import { openNotifySocket } from "../../runtime/notify_socket.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import { ServiceManager, watchdogOf } from "../../runtime/service_manager.ts";

/** Returns the part that reports to systemd, where that has started the program (`Type=notify`). */
export function serviceManagerOf(
  { manager, client, clock }: {
    readonly manager: Manager;
    readonly client: KubeClient;
    readonly clock: Clock;
  },
): { readonly part: Runnable } & Disposable | undefined {
  const path = Deno.env.get("NOTIFY_SOCKET");
  const watchdogMs = watchdogOf(Deno.env, Deno.pid);
  // Containers, and programs that are called, are not the service.
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) Deno.env.delete(name);
  if (!path) return undefined;
  const socket = openNotifySocket(path);
  const part = new ServiceManager({
    clock,
    notify: socket.notify,
    watchdogMs,
    checks: () => manager.health,
    answers: async (signal) => await (await client.raw("/livez", { signal })).text(),
  });
  return { part, [Symbol.dispose]: () => socket[Symbol.dispose]() };
}
