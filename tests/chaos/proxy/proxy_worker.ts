// A fault proxy in a thread of its own: takes a `Command` a message, and sends a `Report` a message.
import { FaultProxy } from "./fault_proxy.ts";
import type { Command, Report } from "./proxy_thread.ts";

const starter = globalThis as unknown as Worker;
const report = (said: Report) => starter.postMessage(said);
let proxy: FaultProxy | undefined;

starter.onmessage = ({ data: command }: MessageEvent<Command>) => {
  if ("upstream" in command) {
    proxy = new FaultProxy(command.upstream, (asked) => report({ asked, at: Date.now() }));
    report({ url: proxy.url });
  }
  if ("rules" in command) proxy?.set(command.rules, command.seed);
  if ("forget" in command) proxy?.forget();
  if ("kill" in command) proxy?.kill(command.kill);
};
