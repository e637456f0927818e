// Gives permissions up as `controller` does, then tries what should be refused. Prints a line of JSON for each step that
// standard input asks for: `deno run … permissions_probe.ts FOLDER NEEDS LISTED`.
import { dropPermissions } from "../../../src/cli/controller/permissions.ts";
import { loadConnection } from "../../../src/kube/connection.ts";
import { TokenFile } from "../../../src/kube/credentials.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { atLeast } from "../../support/expected.ts";
import { lines } from "../../support/lines.ts";

const [folder, needs, listed] = atLeast(3, Deno.args);

async function outcome(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return "done";
  } catch (error) {
    return error instanceof Deno.errors.NotCapable ? "refused" : String(error);
  }
}

const { credentials } = await loadConnection({ kubeconfig: `${folder}/kubeconfig` });
const token = new TokenFile(`${folder}/token`, new SystemClock());
const { dropped, kept } = dropPermissions(JSON.parse(needs), { listed: listed === "listed" });
console.log(JSON.stringify({ dropped, kept }));
for await (const _ of lines(Deno.stdin.readable)) {
  token.invalidate();
  credentials!.invalidate();
  const report = {
    token: (await token.current()).token,
    kubeconfig: (await credentials!.current()).headers!.Authorization,
    passwd: await outcome(() => Deno.readTextFile("/etc/passwd")),
    write: await outcome(() => Deno.writeTextFile(`${folder}/written`, "")),
    run: await outcome(() => new Deno.Command("/bin/true").output()),
    environment: await outcome(() => Deno.env.get("HOME")),
    host: await outcome(() => Deno.hostname()),
    listen: await outcome(() => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close()),
    // What a library asks for in Node's way must not make it fail.
    node: await outcome(async () => (await import("node:process")).default.env.NODE_DEBUG),
    library: await outcome(() => import("yaml")),
  };
  console.log(JSON.stringify(report));
}
