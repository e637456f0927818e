// A fault proxy as a process of its own: `deno run -A main.ts '{"url":…,"caCertificate":…,"token":…}'`.
// It reads a `Command` a line and writes a `Report` a line, and ends when its standard input does.
import { must } from "../../support/expected.ts";
import { FaultProxy } from "./fault_proxy.ts";
import type { Command, Report } from "./messages.ts";
import { lines } from "../../support/lines.ts";

/** Of this second: how often each was asked for. */
let asked = new Map<string, number>();
const proxy = new FaultProxy(JSON.parse(must(Deno.args[0])), {
  onRequest: ({ verb, resource, namespace, name }) => {
    const what = `${verb} ${resource} ${namespace ?? ""}/${name ?? ""}`;
    asked.set(what, (asked.get(what) ?? 0) + 1);
  },
  onJob: (name) => tell({ job: name, at: Date.now() }),
});
const timer = setInterval(() => {
  tell({ asked: Object.fromEntries(asked), at: Date.now() });
  asked = new Map();
}, 1_000);
tell({ port: proxy.port });
for await (const line of lines(Deno.stdin.readable)) {
  const command: Command = JSON.parse(line);
  if ("rules" in command) proxy.set(command.rules, command.seed);
  if ("forget" in command) proxy.forget();
  if ("kill" in command) proxy.kill(command.kill);
}
clearInterval(timer);
proxy[Symbol.dispose]();
// Watches that were forgotten on the way would go on for ever.
Deno.exit();

function tell(report: Report): void {
  console.log(JSON.stringify(report));
}
