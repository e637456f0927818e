import { assert, assertEquals } from "@std/assert";
import { ApiError } from "../../../src/kube/api_error.ts";
import { CONFIG_MAPS } from "../../../src/kube/resource.ts";
import { ApiServerProcess } from "../../support/api_server_process.ts";

const CLIENTS = 8;

/**
 * Writes from several clients, and SIGKILLs the server at a random moment, again and again on the same data directory. After
 * each restart everything that was acknowledged must be there, in the version that was acknowledged or a later one that
 * was asked for; versions only rise; and a watch from the last version seen goes on without a gap.
 */
export async function killRounds(rounds: number, writesARound: number): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "cronjob-controller-kill-" });
  /** Name -> the newest acknowledged version, or undefined once its deletion was acknowledged. */
  const acknowledged = new Map<string, number | undefined>();
  let highest = 0;
  for (let round = 0; round < rounds; round++) {
    const server = await ApiServerProcess.start({ dataDir });
    await checkAll(server, acknowledged, highest);
    highest = Math.max(highest, await writeUntilKilled(server, round, writesARound, acknowledged));
  }
  {
    await using server = await ApiServerProcess.start({ dataDir });
    await checkAll(server, acknowledged, highest);
  }
  assert(acknowledged.size > rounds, "Too little was written to say anything");
  await Deno.remove(dataDir, { recursive: true });
}

async function checkAll(
  { client }: ApiServerProcess,
  acknowledged: ReadonlyMap<string, number | undefined>,
  highest: number,
): Promise<void> {
  const { items, metadata } = await client.list(CONFIG_MAPS, { namespace: "default" });
  assert(Number(metadata.resourceVersion) >= highest, "Versions went back");
  const versions = new Map(items.map(({ metadata }) => [metadata.name, Number(metadata.resourceVersion)]));
  assertEquals(versions.size, items.length);
  for (const [name, version] of acknowledged) {
    if (version === undefined) assert(!versions.has(name), `${name} is back, though its deletion was acknowledged`);
    else assert((versions.get(name) ?? 0) >= version, `${name} is not there as it was acknowledged: ${version}`);
  }
  if (highest > 0) await checkResume(client, highest, versions);
}

/** A watch from the last version seen delivers exactly what the list shows beyond it. */
async function checkResume(
  client: ApiServerProcess["client"],
  from: number,
  versions: ReadonlyMap<string, number>,
): Promise<void> {
  const newer = new Map([...versions].filter(([, version]) => version > from));
  const options = { namespace: "default", resourceVersion: String(from), timeoutSeconds: 1 };
  for await (const { type, object } of client.watch(CONFIG_MAPS, options)) {
    if (type === "BOOKMARK") continue;
    const { name, resourceVersion } = object.metadata;
    assert(Number(resourceVersion) > from);
    if (newer.get(name) === Number(resourceVersion)) newer.delete(name);
    if (newer.size === 0) break;
  }
  assertEquals([...newer], []);
}

async function writeUntilKilled(
  server: ApiServerProcess,
  round: number,
  writes: number,
  acknowledged: Map<string, number | undefined>,
): Promise<number> {
  const killAfter = Math.floor(Math.random() * writes);
  let next = 0;
  let highest = 0;
  let killing: Promise<void> | undefined;
  const acknowledge = (name: string, version: number | undefined) => {
    acknowledged.set(name, version);
    highest = Math.max(highest, version ?? 0);
  };
  const write = async (index: number) => {
    const name = `r${round}-${index}`;
    const at = { name, namespace: "default" };
    const created = await server.client.create(CONFIG_MAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: at,
      data: { text: "x".repeat(300) },
    });
    acknowledge(name, Number(created.metadata.resourceVersion));
    if (index % 3 === 1) {
      const changed = await server.client.patch(CONFIG_MAPS, at, { type: "merge", body: { data: { more: "y" } } });
      acknowledge(name, Number(changed.metadata.resourceVersion));
    } else if (index % 3 === 2) {
      // From here on it may be there or not; only the answer settles it.
      acknowledged.delete(name);
      await server.client.delete(CONFIG_MAPS, at);
      acknowledge(name, undefined);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (!killing && next < writes) {
      const index = next++;
      if (index === killAfter) killing = server.kill();
      try {
        await write(index);
      } catch (error) {
        // Refusals are not what this is about; a broken connection is.
        if (error instanceof ApiError) throw error;
        return;
      }
    }
  }));
  await (killing ?? server.kill());
  return highest;
}
