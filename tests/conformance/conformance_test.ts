import { assertEquals } from "@std/assert";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";
import { type Case, readCases, readFixtures } from "./support/case.ts";
import { Replayer } from "./support/replay.ts";

const NOBODY_TOKEN = "nobodytoken";

/** The two servers that the recordings are of: one with the collector and the namespace controller, and one without. */
const MODES = [
  { name: "with garbage collection", gc: true, have: ["compaction", "gc"] },
  { name: "bare", gc: false, have: ["compaction"] },
];

for (const { name, gc, have } of MODES) {
  test(`the server ${name} answers as kube-apiserver did when it was recorded`, async (context) => {
    const dir = await Deno.makeTempDir();
    const tokenFile = `${dir}/tokens.csv`;
    await Deno.writeTextFile(tokenFile, `${NOBODY_TOKEN},nobody,u1\n`);
    {
      await using api = await startTestApiServer({ controllers: gc ? ["gc"] : [], tokenFile });
      const { url, caCertificate, token } = api.server;
      using replayer = new Replayer({ url, caCertificate, token, nobodyToken: NOBODY_TOKEN }, readFixtures());
      for (const conversation of readCases().filter((each) => applies(each, have))) {
        await context.step(`${conversation.name}: ${conversation.title}`, async () => {
          assertEquals(await replayer.play(conversation), []);
        });
      }
    }
    await Deno.remove(dir, { recursive: true });
  });
}

function applies({ needs = [], lacks = [] }: Case, have: readonly string[]): boolean {
  return needs.every((each) => have.includes(each)) && !lacks.some((each) => have.includes(each));
}
