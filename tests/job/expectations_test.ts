import { assert, assertEquals } from "@std/assert";
import { EXPECTATION_TIMEOUT_MS, PodExpectations } from "../../src/job/knowledge/expectations.ts";
import type { Pod } from "../../src/kube/resource.ts";
import { OwnWrites } from "../../src/runtime/own_writes.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { makeJob, makePod, NOW } from "./support/objects.ts";

const names = (expectations: PodExpectations, cached: Pod[]) =>
  expectations.podsOf("job-uid", cached).map(({ pod }) => pod.metadata.name);

test("A Pod just created counts until the cache has it", () => {
  const expectations = new PodExpectations();
  const pod = makePod("a");
  expectations.creationStarts("job-uid", "default", "a", NOW);
  assertEquals(names(expectations, []), []);
  expectations.created(pod);
  assertEquals(names(expectations, []), ["a"]);
  expectations.observe(pod);
  assertEquals(names(expectations, [pod]), ["a"]);
  assertEquals(names(expectations, []), [], "seen once, the cache is believed");
});

test("A Pod that the cache shows before its creation is answered counts once", () => {
  const expectations = new PodExpectations();
  const pod = makePod("a");
  expectations.creationStarts("job-uid", "default", "a", NOW);
  expectations.observe(pod);
  assertEquals(names(expectations, [pod]), ["a"]);
  expectations.observeGone(pod);
  expectations.created(pod);
  assertEquals(names(expectations, []), []);
});

test("A Pod just created counts, though the cache still shows an older one of its name", () => {
  const old = { ...makePod("a"), metadata: { ...makePod("a").metadata, uid: "old" } };
  for (const isAnswered of [true, false]) {
    const expectations = new PodExpectations();
    const pod = makePod("a");
    expectations.creationStarts("job-uid", "default", "a", NOW);
    if (isAnswered) expectations.created(pod);
    expectations.observe(old);
    expectations.observeGone(old);
    if (!isAnswered) expectations.created(pod);
    assertEquals(names(expectations, []), ["a"]);
    expectations.observe(pod);
    assertEquals(names(expectations, []), []);
  }
});

test("The name of a creation in doubt is used again, unless the cache has shown the Pod", () => {
  const expectations = new PodExpectations();
  for (const name of ["a", "b", "c"]) {
    expectations.creationStarts("job-uid", "default", name, NOW);
    expectations.creationInDoubt("job-uid", "default", name, name === "c" ? 3 : undefined);
  }
  expectations.observe(makePod("a"));
  assertEquals(expectations.takeDoubtfulName("job-uid", 3), "c");
  assertEquals(expectations.takeDoubtfulName("job-uid", undefined), "b");
  assertEquals(expectations.takeDoubtfulName("job-uid", undefined), undefined);
});

test("A creation that the cache does not show for 5 min is in doubt", () => {
  const expectations = new PodExpectations();
  expectations.creationStarts("job-uid", "default", "a", NOW);
  expectations.created(makePod("a", { index: 2 }));
  expectations.expire("job-uid", NOW + EXPECTATION_TIMEOUT_MS - 1);
  assertEquals(names(expectations, []), ["a"]);
  expectations.expire("job-uid", NOW + EXPECTATION_TIMEOUT_MS);
  assertEquals(names(expectations, []), []);
  assertEquals(expectations.doubtsOf("job-uid"), [{ name: "a", index: 2, isRepeated: false }]);
});

test("A Pod just deleted is terminating, one just untracked is untracked, until the cache says so", () => {
  const expectations = new PodExpectations();
  const pod = makePod("a");
  const [before] = atLeast(1, expectations.podsOf("job-uid", [pod]));
  assert(before.active && before.tracked && !before.terminating);
  expectations.deletionStarts(pod.metadata.uid, NOW);
  expectations.untrackingStarts(pod.metadata.uid);
  const [after] = atLeast(1, expectations.podsOf("job-uid", [pod]));
  assert(!after.active && !after.tracked && after.terminating);
  expectations.deletionFailed(pod.metadata.uid);
  expectations.untrackingFailed(pod.metadata.uid);
  assertEquals(expectations.podsOf("job-uid", [pod])[0], before);
});

test("A version of a Job that we wrote on top of is not believed any more", () => {
  const jobs = new OwnWrites();
  const version = (resourceVersion: string) => makeJob({}, {}, { resourceVersion });
  const [v1, v2, v3, v4] = atLeast(4, ["1", "2", "3", "4"].map(version));
  jobs.record(v1, v2);
  jobs.record(v2, v3);
  assertEquals([jobs.latest(v1), jobs.latest(v2), jobs.latest(v3)], [v3, v3, v3]);
  jobs.record(v3, v4);
  assert(jobs.isOwn(v3) && !jobs.isOwn(version("5")), "our own versions are no news");
  assertEquals(jobs.latest(v3), v4);
  assertEquals(jobs.latest(version("5")), version("5"));
});

test("A Job that the cache shows as we wrote it is not remembered any longer", () => {
  const jobs = new OwnWrites();
  const [v1, v2] = atLeast(2, ["1", "2"].map((resourceVersion) => makeJob({}, {}, { resourceVersion })));
  jobs.record(v1, v2);
  assert(jobs.isOwn(v2));
  assert(!jobs.isOwn(v2));
  assertEquals(jobs.latest(v2), v2);
});
