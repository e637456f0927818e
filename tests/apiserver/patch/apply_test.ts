import { assertEquals, assertThrows } from "@std/assert";
import { customKind } from "../../../src/apiserver/kinds/custom.ts";
import { CONFIG_MAPS } from "../../../src/apiserver/kinds/config_map.ts";
import { PODS } from "../../../src/apiserver/kinds/pod.ts";
import { applyConfiguration } from "../../../src/apiserver/patch/apply.ts";
import { trackUpdate } from "../../../src/apiserver/patch/managed_fields.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import type { Json, ResourceKind } from "../../../src/apiserver/resource_kind.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { WIDGETS } from "../support/widgets.ts";

const NOW = Date.parse("2026-01-02T03:04:05Z");

/** An object that managers apply to and update, as the server would let them. */
class Subject {
  object: Json | undefined;
  readonly #kind: ResourceKind;
  #now = NOW;

  constructor(kind: ResourceKind) {
    this.#kind = kind;
  }

  apply(manager: string, content: Json, options: { force?: boolean } = {}): Json {
    const config = { ...this.#identity(), ...content };
    const applied = applyConfiguration(this.object, config, {
      kind: this.#kind,
      subresource: "",
      manager,
      now: this.#tick(),
      force: options.force ?? false,
    });
    return this.object = this.#settled(applied);
  }

  update(manager: string, change: (object: Json) => void, subresource = ""): Json {
    const object = structuredClone(this.object ?? this.#identity());
    change(object);
    const read = this.#settled(object);
    trackUpdate(read, this.object, { kind: this.#kind, subresource, manager, now: this.#tick() });
    return this.object = read;
  }

  /** manager -> the fields that it owns. */
  owners(): Record<string, Json> {
    const entries: Json[] = this.object?.metadata.managedFields ?? [];
    return Object.fromEntries(entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
  }

  #identity(): Json {
    const { group, version, kind } = this.#kind;
    return { apiVersion: group ? `${group}/${version}` : version, kind, metadata: { name: "x", namespace: "n" } };
  }

  #settled(object: Json): Json {
    const read = this.#kind.read(object).object;
    this.#kind.setDefaults(read);
    return read;
  }

  #tick(): number {
    return this.#now += 1000;
  }
}

test("a manager that drops all that anyone wanted of the metadata leaves the rest of them", () => {
  const map = new Subject(CONFIG_MAPS);
  map.update("kubectl-create", ({ metadata }) => metadata.uid = "u");
  map.apply("me", { metadata: { name: "x", labels: { a: "1" }, finalizers: ["example.com/a"] } });
  assertEquals(map.object?.metadata.labels, { a: "1" });
  const { name, uid, labels, finalizers } = map.apply("me", { metadata: { name: "x" } }).metadata;
  assertEquals([name, uid, labels, finalizers], ["x", "u", undefined, undefined]);
  assertEquals(map.owners().me, undefined);
});

test("apply removes what its manager leaves out, unless another manager wants it too", () => {
  const subject = new Subject(CONFIG_MAPS);
  subject.apply("one", { data: { a: "1", b: "1", c: "1" } });
  subject.apply("two", { data: { b: "1" } });
  const { data } = subject.apply("one", { data: { c: "1" } });
  assertEquals(data, { b: "1", c: "1" });
  assertEquals(subject.owners(), { one: { "f:data": { "f:c": {} } }, two: { "f:data": { "f:b": {} } } });
});

test("apply takes no field that another manager has set otherwise, until it is forced to", () => {
  const subject = new Subject(CONFIG_MAPS);
  subject.apply("one", { data: { a: "1" } });
  subject.update("editor", (object) => object.data = { a: "1", b: "1" });
  const refusal = assertThrows(() => subject.apply("two", { data: { a: "2", b: "2" } }), Refusal);
  assertEquals(refusal.code, 409);
  assertEquals(refusal.details?.causes, [
    { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.a" },
    {
      reason: "FieldManagerConflict",
      message: 'conflict with "editor" using v1 at 2026-01-02T03:04:07Z',
      field: ".data.b",
    },
  ]);
  assertEquals(subject.apply("two", { data: { a: "2", b: "2" } }, { force: true }).data, { a: "2", b: "2" });
  assertEquals(subject.owners(), { two: { "f:data": { "f:a": {}, "f:b": {} } } });
});

test("apply merges containers and ports by their keys, and keeps what others added", () => {
  const subject = new Subject(PODS);
  subject.apply("one", { spec: { containers: [{ name: "a", image: "1", ports: [{ containerPort: 80 }] }] } });
  subject.apply("two", {
    spec: { containers: [{ name: "side", image: "s" }, { name: "a", ports: [{ containerPort: 81 }] }] },
  });
  const { spec } = subject.apply("one", { spec: { containers: [{ name: "a", image: "2" }] } });
  assertEquals(
    spec.containers.map(({ name, image, ports }: Json) => [name, image, ports?.map((one: Json) => one.containerPort)]),
    [
      ["side", "s", undefined],
      ["a", "2", [81]],
    ],
  );
});

test("a list item that its manager leaves out goes with all that was only filled in", () => {
  const subject = new Subject(PODS);
  subject.apply("one", { spec: { containers: [{ name: "a", image: "1" }, { name: "b", image: "1" }] } });
  const { spec } = subject.apply("one", { spec: { containers: [{ name: "a", image: "1" }] } });
  assertEquals(spec.containers.map(({ name }: Json) => name), ["a"]);
});

test("finalizers are a set, of which each manager has its own", () => {
  const subject = new Subject(CONFIG_MAPS);
  const finalizers = (...names: string[]) => ({ metadata: { name: "x", namespace: "n", finalizers: names } });
  subject.apply("one", finalizers("example.com/a"));
  assertEquals(subject.apply("two", finalizers("example.com/b")).metadata.finalizers, [
    "example.com/a",
    "example.com/b",
  ]);
  assertEquals(subject.apply("one", finalizers()).metadata.finalizers, ["example.com/b"]);
});

test("apply that changes nothing keeps its time", () => {
  const subject = new Subject(CONFIG_MAPS);
  const first = subject.apply("one", { data: { a: "1" } }).metadata.managedFields;
  assertEquals(subject.apply("one", { data: { a: "1" } }).metadata.managedFields, first);
});

test("an update that removes a field leaves no owner of it", () => {
  const subject = new Subject(CONFIG_MAPS);
  subject.apply("one", { data: { a: "1", b: "1" } });
  subject.update("editor", (object) => delete object.data.a);
  assertEquals(subject.owners(), { one: { "f:data": { "f:b": {} } } });
});

test("a manager that writes the status owns nothing else, and the other way round", () => {
  const subject = new Subject(customKind(WIDGETS, "v1"));
  subject.update(
    "maker",
    (object) => Object.assign(object, { spec: { size: 1 }, status: { since: "2026-01-01T00:00:00Z" } }),
  );
  subject.update("reporter", (object) => object.status = { since: "2026-01-02T00:00:00Z" }, "status");
  assertEquals(subject.owners().maker, { "f:spec": { ".": {}, "f:size": {} } });
  // The fake server above kept the maker's status; only what the reporter changed is its own.
  assertEquals(subject.owners().reporter, { "f:status": { "f:since": {} } });
});

test("the eleventh manager that only updates is one with the oldest", () => {
  const subject = new Subject(CONFIG_MAPS);
  subject.update("m0", (object) => object.data = { k0: "1" });
  for (let index = 1; index < 13; index++) subject.update(`m${index}`, (object) => object.data[`k${index}`] = "1");
  const owners = subject.owners();
  assertEquals(Object.keys(owners).length, 10);
  assertEquals(Object.keys(must(owners["ancient-changes"])["f:data"]), [".", "f:k0", "f:k1", "f:k2", "f:k3"]);
});

test("one empty entry of managedFields wipes the record", () => {
  const subject = new Subject(CONFIG_MAPS);
  subject.apply("one", { data: { a: "1" } });
  subject.update("editor", (object) => object.metadata.managedFields = [{}]);
  assertEquals(subject.object!.metadata.managedFields, undefined);
});

test("what no schema describes is owned key by key", () => {
  const subject = new Subject(customKind(WIDGETS, "v1"));
  subject.apply("one", { spec: { size: 1, template: { a: { b: 1 } } } });
  subject.apply("two", { spec: { template: { a: { c: 2 } } } });
  assertEquals(subject.object!.spec.template, { a: { b: 1, c: 2 } });
  assertEquals(subject.apply("one", { spec: { size: 1 } }).spec.template, { a: { c: 2 } });
});
