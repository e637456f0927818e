import { assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { IndexedHeap } from "../../src/runtime/indexed_heap.ts";
import { test } from "../support/test.ts";

test("IndexedHeap refuses a priority that is not a number", () => {
  const heap = new IndexedHeap<string>();
  assertThrows(() => heap.set("a", NaN), RangeError, "Cannot put a on the heap: its priority is NaN");
  assertEquals(heap.countUpTo(Infinity, Infinity), 0);
});

test("IndexedHeap gives what a sorted list would give, whatever is set, moved and deleted", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("set" as const), key: fc.nat(20), priority: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ do: fc.constant("delete" as const), key: fc.nat(20) }),
    fc.record({ do: fc.constant("pop" as const) }),
  );
  fc.assert(fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const heap = new IndexedHeap<number>();
    const model = new Map<number, number>();
    const least = () => model.size === 0 ? undefined : Math.min(...model.values());
    for (const step of steps) {
      switch (step.do) {
        case "set":
          heap.set(step.key, step.priority);
          model.set(step.key, step.priority);
          break;
        case "delete":
          assertEquals(heap.delete(step.key), model.delete(step.key));
          break;
        case "pop": {
          const expected = least();
          const top = heap.pop();
          assertEquals(top?.priority, expected);
          if (top) {
            assertEquals(model.get(top.key), top.priority);
            model.delete(top.key);
          }
        }
      }
      assertEquals([heap.countUpTo(Infinity, Infinity), heap.peek()?.priority], [model.size, least()]);
      for (const [key, priority] of model) assertEquals(heap.priorityOf(key), priority);
      const upTo25 = [...model.values()].filter((priority) => priority <= 25).length;
      assertEquals([heap.countUpTo(25, 100), heap.countUpTo(25, 3)], [upTo25, Math.min(upTo25, 3)]);
    }
    heap.clear();
    assertEquals([heap.countUpTo(Infinity, Infinity), heap.pop(), heap.priorityOf(0)], [0, undefined, undefined]);
  }));
});
