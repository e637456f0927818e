import { spawn } from "node:child_process";

/** Reports to a service manager: lines such as `READY=1`, as sd_notify(3) describes them. */
export type Notify = (state: string) => Promise<void>;

/**
 * Opens the way to the service manager whose socket systemd has named in NOTIFY_SOCKET.
 *
 * Deno reaches sockets that are files alone. Those of the abstract namespace (`@…`) are reached by the program
 * systemd-notify, from which systemd takes messages only where it grants them (NotifyAccess=all).
 */
export function openNotifySocket(path: string): { readonly notify: Notify } & Disposable {
  if (path.startsWith("@")) return { notify: notifyByProgram, [Symbol.dispose]: () => {} };
  const socket = openSender();
  return {
    notify: async (state) => {
      await socket.send(new TextEncoder().encode(state), { transport: "unixpacket", path });
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

/** Deno sends from sockets alone that have a path. One that is open needs it no more. */
function openSender(): Deno.DatagramConn {
  const folder = Deno.makeTempDirSync({ prefix: "cronjob-controller-" });
  try {
    return Deno.listenDatagram({ transport: "unixpacket", path: `${folder}/notify` });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function notifyByProgram(state: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("systemd-notify", state.split("\n"), { stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`Cannot notify the service manager: systemd-notify ended with exit code ${code}`));
    });
  });
}
