import { AssertionError } from "@std/assert";
import { type Bench, dump, endBench, makeBench } from "./framework.ts";
import type { Cluster } from "./job_tests.ts";
import type { ProtobufClient } from "./protobuf_client.ts";

/** Which level of the Pod Security Standards the suite gives the namespaces of its tests. */
const LEVELS = { job: "privileged", cronjob: "baseline" };

type Trials = Record<string, (bench: Bench, cluster: Cluster) => Promise<void>>;

/** Runs all at the same time, each in a namespace of its own; `TRIAL` names some. */
export async function runTrials(
  context: Deno.TestContext,
  client: ProtobufClient,
  cluster: Cluster,
  all: Partial<Record<keyof typeof LEVELS, Trials>>,
): Promise<void> {
  const only = Deno.env.get("TRIAL") ?? "";
  const trials = Object.entries(all).flatMap(([of, trials]) =>
    Object.entries(trials).filter(([name]) => name.includes(only)).map(([name, trial]) => ({ of, name, trial }))
  );
  await Promise.all(trials.map(({ of, name, trial }, index) =>
    context.step({
      name,
      // They run at the same time; the test around them looks for leaks.
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      async fn() {
        const bench = await makeBench(client, `${of}-${1000 + index}`, LEVELS[of as keyof typeof LEVELS]);
        try {
          await trial(bench, cluster);
        } catch (error) {
          throw new AssertionError({ message: `${error}\n${JSON.stringify(await dump(bench))}` });
        } finally {
          await endBench(bench);
        }
      },
    })
  ));
}
